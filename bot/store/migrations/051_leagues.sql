-- Leagues: a seat passes to a person of the reserve together with its games, so that none of them wait.

DROP INDEX league_seats_handed_over;
ALTER TABLE league_seats DROP COLUMN former;
