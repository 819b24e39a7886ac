-- Leagues: the number of a place in a group is its entrant; an entry is a line of a log.

ALTER TABLE league_seats RENAME COLUMN entry TO entrant;
ALTER TABLE league_games RENAME COLUMN entries TO entrants;
