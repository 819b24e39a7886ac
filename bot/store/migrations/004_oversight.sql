-- Titles, games without a place, and what the audit channels have been told.

ALTER TABLE matches ADD COLUMN title TEXT; -- derived
ALTER TABLE matches ADD COLUMN homeless INTEGER NOT NULL DEFAULT 0; -- derived
ALTER TABLE matches ADD COLUMN audited INTEGER NOT NULL DEFAULT 0; -- the last event that the audit channel was told of
