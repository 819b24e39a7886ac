-- The forum in which a server's games have posts instead of threads.
ALTER TABLE guild_settings ADD COLUMN forum INTEGER;
