-- Whoever watches over the bot wants to know how many games are on, among hundreds of thousands that were.

CREATE INDEX matches_on ON matches (phase) WHERE phase = 'live';
