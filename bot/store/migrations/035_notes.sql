-- The note on a game is the comment at the start of its tree. Thoughts about planned moves go: those about moves that were
-- played become thoughts, all others go into the note of their game.

INSERT INTO thoughts (match, user, board, words)
SELECT p.match, p.user, p.board, p.words FROM planned_thoughts AS p JOIN (
    SELECT match, body, row_number() OVER (PARTITION BY match ORDER BY seq) - 1 AS board FROM events
    WHERE kind = 9 AND match IN (SELECT match FROM planned_thoughts)
) AS made ON made.match = p.match AND made.board = p.board AND made.body || ' ' LIKE p.move || ' %'
WHERE NOT EXISTS (SELECT 1 FROM thoughts AS t WHERE t.match = p.match AND t.user = p.user AND t.board = p.board)
AND NOT EXISTS (SELECT 1 FROM events AS back WHERE back.match = p.match AND back.kind IN (36, 39)); -- boards count on
DELETE FROM planned_thoughts WHERE EXISTS (
    SELECT 1 FROM thoughts AS t WHERE t.match = planned_thoughts.match AND t.user = planned_thoughts.user
    AND t.board = planned_thoughts.board AND t.words = planned_thoughts.words
);

INSERT INTO trees (user, match, touched)
SELECT DISTINCT p.user, p.match, m.updated FROM planned_thoughts AS p JOIN matches AS m ON m.id = p.match
WHERE NOT EXISTS (SELECT 1 FROM trees AS t WHERE t.user = p.user AND t.match = p.match);
WITH RECURSIVE numbered (match, user, number, words) AS (
    SELECT match, user, row_number() OVER (PARTITION BY match, user ORDER BY board, move), move || ': ' || words
    FROM planned_thoughts
), joined (match, user, number, words) AS (
    SELECT match, user, number, words FROM numbered WHERE number = 1
    UNION ALL
    SELECT j.match, j.user, n.number, j.words || '
' || n.words FROM joined AS j JOIN numbered AS n ON n.match = j.match AND n.user = j.user AND n.number = j.number + 1
)
UPDATE trees SET page = CASE page WHEN '' THEN '' ELSE page || '

' END || (
    SELECT words FROM joined AS j WHERE j.match = trees.match AND j.user = trees.user ORDER BY number DESC LIMIT 1
) WHERE EXISTS (SELECT 1 FROM planned_thoughts AS p WHERE p.match = trees.match AND p.user = trees.user);
DROP TABLE planned_thoughts;

UPDATE tree_nodes SET note = (SELECT page FROM trees WHERE id = tree) || CASE note WHEN '' THEN '' ELSE '

' || note END
WHERE parent IS NULL AND ply = 0 AND EXISTS (SELECT 1 FROM trees WHERE id = tree AND match IS NOT NULL AND page <> '');
INSERT INTO tree_nodes (tree, node, parent, ply, move, note)
SELECT trees.id, made + 1, NULL, 0, CASE variant
WHEN 'camelot' THEN 'camelot White White:NC6,NJ6,ND7,NI7,D6,E6,F6,G6,H6,I6,E7,F7,G7,H7 Black:ND10,NI10,NC11,NJ11,E10,F10,G10,H10,D11,E11,F11,G11,H11,I11 castle:0,0'
WHEN 'chivalry' THEN 'chivalry White White:NC6,ND6,NK6,NL6,NC7,ND7,NK7,NL7,E6,F6,G6,H6,I6,J6,E7,F7,G7,H7,I7,J7 Black:NC10,ND10,NK10,NL10,NC11,ND11,NK11,NL11,E10,F10,G10,H10,I10,J10,E11,F11,G11,H11,I11,J11 castle:0,0'
WHEN 'cam' THEN 'cam White White:NC4,NE4,B5,C5,D5,E5,F5 Black:NC10,NE10,B9,C9,D9,E9,F9'
WHEN 'camette' THEN 'camette White White:NC2,B3,C3,D3 Black:NC6,B5,C5,D5'
WHEN 'tri-camelot' THEN 'tri-camelot Blue Blue:NE4,NG4,NF5,D5,H5,E6,G6,F7 Red:NB13,NC14,NC16,B11,C12,D13,D15,D17 Green:NJ13,NI14,NI16,J11,I12,H13,H15,H17'
WHEN 'cam-3d' THEN 'cam-3d White White:N1B2,N1C2,N1D2,1B3,1C3,1D3,2B2,2C2,2D2,2B3,2C3,2D3 Black:N3B7,N3C7,N3D7,2B6,2C6,2D6,2B7,2C7,2D7,3B6,3C6,3D6'
ELSE variant END, page
FROM trees JOIN matches ON matches.id = trees.match
WHERE page <> '' AND NOT EXISTS (SELECT 1 FROM tree_nodes WHERE tree = trees.id AND parent IS NULL AND ply = 0);
UPDATE trees SET made = made + 1 WHERE EXISTS (SELECT 1 FROM tree_nodes WHERE tree = id AND node > made);
ALTER TABLE trees DROP COLUMN page;
