-- Columns get the words of the classes: the players in the order of their ids, whether a game is rated for nobody, and
-- the days on which a person's clocks stand still.

DROP INDEX results_by_company;
ALTER TABLE results RENAME COLUMN company TO sorted_players;
CREATE INDEX results_by_players ON results (guild, variant, sorted_players, ended_at);
ALTER TABLE results RENAME COLUMN casual TO never_rated;
ALTER TABLE user_settings RENAME COLUMN free_weekends TO free_days;
