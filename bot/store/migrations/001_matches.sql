-- The story of every match, and rows derived from it that answer the questions asked most.

PRAGMA application_id = 0x526E6454; -- "RndT": a file with tables but without this number is somebody else's

CREATE TABLE matches (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: old buttons carry it
    -- what follows is derived from the events …
    guild INTEGER NOT NULL,
    channel INTEGER NOT NULL,
    thread INTEGER,
    variant TEXT NOT NULL,
    phase TEXT NOT NULL,
    to_move INTEGER, -- the user
    ply INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    newsworthy INTEGER NOT NULL DEFAULT 0, -- the last event of which the players are to be told
    moved_at INTEGER NOT NULL,
    deadline INTEGER, -- when something is due by itself
    updated INTEGER NOT NULL,
    -- … and this is not: what has been posted
    announced INTEGER NOT NULL DEFAULT 0, -- the last event of which they have been told
    table_channel INTEGER,
    table_message INTEGER,
    turn_channel INTEGER,
    turn_message INTEGER
) STRICT;

CREATE INDEX matches_by_deadline ON matches (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX matches_by_thread ON matches (thread) WHERE thread IS NOT NULL;
CREATE INDEX matches_by_channel ON matches (channel, phase);
CREATE INDEX matches_unannounced ON matches (id) WHERE newsworthy > announced;

CREATE TABLE events (
    match INTEGER NOT NULL REFERENCES matches (id),
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    user INTEGER,
    body TEXT NOT NULL,
    PRIMARY KEY (match, seq) -- guards against two events that both think they are next
) STRICT, WITHOUT ROWID;

CREATE TABLE players (
    match INTEGER NOT NULL REFERENCES matches (id),
    user INTEGER NOT NULL,
    seat INTEGER NOT NULL, -- until the start, the place in the order of joining
    resigned INTEGER NOT NULL,
    PRIMARY KEY (match, user)
) STRICT, WITHOUT ROWID;

CREATE INDEX players_by_user ON players (user, match);

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
