-- Ladders: each entry keeps what it changed. The first tick computes it for the entries that are there.

ALTER TABLE ladder_entries ADD COLUMN rungs TEXT; -- derived: by user, the rungs before and after it, as JSON
UPDATE ladders SET state = NULL, due_at = 0;
