-- Leagues: posts and their edits, people told of rulings, games to set up and seasons to end are jobs.

INSERT INTO jobs (kind, key, guild, match, due_at)
SELECT 'league-ruling', league_rulings.match || ':' || league_rulings.at || replace(replace(news.kind,
    'ruled.' || league_rulings.at || '.' || league_rulings.match, ''), '.', ':'), news.guild, league_rulings.match, 0
FROM league_news AS news JOIN league_rulings ON news.kind IN (
    'ruled.' || league_rulings.at || '.' || league_rulings.match,
    'ruled.' || league_rulings.at || '.' || league_rulings.match || '.audit');

WITH numbers AS ( -- the manager and the person
    SELECT news.league AS league, news.kind AS kind, one.key AS place, one.value AS number
    FROM league_news AS news, json_each('[' || replace(replace(replace(news.kind, 'removed.', ''), '.audit', ''), '.', ',')
        || ']') AS one
    WHERE news.kind LIKE 'removed.%'
)
INSERT INTO jobs (kind, key, guild, due_at, note)
SELECT 'league-removal', news.league || ':' || person.number || ':' || news.at
    || CASE WHEN news.kind LIKE '%.audit' THEN ':audit' ELSE '' END, news.guild, 0, CAST(manager.number AS TEXT)
FROM league_news AS news
JOIN numbers AS manager ON manager.league = news.league AND manager.kind = news.kind AND manager.place = 0
JOIN numbers AS person ON person.league = news.league AND person.kind = news.kind AND person.place = 1
WHERE true ON CONFLICT DO NOTHING;

INSERT INTO jobs (kind, key, guild, due_at)
SELECT DISTINCT 'league-thread', CAST(league AS TEXT), guild, 0 FROM league_news WHERE kind = 'thread';
INSERT INTO league_news (league, season, kind, guild, at)
    SELECT league, season, 'week', guild, max(at) FROM league_news WHERE kind LIKE 'week-%' GROUP BY league, season, guild;
INSERT INTO league_news (league, season, kind, guild, at)
    SELECT league, season, 'warn', guild, max(at) FROM league_news WHERE kind LIKE 'warn-%' GROUP BY league, season, guild;
DELETE FROM league_news
WHERE kind = 'thread' OR kind LIKE 'week-%' OR kind LIKE 'warn-%' OR kind LIKE 'ruled.%' OR kind LIKE 'removed.%';
INSERT INTO jobs (kind, key, guild, due_at)
SELECT DISTINCT 'league-news', CAST(league AS TEXT), guild, 0 FROM league_news;

INSERT INTO jobs (kind, key, guild, due_at) SELECT 'league-table', CAST(id AS TEXT), guild, 0 FROM leagues
WHERE state = 'sign-up' OR (message IS NOT NULL AND unposted_changes > 0);
DROP INDEX leagues_by_changes;
ALTER TABLE leagues DROP COLUMN unposted_changes;
INSERT INTO jobs (kind, key, guild, due_at)
SELECT 'league-games', CAST(id AS TEXT), guild, 0 FROM leagues WHERE state = 'running';
INSERT INTO jobs (kind, key, guild, due_at)
SELECT 'league-end', CAST(id AS TEXT), guild, 0 FROM leagues WHERE state = 'ending';
