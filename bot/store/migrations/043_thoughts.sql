-- Annotated games that have to be posted, or whose messages are outdated, are jobs.

INSERT INTO jobs (kind, key, guild, match, due_at)
SELECT 'annotated', CAST(id AS TEXT), guild, id, 0 FROM matches
WHERE id IN (SELECT match FROM annotated_posts WHERE outdated = 1 AND message <> 0)
OR (phase = 'over' AND id IN (SELECT match FROM thought_choices WHERE shared = 1)
AND id NOT IN (SELECT match FROM annotated_posts));
ALTER TABLE annotated_posts DROP COLUMN outdated;
