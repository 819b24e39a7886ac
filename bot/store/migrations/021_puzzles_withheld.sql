-- The game of a daily puzzle, so that the puzzle is withheld while the game is reopened. And a mark for games that have
-- been searched for puzzles, so that the tick finds the next one without reading every game.

ALTER TABLE daily_puzzles ADD COLUMN match INTEGER; -- NULL: from the collection

UPDATE daily_puzzles SET match = (SELECT match FROM puzzles_made AS made
    WHERE made.guild = daily_puzzles.guild AND made.id = daily_puzzles.id);

ALTER TABLE matches ADD COLUMN milled INTEGER NOT NULL DEFAULT 0; -- whether it has been looked through for puzzles
UPDATE matches SET milled = 1 WHERE id IN (SELECT match FROM matches_milled);
DROP TABLE matches_milled;
CREATE INDEX matches_unmilled ON matches (guild) WHERE phase = 'over' AND milled = 0;
