-- Shared lines of Explore become thoughts on the moves before them. A line's name is part of its comment. A plan is edited
-- itself, not a copy of it.

WITH RECURSIVE numbered (match, user, board, number, words) AS (
    SELECT match, user, CASE ply WHEN 0 THEN 0 ELSE ply - 1 END,
    row_number() OVER (PARTITION BY match, user, CASE ply WHEN 0 THEN 0 ELSE ply - 1 END ORDER BY number), words
    FROM thought_lines
), joined (match, user, board, number, words) AS (
    SELECT match, user, board, number, words FROM numbered WHERE number = 1
    UNION ALL
    SELECT j.match, j.user, j.board, n.number, j.words || '
' || n.words FROM joined AS j JOIN numbered AS n
    ON n.match = j.match AND n.user = j.user AND n.board = j.board AND n.number = j.number + 1
)
INSERT INTO thoughts (match, user, board, words)
SELECT match, user, board, words FROM joined AS j WHERE number = (
    SELECT max(number) FROM numbered AS n WHERE n.match = j.match AND n.user = j.user AND n.board = j.board
)
ON CONFLICT (match, user, board) DO UPDATE SET words = thoughts.words || '
' || excluded.words;
DROP TABLE thought_lines;

UPDATE tree_nodes SET note = name || CASE note WHEN '' THEN '' ELSE '
' || note END WHERE name <> '';
ALTER TABLE tree_nodes DROP COLUMN name;
ALTER TABLE trees DROP COLUMN draft;

DELETE FROM plans WHERE edits IS NOT NULL; -- copies that nobody confirmed
ALTER TABLE plans DROP COLUMN edits;
