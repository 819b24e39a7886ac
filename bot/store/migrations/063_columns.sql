-- Columns that nothing reads any more: finished games are not searched for puzzles, and a server is welcomed when it adds
-- the bot.

DROP INDEX matches_unsearched;
ALTER TABLE matches DROP COLUMN searched;
ALTER TABLE servers DROP COLUMN met;
