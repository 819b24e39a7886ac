-- A plan that is being edited stands until its changed copy is confirmed, which then takes its place.

ALTER TABLE plans ADD COLUMN edits INTEGER; -- of a copy that is not confirmed yet: the plan that it was made of
