-- Whoever watches over a server lists its games: not by reading those of all servers.

CREATE INDEX matches_by_guild ON matches (guild, phase);
