-- A place on a ladder is a rung.

ALTER TABLE ladder_steps RENAME TO ladder_rungs;
ALTER TABLE ladder_rungs RENAME COLUMN step_before TO rung_before;
ALTER TABLE ladder_rungs RENAME COLUMN step TO rung;
