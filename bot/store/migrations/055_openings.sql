-- Openings: the games that an earlier version has not counted are jobs.

INSERT INTO jobs (kind, key, guild, match, due_at)
SELECT 'opening', CAST(match AS TEXT), guild, match, 0 FROM opening_due JOIN matches ON matches.id = match;
DROP TABLE opening_due;
