-- Finds the latest games of a channel or a server without sorting all its games.

DROP INDEX matches_by_channel;
CREATE INDEX matches_by_channel ON matches (channel, phase, moved_at);
DROP INDEX matches_by_guild;
CREATE INDEX matches_by_guild ON matches (guild, phase, moved_at);

-- Drafts are deleted when the move is made or the game ends. This deletes the drafts left over from before.

DELETE FROM meta WHERE key GLOB 'draft:*'
    AND CAST(substr(key, 7) AS INTEGER) NOT IN (SELECT id FROM matches WHERE phase = 'live');
