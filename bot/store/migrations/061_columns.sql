-- Columns that nothing reads any more: a move in the making stands in its buttons, and a record says whose game it was.

ALTER TABLE matches DROP COLUMN draft;
ALTER TABLE archive DROP COLUMN variant;
ALTER TABLE archive DROP COLUMN players;
ALTER TABLE archive DROP COLUMN result;
ALTER TABLE archive DROP COLUMN moves;
ALTER TABLE archive DROP COLUMN imported_at;
