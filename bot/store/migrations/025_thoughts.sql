-- Thoughts: what people write about moves while a game is going on, sealed until it is over.

CREATE TABLE thoughts (
    match INTEGER NOT NULL REFERENCES matches (id),
    user INTEGER NOT NULL,
    board INTEGER NOT NULL, -- the version of the board on which the move was or will be made
    words TEXT NOT NULL,
    PRIMARY KEY (match, user, board)
) STRICT, WITHOUT ROWID;
CREATE INDEX thoughts_by_user ON thoughts (user);

CREATE TABLE thought_lines ( -- lines of Explore as they were when their owner shared them
    match INTEGER NOT NULL REFERENCES matches (id),
    user INTEGER NOT NULL,
    number INTEGER NOT NULL,
    ply INTEGER NOT NULL, -- the number of moves of the game before the line
    words TEXT NOT NULL,
    PRIMARY KEY (match, user, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX thought_lines_by_user ON thought_lines (user);

CREATE TABLE thought_choices ( -- a missing row: not decided, which shares nothing
    match INTEGER NOT NULL REFERENCES matches (id),
    user INTEGER NOT NULL,
    shared INTEGER NOT NULL,
    PRIMARY KEY (match, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX thought_choices_by_user ON thought_choices (user);

CREATE TABLE annotated_posts ( -- the message with the annotated game
    match INTEGER PRIMARY KEY REFERENCES matches (id),
    channel INTEGER NOT NULL,
    message INTEGER NOT NULL, -- 0 if it could not be posted
    outdated INTEGER NOT NULL DEFAULT 0 -- whether it may show words that are no longer shared
) STRICT;
