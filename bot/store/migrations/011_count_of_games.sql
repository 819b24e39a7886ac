-- Counts the live games without reading hundreds of thousands of finished ones.

CREATE INDEX matches_on ON matches (phase) WHERE phase = 'live';
