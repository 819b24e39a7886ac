-- Finds a player's live games without reading the finished games of years.

ALTER TABLE players ADD COLUMN ended INTEGER NOT NULL DEFAULT 0; -- derived: whether the match is over or closed

UPDATE players SET ended = 1 WHERE match IN (SELECT id FROM matches WHERE phase IN ('over', 'closed'));

DROP INDEX players_by_user;
CREATE INDEX players_by_user ON players (user, ended, match);
