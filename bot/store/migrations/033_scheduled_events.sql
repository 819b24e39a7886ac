-- Leagues are not announced by Discord's scheduled events any more. The ids of those that were stay here until the bot has
-- deleted the events.

ALTER TABLE leagues DROP COLUMN events;
DELETE FROM league_news WHERE kind = 'no-event';
DELETE FROM league_scheduled_events WHERE event IS NULL;
DROP INDEX league_scheduled_events_by_try;
ALTER TABLE league_scheduled_events DROP COLUMN try_at;
ALTER TABLE league_scheduled_events DROP COLUMN season;
ALTER TABLE league_scheduled_events DROP COLUMN kind;
ALTER TABLE league_scheduled_events DROP COLUMN at;
