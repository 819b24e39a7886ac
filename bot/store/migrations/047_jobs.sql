-- A job says why it was put off last.

ALTER TABLE jobs ADD COLUMN why TEXT NOT NULL DEFAULT '';
