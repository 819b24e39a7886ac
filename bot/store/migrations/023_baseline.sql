-- The whole schema, in one step. The step replaces earlier ones and has the number of the last of them, so databases
-- that have had all of these count as having had it. The columns are in the order in which those databases have them.

PRAGMA application_id = 0x526E6454; -- "RndT": a file with tables but without this number belongs to another program

-- Matches: the events of each, and rows derived from them that answer frequent queries.

CREATE TABLE matches (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: old buttons carry it
    -- derived from the events, up to `updated`:
    guild INTEGER NOT NULL,
    channel INTEGER NOT NULL,
    thread INTEGER,
    variant TEXT NOT NULL,
    phase TEXT NOT NULL,
    to_move INTEGER, -- the user to move
    ply INTEGER NOT NULL, seq INTEGER NOT NULL,
    newsworthy INTEGER NOT NULL DEFAULT 0, -- the last event to announce to the players
    moved_at INTEGER NOT NULL,
    deadline INTEGER, -- when the tick must look at the match
    updated INTEGER NOT NULL,
    -- what has been posted, not derived:
    announced INTEGER NOT NULL DEFAULT 0, -- the last event announced to the players
    table_channel INTEGER, table_message INTEGER,
    turn_channel INTEGER, turn_message INTEGER,
    flag INTEGER, -- derived: when the player to move runs out of time
    title TEXT, -- derived
    homeless INTEGER NOT NULL DEFAULT 0, -- derived: whether the bot cannot post in its thread or channel
    audited INTEGER NOT NULL DEFAULT 0, -- the last event reported to the audit channel
    milled INTEGER NOT NULL DEFAULT 0 -- whether the match has been searched for puzzles
) STRICT;
CREATE INDEX matches_by_deadline ON matches (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX matches_by_thread ON matches (thread) WHERE thread IS NOT NULL;
CREATE INDEX matches_unannounced ON matches (id) WHERE newsworthy > announced;
CREATE INDEX matches_on ON matches (phase) WHERE phase = 'live';
CREATE INDEX matches_by_channel ON matches (channel, phase, moved_at);
CREATE INDEX matches_by_guild ON matches (guild, phase, moved_at);
CREATE INDEX house_to_move ON matches (to_move) WHERE to_move BETWEEN 100 AND 999;
CREATE INDEX matches_unmilled ON matches (guild) WHERE phase = 'over' AND milled = 0;
CREATE INDEX matches_unfinished ON matches (guild) WHERE phase IN ('open', 'live');

CREATE TABLE events (
    match INTEGER NOT NULL REFERENCES matches (id),
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    user INTEGER,
    body TEXT NOT NULL,
    PRIMARY KEY (match, seq) -- rejects the second of two events that both claim to be next
) STRICT, WITHOUT ROWID;

CREATE TABLE players (
    match INTEGER NOT NULL REFERENCES matches (id),
    user INTEGER NOT NULL,
    seat INTEGER NOT NULL, -- before the start: the place in the order of joining
    resigned INTEGER NOT NULL,
    ended INTEGER NOT NULL DEFAULT 0, -- derived: whether the match is over or closed
    PRIMARY KEY (match, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX players_by_user ON players (user, ended, match);

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE follows (
    match INTEGER NOT NULL REFERENCES matches (id),
    user INTEGER NOT NULL,
    every_move INTEGER NOT NULL,
    PRIMARY KEY (match, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX follows_by_user ON follows (user);

CREATE TABLE absences ( -- spans in which nobody could be reached, so that no clock ran
    guild INTEGER NOT NULL, -- a server; 0: all servers; below 0: a shard (ShardShare.shard_key in bot/store/shards.py),
    -- or the ladders of a server (ladders_of in bot/store/absences.py)
    since INTEGER NOT NULL,
    until INTEGER, -- NULL while it lasts
    made_up INTEGER NOT NULL DEFAULT 0, -- the last match whose deadlines have been updated after it
    PRIMARY KEY (guild, since)
) STRICT, WITHOUT ROWID;
CREATE INDEX absences_that_last ON absences (guild) WHERE until IS NULL;

CREATE TABLE seekers ( -- people who want to be called when a table stays open
    guild INTEGER NOT NULL,
    user INTEGER NOT NULL,
    called INTEGER NOT NULL DEFAULT 0, -- when they were last called; 0 for never
    PRIMARY KEY (guild, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX seekers_by_user ON seekers (user);
CREATE INDEX seekers_by_turn ON seekers (guild, called);

CREATE TABLE tables_called ( -- tables to which seekers have been called
    match INTEGER PRIMARY KEY REFERENCES matches (id)
) STRICT;

-- What people and servers have set. A missing row means the defaults, which are in the program.

CREATE TABLE preferences (
    user INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (user, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE user_settings (
    user INTEGER PRIMARY KEY,
    zone TEXT NOT NULL,
    sleep_start INTEGER, -- minutes of the local day
    sleep_end INTEGER,
    free_weekends INTEGER NOT NULL,
    reminders TEXT NOT NULL,
    by_dm INTEGER NOT NULL,
    automove INTEGER NOT NULL,
    public INTEGER NOT NULL DEFAULT 1,
    language TEXT, -- their last one with the bot; NULL if they want no direct messages
    puzzles INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE vacations (
    user INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    PRIMARY KEY (user, start)
) STRICT, WITHOUT ROWID;

CREATE TABLE guild_settings (
    guild INTEGER PRIMARY KEY,
    pace TEXT NOT NULL,
    threads TEXT NOT NULL,
    channels TEXT NOT NULL, -- those in which games are allowed: "11,22"
    language TEXT,
    announcements INTEGER, audit INTEGER,
    house_rules TEXT NOT NULL,
    most_open INTEGER NOT NULL, most_live INTEGER NOT NULL,
    season_weeks INTEGER NOT NULL DEFAULT 10,
    membership_days INTEGER NOT NULL DEFAULT 0,
    ladder_channel INTEGER,
    forum INTEGER, -- the forum in which games have posts instead of threads
    most_house INTEGER NOT NULL DEFAULT 3, -- games with house players that one person may have
    plans INTEGER NOT NULL DEFAULT 1, -- whether players may plan
    puzzle_channel INTEGER, puzzle_hour INTEGER NOT NULL DEFAULT 9,
    zone TEXT NOT NULL DEFAULT 'UTC'
) STRICT;

CREATE TABLE members ( -- when people joined a server, as Discord last reported it
    guild INTEGER NOT NULL,
    user INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (guild, user)
) STRICT, WITHOUT ROWID;

-- Results, ratings and ladders. Only `ladder_entries`, `members` and columns marked "not derived" contain facts.
-- `python -m bot ratings --rebuild` computes everything else again from matches and entries.

CREATE TABLE results ( -- derived: a finished match
    match INTEGER PRIMARY KEY REFERENCES matches (id),
    guild INTEGER NOT NULL, variant TEXT NOT NULL,
    began_at INTEGER NOT NULL, ended_at INTEGER NOT NULL,
    cause TEXT NOT NULL,
    has_result INTEGER NOT NULL,
    ladder INTEGER NOT NULL,
    moves INTEGER NOT NULL,
    players TEXT NOT NULL, -- by seat: "11,22"
    winners TEXT NOT NULL, -- "11"
    leavers TEXT NOT NULL, -- user:seat:at:cause, separated by blanks
    substitutes TEXT NOT NULL,
    company TEXT NOT NULL, -- the players in the order of their ids
    casual INTEGER NOT NULL DEFAULT 0 -- whether it is rated for nobody
) STRICT;
CREATE INDEX results_in_order ON results (guild, variant, ended_at, match);
CREATE INDEX results_by_company ON results (guild, variant, company, ended_at);

CREATE TABLE shares ( -- derived: a person's part in a result
    match INTEGER NOT NULL REFERENCES results (match),
    user INTEGER NOT NULL,
    guild INTEGER NOT NULL, variant TEXT NOT NULL,
    ended_at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    late INTEGER NOT NULL, -- whether they ran out of time
    first_move TEXT, -- the first move of their seat; NULL if somebody else made it
    moves INTEGER NOT NULL, -- the moves that they made themselves
    thought INTEGER NOT NULL, -- the seconds that these moves took
    planned INTEGER NOT NULL DEFAULT 0, -- their planned moves, which took no time
    PRIMARY KEY (match, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX shares_by_user ON shares (guild, user, ended_at, match);

CREATE TABLE ratings ( -- derived
    guild INTEGER NOT NULL, variant TEXT NOT NULL,
    user INTEGER NOT NULL,
    mu REAL NOT NULL,
    sigma REAL NOT NULL,
    games INTEGER NOT NULL,
    played_at INTEGER NOT NULL,
    number INTEGER NOT NULL, -- the number that people see
    unsure_from INTEGER NOT NULL, -- when the number begins to be shown with a "?"
    PRIMARY KEY (guild, variant, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX ratings_by_number ON ratings (guild, variant, number DESC);
CREATE INDEX ratings_by_user ON ratings (user);

CREATE TABLE rating_changes ( -- derived: how a match changed a rating
    match INTEGER NOT NULL REFERENCES results (match),
    user INTEGER NOT NULL,
    mu_before REAL NOT NULL, sigma_before REAL NOT NULL,
    games_before INTEGER NOT NULL, played_before INTEGER NOT NULL,
    mu REAL NOT NULL, sigma REAL NOT NULL,
    games INTEGER NOT NULL, played_at INTEGER NOT NULL,
    PRIMARY KEY (match, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX rating_changes_by_user ON rating_changes (user, match);

CREATE TABLE ladder_entries (
    guild INTEGER NOT NULL, variant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    users TEXT NOT NULL,
    matches TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (guild, variant, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX ladder_ends ON ladder_entries (guild, variant, matches) WHERE kind = 10; -- the entry for a match's end

CREATE TABLE ladders (
    guild INTEGER NOT NULL, variant TEXT NOT NULL,
    -- derived from the entries, up to `wake`:
    seq INTEGER NOT NULL DEFAULT 0,
    newsworthy INTEGER NOT NULL DEFAULT 0, -- the last entry to announce
    season INTEGER, -- the number of the running season
    season_began INTEGER, season_until INTEGER,
    seasons INTEGER NOT NULL DEFAULT 0,
    digested_at INTEGER, -- when the last week with a digest ended
    wake INTEGER, -- when the tick must look at the ladder
    -- not derived:
    announced INTEGER NOT NULL DEFAULT 0, -- the last announced entry
    channel INTEGER NOT NULL, -- the channel in which somebody last used the ladder
    PRIMARY KEY (guild, variant)
) STRICT, WITHOUT ROWID;
CREATE INDEX ladders_by_wake ON ladders (wake) WHERE wake IS NOT NULL;
CREATE INDEX ladders_unannounced ON ladders (guild, variant) WHERE newsworthy > announced;

CREATE TABLE climbers ( -- derived
    guild INTEGER NOT NULL, variant TEXT NOT NULL,
    user INTEGER NOT NULL,
    joined_at INTEGER NOT NULL,
    step INTEGER NOT NULL,
    climbs INTEGER NOT NULL, -- 0 after they have left
    wins INTEGER NOT NULL, draws INTEGER NOT NULL, losses INTEGER NOT NULL,
    timeouts INTEGER NOT NULL,
    frozen_until INTEGER NOT NULL,
    refused TEXT NOT NULL,
    challenging INTEGER, challenger INTEGER,
    queued_at INTEGER,
    triad INTEGER NOT NULL,
    queue_game INTEGER,
    balance INTEGER NOT NULL,
    began_last INTEGER NOT NULL,
    moved_at INTEGER NOT NULL DEFAULT 0, -- when they last moved since joining, in any game of the server
    PRIMARY KEY (guild, variant, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX climbers_by_step ON climbers (guild, variant, step DESC, wins DESC);
CREATE INDEX climbers_by_user ON climbers (guild, user);
CREATE INDEX climbers_in_queue ON climbers (guild, variant, queued_at) WHERE queued_at IS NOT NULL;

CREATE TABLE ladder_challenges ( -- derived: challenges without an answer
    guild INTEGER NOT NULL, variant TEXT NOT NULL,
    challenger INTEGER NOT NULL, challenged INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (guild, variant, challenger)
) STRICT, WITHOUT ROWID;

CREATE TABLE ladder_games ( -- derived: the matches of running ladder games, a row for each match
    match INTEGER PRIMARY KEY REFERENCES matches (id),
    guild INTEGER NOT NULL, variant TEXT NOT NULL,
    users TEXT NOT NULL,
    matches TEXT NOT NULL,
    challenged INTEGER NOT NULL,
    scores TEXT NOT NULL -- a line for each finished match of the game: "7 won:11 lost:22"
) STRICT;
CREATE INDEX ladder_games_by_ladder ON ladder_games (guild, variant);

CREATE TABLE ladder_meetings ( -- derived
    guild INTEGER NOT NULL, variant TEXT NOT NULL,
    one INTEGER NOT NULL, -- the smaller id
    two INTEGER NOT NULL,
    played_at INTEGER NOT NULL,
    turned_down_at INTEGER NOT NULL, turned_down_by INTEGER NOT NULL,
    PRIMARY KEY (guild, variant, one, two)
) STRICT, WITHOUT ROWID;

CREATE TABLE ladder_steps ( -- derived: the rungs to which entries have moved people
    guild INTEGER NOT NULL, variant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    user INTEGER NOT NULL,
    step_before INTEGER, -- NULL if they were new
    step INTEGER NOT NULL,
    PRIMARY KEY (guild, variant, seq, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX ladder_steps_by_user ON ladder_steps (guild, variant, user, seq);

CREATE TABLE archive ( -- games that were not played with this program
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

-- What people plan, try and solve.

CREATE TABLE plans ( -- deleted when the match ends
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    match INTEGER NOT NULL REFERENCES matches (id),
    user INTEGER NOT NULL, -- the only person who ever sees it
    seat INTEGER NOT NULL,
    version INTEGER NOT NULL, -- the version of the board on which it was made
    line TEXT NOT NULL, -- "1:F10-F9 0:F8xF10!3 1:C12-C10*cps"
    done INTEGER NOT NULL, -- how many of its moves have been made
    away INTEGER NOT NULL, -- whether it is also played during a vacation
    stands INTEGER NOT NULL, -- 0 until it is confirmed
    fallen TEXT, -- why it has ended, such as "differed 1 F10-F9"; the row stays until the planner has moved again
    wakes INTEGER, -- the end of the vacation for which it waits
    edits INTEGER -- in an unconfirmed copy: the plan that it will replace, which stays valid until then
) STRICT;
CREATE INDEX plans_by_match ON plans (match);
CREATE INDEX plans_by_user ON plans (user, match);
CREATE INDEX plans_by_end_of_vacation ON plans (wakes) WHERE wakes IS NOT NULL;

CREATE TABLE trees ( -- the lines and notes of a person's analysis, which nobody else ever sees
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: buttons carry it
    user INTEGER NOT NULL,
    match INTEGER REFERENCES matches (id), -- NULL if the tree starts from a free position
    start TEXT NOT NULL DEFAULT '', -- the free position
    page TEXT NOT NULL DEFAULT '', -- the notes on the game
    made INTEGER NOT NULL DEFAULT 0, -- the number of nodes so far, including deleted ones
    touched INTEGER NOT NULL,
    draft TEXT NOT NULL DEFAULT '' -- a move in the making that is too long for a button
) STRICT;
CREATE UNIQUE INDEX trees_of_people ON trees (user, coalesce(match, 0), start);
CREATE INDEX trees_of_games ON trees (match);
CREATE INDEX trees_by_age ON trees (touched);

CREATE TABLE tree_nodes (
    tree INTEGER NOT NULL REFERENCES trees (id) ON DELETE CASCADE,
    node INTEGER NOT NULL,
    parent INTEGER, -- NULL for a root
    ply INTEGER, -- for a root: the number of moves of the game before it
    move TEXT NOT NULL, -- for a root: the position
    name TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (tree, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE puzzles_made ( -- from a server's own games
    guild INTEGER NOT NULL,
    id TEXT NOT NULL,
    match INTEGER NOT NULL REFERENCES matches (id),
    puzzle TEXT NOT NULL, -- as engine/puzzles.py writes it
    PRIMARY KEY (guild, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX puzzles_made_by_match ON puzzles_made (match);

CREATE TABLE daily_puzzles (
    guild INTEGER NOT NULL,
    day INTEGER NOT NULL, -- in the server's own calendar; 1 is 1 January of the year 1
    id TEXT NOT NULL,
    puzzle TEXT NOT NULL, -- stored, because later versions may not ship it
    told INTEGER NOT NULL DEFAULT 0, -- 1: the puzzle is posted, 2: its solution is posted, too
    match INTEGER, -- the game it comes from; while that is reopened, the puzzle is withheld. NULL: from the collection
    PRIMARY KEY (guild, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX daily_puzzles_untold ON daily_puzzles (guild) WHERE told < 2;

CREATE TABLE puzzle_results (
    user INTEGER NOT NULL,
    guild INTEGER NOT NULL, -- 0: in direct messages
    day INTEGER NOT NULL, -- 0: not a daily puzzle
    id TEXT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, -- including the right one
    hinted INTEGER NOT NULL DEFAULT 0, solved INTEGER NOT NULL DEFAULT 0,
    shown INTEGER NOT NULL DEFAULT 0, -- whether they looked at the solution instead
    at INTEGER NOT NULL, -- when they last tried, took a hint or looked
    PRIMARY KEY (user, guild, day, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX puzzle_results_by_day ON puzzle_results (guild, day) WHERE day > 0;

CREATE TABLE reviews (
    match INTEGER PRIMARY KEY REFERENCES matches (id),
    board INTEGER NOT NULL, -- the version of the board that was reviewed
    review TEXT NOT NULL -- as bot/review/review.py writes it
) STRICT;
