-- Results, ratings and ladders. Only the entries, the members and what is said not to be derived are the truth; all else
-- comes out of the matches and the entries again: `python -m bot ratings --rebuild`.

CREATE TABLE results ( -- derived: a match that is over
    match INTEGER PRIMARY KEY REFERENCES matches (id),
    guild INTEGER NOT NULL,
    variant TEXT NOT NULL,
    began_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    cause TEXT NOT NULL,
    has_result INTEGER NOT NULL,
    ladder INTEGER NOT NULL,
    moves INTEGER NOT NULL,
    players TEXT NOT NULL, -- per seat: "11,22"
    winners TEXT NOT NULL, -- "11"
    leavers TEXT NOT NULL, -- user:seat:at:cause, apart by blanks
    substitutes TEXT NOT NULL,
    company TEXT NOT NULL -- the players in the order of their ids
) STRICT;

CREATE INDEX results_in_order ON results (guild, variant, ended_at, match);
CREATE INDEX results_by_company ON results (guild, variant, company, ended_at);

CREATE TABLE shares ( -- derived: somebody whom a result concerns
    match INTEGER NOT NULL REFERENCES results (match),
    user INTEGER NOT NULL,
    guild INTEGER NOT NULL,
    variant TEXT NOT NULL,
    ended_at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    late INTEGER NOT NULL, -- ran out of time
    first_move TEXT, -- of his seat, if he made it
    moves INTEGER NOT NULL, -- made by himself
    thought INTEGER NOT NULL, -- seconds that these took
    PRIMARY KEY (match, user)
) STRICT, WITHOUT ROWID;

CREATE INDEX shares_by_user ON shares (guild, user, ended_at, match);

CREATE TABLE ratings ( -- derived
    guild INTEGER NOT NULL,
    variant TEXT NOT NULL,
    user INTEGER NOT NULL,
    mu REAL NOT NULL,
    sigma REAL NOT NULL,
    games INTEGER NOT NULL,
    played_at INTEGER NOT NULL,
    number INTEGER NOT NULL, -- the one that people see
    unsure_from INTEGER NOT NULL, -- from then on it is shown with a "?"
    PRIMARY KEY (guild, variant, user)
) STRICT, WITHOUT ROWID;

CREATE INDEX ratings_by_number ON ratings (guild, variant, number DESC);
CREATE INDEX ratings_by_user ON ratings (user);

CREATE TABLE rating_changes ( -- derived: what a match made of a rating
    match INTEGER NOT NULL REFERENCES results (match),
    user INTEGER NOT NULL,
    mu_before REAL NOT NULL,
    sigma_before REAL NOT NULL,
    games_before INTEGER NOT NULL,
    played_before INTEGER NOT NULL,
    mu REAL NOT NULL,
    sigma REAL NOT NULL,
    games INTEGER NOT NULL,
    played_at INTEGER NOT NULL,
    PRIMARY KEY (match, user)
) STRICT, WITHOUT ROWID;

CREATE INDEX rating_changes_by_user ON rating_changes (user, match);

CREATE TABLE ladder_entries (
    guild INTEGER NOT NULL,
    variant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    users TEXT NOT NULL,
    matches TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (guild, variant, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE ladders (
    guild INTEGER NOT NULL,
    variant TEXT NOT NULL,
    -- derived from the entries …
    seq INTEGER NOT NULL DEFAULT 0,
    newsworthy INTEGER NOT NULL DEFAULT 0, -- the last entry that people are to be told of
    season INTEGER, -- the number of the one that is on
    season_began INTEGER,
    season_until INTEGER,
    seasons INTEGER NOT NULL DEFAULT 0,
    digested_at INTEGER, -- when the last week that was told of ended
    wake INTEGER, -- when something is due by itself
    -- … and these are not
    announced INTEGER NOT NULL DEFAULT 0, -- the last entry that people have been told of
    channel INTEGER NOT NULL, -- where somebody last asked the ladder for something
    PRIMARY KEY (guild, variant)
) STRICT, WITHOUT ROWID;

CREATE INDEX ladders_by_wake ON ladders (wake) WHERE wake IS NOT NULL;
CREATE INDEX ladders_unannounced ON ladders (guild, variant) WHERE newsworthy > announced;

CREATE TABLE climbers ( -- derived
    guild INTEGER NOT NULL,
    variant TEXT NOT NULL,
    user INTEGER NOT NULL,
    joined_at INTEGER NOT NULL,
    step INTEGER NOT NULL,
    climbs INTEGER NOT NULL, -- 0 once he has left
    wins INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    timeouts INTEGER NOT NULL,
    frozen_until INTEGER NOT NULL,
    refused TEXT NOT NULL,
    challenging INTEGER,
    challenger INTEGER,
    queued_at INTEGER,
    triad INTEGER NOT NULL,
    queue_game INTEGER,
    balance INTEGER NOT NULL,
    began_last INTEGER NOT NULL,
    moved_at INTEGER NOT NULL DEFAULT 0, -- the last move since he joined, in any game of the server
    PRIMARY KEY (guild, variant, user)
) STRICT, WITHOUT ROWID;

CREATE INDEX climbers_by_step ON climbers (guild, variant, step DESC, wins DESC);
CREATE INDEX climbers_by_user ON climbers (guild, user);
CREATE INDEX climbers_in_queue ON climbers (guild, variant, queued_at) WHERE queued_at IS NOT NULL;

CREATE TABLE ladder_challenges ( -- derived: those that wait for an answer
    guild INTEGER NOT NULL,
    variant TEXT NOT NULL,
    challenger INTEGER NOT NULL,
    challenged INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (guild, variant, challenger)
) STRICT, WITHOUT ROWID;

CREATE TABLE ladder_games ( -- derived: each match of the games that are on
    match INTEGER PRIMARY KEY REFERENCES matches (id),
    guild INTEGER NOT NULL,
    variant TEXT NOT NULL,
    users TEXT NOT NULL,
    matches TEXT NOT NULL,
    challenged INTEGER NOT NULL,
    scores TEXT NOT NULL -- of those of its matches that are over, a line each: "7 won:11 lost:22"
) STRICT;

CREATE INDEX ladder_games_by_ladder ON ladder_games (guild, variant);

CREATE TABLE ladder_meetings ( -- derived
    guild INTEGER NOT NULL,
    variant TEXT NOT NULL,
    one INTEGER NOT NULL, -- the smaller id
    two INTEGER NOT NULL,
    played_at INTEGER NOT NULL,
    turned_down_at INTEGER NOT NULL,
    turned_down_by INTEGER NOT NULL,
    PRIMARY KEY (guild, variant, one, two)
) STRICT, WITHOUT ROWID;

CREATE TABLE ladder_steps ( -- derived: where an entry has brought those whom it concerns
    guild INTEGER NOT NULL,
    variant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    user INTEGER NOT NULL,
    step_before INTEGER, -- NULL where he was new
    step INTEGER NOT NULL,
    PRIMARY KEY (guild, variant, seq, user)
) STRICT, WITHOUT ROWID;

CREATE INDEX ladder_steps_by_user ON ladder_steps (guild, variant, user, seq);

CREATE TABLE members ( -- since when somebody has been in a server, as Discord last said
    guild INTEGER NOT NULL,
    user INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (guild, user)
) STRICT, WITHOUT ROWID;

CREATE TABLE archive ( -- games played elsewhere
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    guild INTEGER, -- NULL: for every server
    variant TEXT NOT NULL,
    players TEXT NOT NULL,
    result TEXT NOT NULL,
    moves INTEGER NOT NULL,
    record TEXT NOT NULL,
    imported_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX archive_by_record ON archive (coalesce(guild, 0), record);

ALTER TABLE user_settings ADD COLUMN public INTEGER NOT NULL DEFAULT 1;
ALTER TABLE guild_settings ADD COLUMN season_weeks INTEGER NOT NULL DEFAULT 10;
ALTER TABLE guild_settings ADD COLUMN membership_days INTEGER NOT NULL DEFAULT 0;
ALTER TABLE guild_settings ADD COLUMN ladder_channel INTEGER;
