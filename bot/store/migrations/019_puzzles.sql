-- Puzzles from a server's own games, daily puzzles, and people's attempts.

ALTER TABLE guild_settings ADD COLUMN puzzle_channel INTEGER;
ALTER TABLE guild_settings ADD COLUMN puzzle_hour INTEGER NOT NULL DEFAULT 9;
ALTER TABLE guild_settings ADD COLUMN zone TEXT NOT NULL DEFAULT 'UTC';
ALTER TABLE user_settings ADD COLUMN puzzles INTEGER NOT NULL DEFAULT 1;

CREATE TABLE puzzles_made (
    guild INTEGER NOT NULL,
    id TEXT NOT NULL,
    match INTEGER NOT NULL REFERENCES matches (id),
    puzzle TEXT NOT NULL, -- as engine/puzzles.py writes it
    PRIMARY KEY (guild, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX puzzles_made_by_match ON puzzles_made (match);

CREATE TABLE matches_milled ( -- those that have been looked through for puzzles
    match INTEGER PRIMARY KEY REFERENCES matches (id)
) STRICT;

CREATE TABLE daily_puzzles (
    guild INTEGER NOT NULL,
    day INTEGER NOT NULL, -- of the server's own calendar; 1 is the first of January of the year 1
    id TEXT NOT NULL,
    puzzle TEXT NOT NULL, -- a later version may not ship it any more
    told INTEGER NOT NULL DEFAULT 0, -- 1: posted, 2: its solution, too
    PRIMARY KEY (guild, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX daily_puzzles_untold ON daily_puzzles (guild) WHERE told < 2;

CREATE TABLE puzzle_results (
    user INTEGER NOT NULL,
    guild INTEGER NOT NULL, -- 0: in direct messages
    day INTEGER NOT NULL, -- 0: not the puzzle of a day
    id TEXT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, -- wrong ones and the right one
    hinted INTEGER NOT NULL DEFAULT 0,
    solved INTEGER NOT NULL DEFAULT 0,
    shown INTEGER NOT NULL DEFAULT 0, -- they have had the solution shown instead
    at INTEGER NOT NULL, -- the last of it
    PRIMARY KEY (user, guild, day, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX puzzle_results_by_day ON puzzle_results (guild, day) WHERE day > 0;

CREATE TABLE reviews (
    match INTEGER PRIMARY KEY REFERENCES matches (id),
    board INTEGER NOT NULL, -- the version of the board that was reviewed
    review TEXT NOT NULL -- as bot/review/review.py writes it
) STRICT;
