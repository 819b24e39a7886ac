-- Finds the ladder entry for the end of a match.

CREATE INDEX ladder_ends ON ladder_entries (guild, variant, matches) WHERE kind = 10;
