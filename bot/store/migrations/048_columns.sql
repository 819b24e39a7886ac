-- Columns have the words of the classes whose values they hold.

ALTER TABLE matches RENAME COLUMN homeless TO place_is_lost;
ALTER TABLE matches RENAME COLUMN flag TO time_runs_out_at;
ALTER TABLE matches RENAME COLUMN milled TO searched; -- for puzzles
DROP INDEX matches_unmilled;
CREATE INDEX matches_unsearched ON matches (guild) WHERE phase = 'over' AND searched = 0;

ALTER TABLE plans RENAME COLUMN away TO plays_on_vacation;
ALTER TABLE plans RENAME COLUMN stands TO is_confirmed;
ALTER TABLE plans RENAME COLUMN fallen TO end;
ALTER TABLE plans RENAME COLUMN wakes TO waits_until;

ALTER TABLE daily_puzzles RENAME COLUMN told TO posted;
ALTER TABLE seekers RENAME COLUMN called TO called_at;
ALTER TABLE trees RENAME COLUMN made TO last_node;
ALTER TABLE trees RENAME COLUMN touched TO changed_at;
ALTER TABLE tree_nodes RENAME COLUMN node TO number;
ALTER TABLE ladders RENAME COLUMN wake TO due_at;
