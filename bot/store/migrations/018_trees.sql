-- Lines that people try alone, and their notes. Nobody else ever sees them.

CREATE TABLE trees (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: buttons carry it
    user INTEGER NOT NULL,
    match INTEGER REFERENCES matches (id), -- NULL: of a position
    start TEXT NOT NULL DEFAULT '', -- that position
    page TEXT NOT NULL DEFAULT '', -- the notes on the game
    made INTEGER NOT NULL DEFAULT 0, -- nodes so far, those that are gone included
    touched INTEGER NOT NULL,
    draft TEXT NOT NULL DEFAULT '' -- a move in the making that is too long for a button
) STRICT;

CREATE UNIQUE INDEX trees_of_people ON trees (user, coalesce(match, 0), start);
CREATE INDEX trees_of_games ON trees (match);
CREATE INDEX trees_by_age ON trees (touched);

CREATE TABLE tree_nodes (
    tree INTEGER NOT NULL REFERENCES trees (id) ON DELETE CASCADE,
    node INTEGER NOT NULL,
    parent INTEGER, -- NULL of a root
    ply INTEGER, -- of a root: after how many moves of the game
    move TEXT NOT NULL, -- of a root: the position
    name TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (tree, node)
) STRICT, WITHOUT ROWID;
