-- Words that a player or a referee has taken out of an annotated game, and old posts that show words of people who neither
-- played the game nor followed it.

ALTER TABLE thought_choices ADD COLUMN taken_out INTEGER NOT NULL DEFAULT 0; -- whether others can no longer see the words

UPDATE annotated_posts SET outdated = 1 WHERE message <> 0 AND EXISTS (
    SELECT 1 FROM thought_choices AS c WHERE c.match = annotated_posts.match AND c.shared = 1
    AND NOT EXISTS (SELECT 1 FROM players AS p WHERE p.match = c.match AND p.user = c.user)
    AND NOT EXISTS (SELECT 1 FROM follows AS f WHERE f.match = c.match AND f.user = c.user)
);
