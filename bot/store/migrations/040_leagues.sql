-- The columns of leagues have the words of the program, and rulings are posted like other news of their league.

ALTER TABLE leagues RENAME COLUMN group_least TO least;
ALTER TABLE leagues RENAME COLUMN group_most TO most;
ALTER TABLE leagues RENAME COLUMN rounds TO double; -- 1: everybody plays everybody twice
UPDATE leagues SET double = double - 1;
ALTER TABLE leagues RENAME COLUMN shifted TO seconds_postponed;
ALTER TABLE leagues RENAME COLUMN handled_at TO moments_done_until;
ALTER TABLE leagues RENAME COLUMN changes TO unposted_changes;

INSERT INTO league_news (league, season, kind, guild, at)
    SELECT id, season, 'ruled.' || at || '.' || match, league_rulings.guild, at
    FROM league_rulings JOIN leagues ON id = league WHERE told = 0;
INSERT INTO league_news (league, season, kind, guild, at)
    SELECT id, season, 'ruled.' || at || '.' || match || '.audit', league_rulings.guild, at
    FROM league_rulings JOIN leagues ON id = league WHERE audited = 0;
ALTER TABLE league_rulings DROP COLUMN told;
ALTER TABLE league_rulings DROP COLUMN audited;
