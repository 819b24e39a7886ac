-- Where running games between people stand, so that nobody has to replay them to know what they close.

ALTER TABLE matches ADD COLUMN present TEXT; -- derived: see bot/core/running_positions.py; NULL: not computed yet
ALTER TABLE matches ADD COLUMN position INTEGER; -- derived: the number of the position that it closes to everybody
UPDATE matches SET present = '' WHERE phase <> 'live';
CREATE INDEX matches_by_position ON matches (position) WHERE position IS NOT NULL;
CREATE INDEX matches_not_placed ON matches (id) WHERE present IS NULL;
