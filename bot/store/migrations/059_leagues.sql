-- Leagues: who is to have the role for the winners follows from the seasons.

DROP TABLE league_role_holders;
