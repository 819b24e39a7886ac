-- The latest games of a channel or a server are found without sorting all that were ever played there.

DROP INDEX matches_by_channel;
CREATE INDEX matches_by_channel ON matches (channel, phase, moved_at);
DROP INDEX matches_by_guild;
CREATE INDEX matches_by_guild ON matches (guild, phase, moved_at);

-- Moves in the making go when they are made, or their game ends: those left over from before as well.

DELETE FROM meta WHERE key GLOB 'draft:*'
    AND CAST(substr(key, 7) AS INTEGER) NOT IN (SELECT id FROM matches WHERE phase = 'live');
