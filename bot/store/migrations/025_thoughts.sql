-- Thoughts: what people write about moves during a game. Nobody else can read them until it is over.

CREATE TABLE thoughts (
    match INTEGER NOT NULL REFERENCES matches (id),
    user INTEGER NOT NULL,
    board INTEGER NOT NULL, -- the version of the board on which the move was or will be made
    words TEXT NOT NULL,
    PRIMARY KEY (match, user, board)
) STRICT, WITHOUT ROWID;
CREATE INDEX thoughts_by_user ON thoughts (user);

CREATE TABLE planned_thoughts ( -- thoughts about planned moves; at the end of the game, those about moves that were
    -- played become thoughts
    match INTEGER NOT NULL REFERENCES matches (id),
    user INTEGER NOT NULL,
    board INTEGER NOT NULL, -- as in thoughts
    move TEXT NOT NULL, -- in notation
    words TEXT NOT NULL,
    PRIMARY KEY (match, user, board, move)
) STRICT, WITHOUT ROWID;
CREATE INDEX planned_thoughts_by_user ON planned_thoughts (user);

CREATE TABLE thought_lines ( -- lines from Explore, as they were when their owner shared them
    match INTEGER NOT NULL REFERENCES matches (id),
    user INTEGER NOT NULL,
    number INTEGER NOT NULL,
    ply INTEGER NOT NULL, -- the number of moves of the game before the line
    words TEXT NOT NULL,
    PRIMARY KEY (match, user, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX thought_lines_by_user ON thought_lines (user);

CREATE TABLE thought_choices ( -- without a row, the person has not decided, and shares nothing
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
