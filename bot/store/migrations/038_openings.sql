-- Openings: one row for each move of a finished game, summed up when somebody looks.

DROP TABLE opening_moves;
DROP INDEX opening_games_by_position;
ALTER TABLE opening_games RENAME TO opening_games_before;
CREATE TABLE opening_games ( -- derived: the moves played in positions of finished games, each once per game
    guild INTEGER NOT NULL,
    position INTEGER NOT NULL, -- as bot/explore/openings.py numbers it
    match INTEGER NOT NULL,
    move TEXT NOT NULL, -- as bot/explore/openings.py names it
    people INTEGER NOT NULL, -- whether only people played
    first INTEGER NOT NULL, -- the points of the player to move, in sixths
    second INTEGER NOT NULL, -- the points of the next player in turn order
    third INTEGER NOT NULL,
    PRIMARY KEY (guild, position, match, move)
) STRICT, WITHOUT ROWID;
INSERT INTO opening_games
SELECT guild, position, match, move, CASE WHEN kind LIKE 'people %' THEN 1 ELSE 0 END, first, second, third
FROM opening_games_before WHERE match > 0;
DROP TABLE opening_games_before;
CREATE INDEX opening_games_by_match ON opening_games (match);

-- From now on only games that an earlier version has not counted: also those of people who did not allow it then.
INSERT INTO opening_due SELECT match FROM results WHERE has_result = 1 AND moves > 0
AND NOT EXISTS (SELECT 1 FROM opening_games AS counted WHERE counted.match = results.match)
ON CONFLICT DO NOTHING;

DROP INDEX archive_by_record;
