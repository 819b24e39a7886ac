-- Openings: how often each move was played in each position, and how it scored.

CREATE TABLE opening_games ( -- derived: the moves played in positions of finished games, each once per game
    match INTEGER NOT NULL, -- below 0: the negative number of a game in the archive
    position INTEGER NOT NULL, -- as bot/openings/index.py numbers it
    move TEXT NOT NULL, -- as bot/openings/index.py writes it
    guild INTEGER NOT NULL, -- 0: an archived game for all servers
    kind TEXT NOT NULL, -- "people standard ladder"
    at INTEGER NOT NULL, -- when the game ended; 0 for archived games
    first INTEGER NOT NULL, -- the points of the player to move, in sixths
    second INTEGER NOT NULL, -- the points of the next player in turn order
    third INTEGER NOT NULL,
    PRIMARY KEY (match, position, move)
) STRICT, WITHOUT ROWID;
CREATE INDEX opening_games_by_position ON opening_games (guild, position, kind, at);

CREATE TABLE opening_moves ( -- derived: the sums of opening_games
    guild INTEGER NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    move TEXT NOT NULL,
    games INTEGER NOT NULL,
    first INTEGER NOT NULL,
    second INTEGER NOT NULL,
    third INTEGER NOT NULL,
    last INTEGER NOT NULL, -- the latest `at`
    PRIMARY KEY (guild, position, kind, move)
) STRICT, WITHOUT ROWID;

CREATE TABLE opening_due ( -- games whose moves have to be counted, or may no longer be counted
    match INTEGER PRIMARY KEY
) STRICT;

ALTER TABLE guild_settings ADD COLUMN openings INTEGER NOT NULL DEFAULT 1; -- whether members may look at openings
