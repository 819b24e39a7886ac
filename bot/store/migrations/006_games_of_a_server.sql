-- Lists a server's games without reading those of all servers.

CREATE INDEX matches_by_guild ON matches (guild, phase);
