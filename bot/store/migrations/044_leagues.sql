-- Leagues: roles that are to be given or taken and events that are to be deleted are jobs.

INSERT INTO jobs (kind, key, guild, due_at)
SELECT 'role', league || ':' || user || ':' || role, guild, 0 FROM league_role_holders WHERE try_at IS NOT NULL;
DROP INDEX league_role_holders_by_try;
ALTER TABLE league_role_holders DROP COLUMN try_at;

INSERT INTO jobs (kind, key, guild, due_at) SELECT 'event', CAST(event AS TEXT), guild, 0 FROM league_scheduled_events;
DROP TABLE league_scheduled_events;
