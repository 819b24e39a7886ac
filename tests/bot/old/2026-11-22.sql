PRAGMA application_id = 1382966356;
PRAGMA user_version = 11;
BEGIN TRANSACTION;
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
INSERT INTO "climbers" VALUES(900,'camelot',1001,1700000000,1,1,1,0,0,0,0,'',NULL,NULL,NULL,0,NULL,0,0,1700216000);
INSERT INTO "climbers" VALUES(900,'camelot',1002,1700000000,0,1,0,0,1,0,0,'',NULL,1003,NULL,0,NULL,0,0,1700216000);
INSERT INTO "climbers" VALUES(900,'camelot',1003,1700000000,0,1,0,0,0,0,0,'',1002,NULL,NULL,0,NULL,0,0,1700216000);
INSERT INTO "climbers" VALUES(900,'camelot',1004,1700000000,0,1,0,0,0,0,0,'',NULL,NULL,NULL,0,NULL,0,0,1700216000);
INSERT INTO "climbers" VALUES(900,'tri-camelot',1001,1700000000,0,1,0,0,0,0,0,'',NULL,NULL,NULL,0,8,0,0,1700216000);
INSERT INTO "climbers" VALUES(900,'tri-camelot',1002,1700000000,0,1,0,0,0,0,0,'',NULL,NULL,NULL,0,8,0,0,1700216000);
INSERT INTO "climbers" VALUES(900,'tri-camelot',1003,1700000000,0,1,0,0,0,0,0,'',NULL,NULL,NULL,0,8,0,0,1700216000);
CREATE TABLE events (
    match INTEGER NOT NULL REFERENCES matches (id),
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    user INTEGER,
    body TEXT NOT NULL,
    PRIMARY KEY (match, seq) -- guards against two events that both think they are next
) STRICT, WITHOUT ROWID;
INSERT INTO "events" VALUES(1,1,1700000000,1,1001,'chivalry guild:900 channel:910 seats:random thread:1 invited:1002 pace:standard ladder:0');
INSERT INTO "events" VALUES(2,1,1700000000,1,1001,'camelot guild:900 channel:910 seats:join-order thread:1 invited: pace:standard ladder:0');
INSERT INTO "events" VALUES(2,2,1700000000,2,1002,'');
INSERT INTO "events" VALUES(2,3,1700000000,7,NULL,'1001,1002');
INSERT INTO "events" VALUES(2,4,1700003600,9,NULL,'C6-B5 used:0');
INSERT INTO "events" VALUES(2,5,1700003600,9,NULL,'D10-C9');
INSERT INTO "events" VALUES(2,6,1700003600,9,NULL,'B5-A4');
INSERT INTO "events" VALUES(2,7,1700003600,9,NULL,'C9-B8');
INSERT INTO "events" VALUES(2,8,1700003600,9,NULL,'A4-A5');
INSERT INTO "events" VALUES(2,9,1700003600,9,NULL,'B8-A7');
INSERT INTO "events" VALUES(3,1,1700000000,1,1001,'tri-camelot guild:900 channel:910 seats:join-order thread:1 invited: pace:standard ladder:0');
INSERT INTO "events" VALUES(3,2,1700000000,2,1002,'');
INSERT INTO "events" VALUES(3,3,1700000000,2,1003,'');
INSERT INTO "events" VALUES(3,4,1700000000,7,NULL,'1001,1002,1003');
INSERT INTO "events" VALUES(3,5,1700003600,9,NULL,'E4-F3 used:0');
INSERT INTO "events" VALUES(3,6,1700003600,9,NULL,'B11-C10');
INSERT INTO "events" VALUES(3,7,1700003600,9,NULL,'J11-K12');
INSERT INTO "events" VALUES(3,8,1700003600,9,NULL,'F3-G2');
INSERT INTO "events" VALUES(3,9,1700003600,9,NULL,'C10-D11');
INSERT INTO "events" VALUES(3,10,1700003600,9,NULL,'I12-J11');
INSERT INTO "events" VALUES(3,11,1700003600,9,NULL,'G2-H3');
INSERT INTO "events" VALUES(3,12,1700252000,21,1002,'seat:1 cause:resignation until:1700424800 used:248400');
INSERT INTO "events" VALUES(4,1,1700000000,1,1001,'tri-camelot guild:900 channel:910 seats:join-order thread:1 invited: pace:standard ladder:0');
INSERT INTO "events" VALUES(4,2,1700000000,2,1002,'');
INSERT INTO "events" VALUES(4,3,1700000000,2,1003,'');
INSERT INTO "events" VALUES(4,4,1700000000,7,NULL,'1001,1002,1003');
INSERT INTO "events" VALUES(4,5,1700003600,9,NULL,'E4-F3 used:0');
INSERT INTO "events" VALUES(4,6,1700003600,9,NULL,'B11-C10');
INSERT INTO "events" VALUES(4,7,1700003600,9,NULL,'J11-K12');
INSERT INTO "events" VALUES(4,8,1700007200,21,1003,'seat:2 cause:resignation until:1700180000 used:0');
INSERT INTO "events" VALUES(4,9,1700183600,23,NULL,'until:1700442800');
INSERT INTO "events" VALUES(4,10,1700187200,24,1001,'play-on');
INSERT INTO "events" VALUES(4,11,1700187200,24,1002,'play-on');
INSERT INTO "events" VALUES(4,12,1700187200,25,NULL,'seat:2');
INSERT INTO "events" VALUES(5,1,1700000000,1,1002,'cam-3d guild:900 channel:910 seats:join-order thread:1 invited: pace:standard ladder:0');
INSERT INTO "events" VALUES(5,2,1700000000,2,1003,'');
INSERT INTO "events" VALUES(5,3,1700000000,7,NULL,'1002,1003');
INSERT INTO "events" VALUES(5,4,1700190800,9,NULL,'1B2-1A3');
INSERT INTO "events" VALUES(5,5,1700190800,9,NULL,'2B6-1A5');
INSERT INTO "events" VALUES(5,6,1700190800,9,NULL,'1C2-1B2');
INSERT INTO "events" VALUES(5,7,1700190800,9,NULL,'1A5-1A4');
INSERT INTO "events" VALUES(5,8,1700190800,29,1002,'');
INSERT INTO "events" VALUES(6,1,1700216000,1,1001,'camelot guild:900 channel:910 seats:join-order thread:1 invited:1002 pace:standard ladder:1');
INSERT INTO "events" VALUES(6,2,1700216000,2,1002,'');
INSERT INTO "events" VALUES(6,3,1700216000,7,NULL,'1001,1002');
INSERT INTO "events" VALUES(6,4,1700216000,9,NULL,'C6-B5');
INSERT INTO "events" VALUES(6,5,1700216000,9,NULL,'D10-C9');
INSERT INTO "events" VALUES(6,6,1700216000,9,NULL,'B5-A4');
INSERT INTO "events" VALUES(6,7,1700216000,9,NULL,'C9-B8');
INSERT INTO "events" VALUES(6,8,1700216000,9,NULL,'A4-A5');
INSERT INTO "events" VALUES(6,9,1700216000,9,NULL,'B8-A7');
INSERT INTO "events" VALUES(6,10,1700216000,9,NULL,'A5-A4');
INSERT INTO "events" VALUES(6,11,1700216000,9,NULL,'A7-A6');
INSERT INTO "events" VALUES(6,12,1700216000,9,NULL,'A4-A5');
INSERT INTO "events" VALUES(6,13,1700216000,9,NULL,'A6xA4');
INSERT INTO "events" VALUES(6,14,1700216000,9,NULL,'D6-C5');
INSERT INTO "events" VALUES(6,15,1700216000,9,NULL,'A4-A5');
INSERT INTO "events" VALUES(6,16,1700216000,10,1002,'');
INSERT INTO "events" VALUES(6,17,1700216000,11,NULL,'resignation:0');
INSERT INTO "events" VALUES(7,1,1700216000,1,1003,'camelot guild:900 channel:910 seats:join-order thread:1 invited:1004 pace:standard ladder:1');
INSERT INTO "events" VALUES(7,2,1700216000,2,1004,'');
INSERT INTO "events" VALUES(7,3,1700216000,7,NULL,'1003,1004');
INSERT INTO "events" VALUES(7,4,1700216000,9,NULL,'C6-B5');
INSERT INTO "events" VALUES(7,5,1700216000,9,NULL,'D10-C9');
INSERT INTO "events" VALUES(7,6,1700216000,9,NULL,'B5-A4');
INSERT INTO "events" VALUES(7,7,1700216000,9,NULL,'C9-B8');
INSERT INTO "events" VALUES(7,8,1700216000,9,NULL,'A4-A5');
INSERT INTO "events" VALUES(7,9,1700216000,9,NULL,'B8-A7');
INSERT INTO "events" VALUES(7,10,1700216000,9,NULL,'A5-A4');
INSERT INTO "events" VALUES(7,11,1700216000,9,NULL,'A7-A6');
INSERT INTO "events" VALUES(7,12,1700216000,9,NULL,'A4-A5');
INSERT INTO "events" VALUES(7,13,1700216000,9,NULL,'A6xA4');
INSERT INTO "events" VALUES(7,14,1700216000,9,NULL,'D6-C5');
INSERT INTO "events" VALUES(7,15,1700216000,9,NULL,'A4-A5');
INSERT INTO "events" VALUES(7,16,1700216000,10,1003,'');
INSERT INTO "events" VALUES(7,17,1700216000,11,NULL,'resignation:1');
INSERT INTO "events" VALUES(7,18,1700219600,41,1,'
by mistake');
INSERT INTO "events" VALUES(8,1,1700259200,1,1001,'tri-camelot guild:900 channel:910 seats:join-order thread:1 invited:1002,1003 pace:standard ladder:1');
INSERT INTO "events" VALUES(8,2,1700259200,2,1002,'');
INSERT INTO "events" VALUES(8,3,1700259200,2,1003,'');
INSERT INTO "events" VALUES(8,4,1700259200,7,NULL,'1001,1002,1003');
CREATE TABLE follows (
    match INTEGER NOT NULL REFERENCES matches (id),
    user INTEGER NOT NULL,
    every_move INTEGER NOT NULL,
    PRIMARY KEY (match, user)
) STRICT, WITHOUT ROWID;
INSERT INTO "follows" VALUES(2,1003,1);
CREATE TABLE guild_settings (
    guild INTEGER PRIMARY KEY,
    pace TEXT NOT NULL,
    threads TEXT NOT NULL,
    channels TEXT NOT NULL, -- "11,22"
    language TEXT,
    announcements INTEGER,
    audit INTEGER,
    house_rules TEXT NOT NULL,
    most_open INTEGER NOT NULL,
    most_live INTEGER NOT NULL
, season_weeks INTEGER NOT NULL DEFAULT 10, membership_days INTEGER NOT NULL DEFAULT 0, ladder_channel INTEGER) STRICT;
INSERT INTO "guild_settings" VALUES(900,'standard','yes','','no',NULL,77,'Be kind.',5,30,10,0,NULL);
CREATE TABLE ladder_challenges ( -- derived: those that wait for an answer
    guild INTEGER NOT NULL,
    variant TEXT NOT NULL,
    challenger INTEGER NOT NULL,
    challenged INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (guild, variant, challenger)
) STRICT, WITHOUT ROWID;
INSERT INTO "ladder_challenges" VALUES(900,'camelot',1003,1002,1700259200);
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
INSERT INTO "ladder_entries" VALUES(900,'camelot',1,1700000000,1,'1001','','');
INSERT INTO "ladder_entries" VALUES(900,'camelot',2,1700000000,1,'1002','','');
INSERT INTO "ladder_entries" VALUES(900,'camelot',3,1700000000,1,'1003','','');
INSERT INTO "ladder_entries" VALUES(900,'camelot',4,1700000000,1,'1004','','');
INSERT INTO "ladder_entries" VALUES(900,'camelot',5,1700216000,3,'1001,1002','','');
INSERT INTO "ladder_entries" VALUES(900,'camelot',6,1700216000,4,'1001,1002','6','');
INSERT INTO "ladder_entries" VALUES(900,'camelot',7,1700216000,10,'','6','won:1001 lost:1002');
INSERT INTO "ladder_entries" VALUES(900,'camelot',8,1700216000,3,'1003,1004','','');
INSERT INTO "ladder_entries" VALUES(900,'camelot',9,1700216000,4,'1003,1004','7','');
INSERT INTO "ladder_entries" VALUES(900,'camelot',10,1700216000,10,'','7','won:1004 lost:1003');
INSERT INTO "ladder_entries" VALUES(900,'camelot',11,1700219600,11,'1003,1004','7','');
INSERT INTO "ladder_entries" VALUES(900,'camelot',12,1700259200,3,'1003,1002','','');
INSERT INTO "ladder_entries" VALUES(900,'tri-camelot',1,1700000000,1,'1001','','');
INSERT INTO "ladder_entries" VALUES(900,'tri-camelot',2,1700000000,1,'1002','','');
INSERT INTO "ladder_entries" VALUES(900,'tri-camelot',3,1700000000,1,'1003','','');
INSERT INTO "ladder_entries" VALUES(900,'tri-camelot',4,1700259200,7,'1001','','');
INSERT INTO "ladder_entries" VALUES(900,'tri-camelot',5,1700259200,7,'1002','','');
INSERT INTO "ladder_entries" VALUES(900,'tri-camelot',6,1700259200,7,'1003','','');
INSERT INTO "ladder_entries" VALUES(900,'tri-camelot',7,1700259200,9,'1001,1002,1003','8','');
CREATE TABLE ladder_games ( -- derived: each match of the games that are on
    match INTEGER PRIMARY KEY REFERENCES matches (id),
    guild INTEGER NOT NULL,
    variant TEXT NOT NULL,
    users TEXT NOT NULL,
    matches TEXT NOT NULL,
    challenged INTEGER NOT NULL,
    scores TEXT NOT NULL -- of those of its matches that are over, a line each: "7 won:11 lost:22"
) STRICT;
INSERT INTO "ladder_games" VALUES(8,900,'tri-camelot','1001,1002,1003','8',0,'');
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
INSERT INTO "ladder_meetings" VALUES(900,'camelot',1001,1002,1700216000,0,0);
INSERT INTO "ladder_meetings" VALUES(900,'camelot',1003,1004,1700216000,0,0);
CREATE TABLE ladder_steps ( -- derived: where an entry has brought those whom it concerns
    guild INTEGER NOT NULL,
    variant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    user INTEGER NOT NULL,
    step_before INTEGER, -- NULL where he was new
    step INTEGER NOT NULL,
    PRIMARY KEY (guild, variant, seq, user)
) STRICT, WITHOUT ROWID;
INSERT INTO "ladder_steps" VALUES(900,'camelot',1,1001,NULL,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',2,1002,NULL,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',3,1003,NULL,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',4,1004,NULL,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',5,1001,0,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',5,1002,0,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',6,1001,0,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',6,1002,0,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',7,1001,0,1);
INSERT INTO "ladder_steps" VALUES(900,'camelot',7,1002,0,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',8,1003,0,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',8,1004,0,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',9,1003,0,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',9,1004,0,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',10,1003,0,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',10,1004,0,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',11,1003,0,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',11,1004,0,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',12,1002,0,0);
INSERT INTO "ladder_steps" VALUES(900,'camelot',12,1003,0,0);
INSERT INTO "ladder_steps" VALUES(900,'tri-camelot',1,1001,NULL,0);
INSERT INTO "ladder_steps" VALUES(900,'tri-camelot',2,1002,NULL,0);
INSERT INTO "ladder_steps" VALUES(900,'tri-camelot',3,1003,NULL,0);
INSERT INTO "ladder_steps" VALUES(900,'tri-camelot',4,1001,0,0);
INSERT INTO "ladder_steps" VALUES(900,'tri-camelot',5,1002,0,0);
INSERT INTO "ladder_steps" VALUES(900,'tri-camelot',6,1003,0,0);
INSERT INTO "ladder_steps" VALUES(900,'tri-camelot',7,1001,0,0);
INSERT INTO "ladder_steps" VALUES(900,'tri-camelot',7,1002,0,0);
INSERT INTO "ladder_steps" VALUES(900,'tri-camelot',7,1003,0,0);
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
INSERT INTO "ladders" VALUES(900,'camelot',12,12,NULL,NULL,NULL,0,NULL,1700259200,0,910);
INSERT INTO "ladders" VALUES(900,'tri-camelot',7,7,NULL,NULL,NULL,0,NULL,1700259200,0,910);
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
, flag INTEGER, title TEXT, homeless INTEGER NOT NULL DEFAULT 0, audited INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "matches" VALUES(1,900,910,NULL,'chivalry','open',NULL,0,1,0,1700000000,1700604800,1700000000,0,NULL,NULL,NULL,NULL,NULL,NULL,0,0);
INSERT INTO "matches" VALUES(2,900,910,NULL,'camelot','live',1001,6,9,9,1700003600,1700499600,1700003600,9,910,501,910,609,1700830800,NULL,0,0);
INSERT INTO "matches" VALUES(3,900,910,NULL,'tri-camelot','live',NULL,7,12,12,1700003600,1700424800,1700252000,0,NULL,NULL,NULL,NULL,NULL,NULL,0,0);
INSERT INTO "matches" VALUES(4,900,910,NULL,'tri-camelot','live',1001,3,12,12,1700187200,1700600400,1700187200,0,NULL,NULL,NULL,NULL,1700859600,NULL,0,0);
INSERT INTO "matches" VALUES(5,900,910,NULL,'cam-3d','live',1002,4,8,8,1700190800,1700311400,1700190800,0,NULL,NULL,NULL,NULL,1700432000,NULL,0,0);
INSERT INTO "matches" VALUES(6,900,910,NULL,'camelot','over',NULL,12,17,17,1700216000,NULL,1700216000,0,NULL,NULL,NULL,NULL,NULL,NULL,0,0);
INSERT INTO "matches" VALUES(7,900,910,NULL,'camelot','over',NULL,12,18,18,1700216000,NULL,1700219600,0,NULL,NULL,NULL,NULL,NULL,NULL,0,0);
INSERT INTO "matches" VALUES(8,900,910,NULL,'tri-camelot','live',1001,0,4,4,1700259200,1700643600,1700259200,0,NULL,NULL,NULL,NULL,1700830800,NULL,0,0);
CREATE TABLE members ( -- since when somebody has been in a server, as Discord last said
    guild INTEGER NOT NULL,
    user INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (guild, user)
) STRICT, WITHOUT ROWID;
INSERT INTO "members" VALUES(900,1001,1699913600);
INSERT INTO "members" VALUES(900,1002,1699913600);
INSERT INTO "members" VALUES(900,1003,1699913600);
INSERT INTO "members" VALUES(900,1004,1699913600);
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "meta" VALUES('asks:5','7:4:910:900');
INSERT INTO "meta" VALUES('asks:900:camelot','12:910:901');
INSERT INTO "meta" VALUES('draft:5','4:0a0b');
INSERT INTO "meta" VALUES('ticked','1700259200');
INSERT INTO "meta" VALUES('undone:7','[[[22.364610507, 8.065901414, 1, 1700216000, 0], [27.635389493, 8.065901414, 1, 1700216000, 1]], [[25.0, 8.333333333333334, 0, 0, 0], [25.0, 8.333333333333334, 0, 0, 0]]]');
CREATE TABLE players (
    match INTEGER NOT NULL REFERENCES matches (id),
    user INTEGER NOT NULL,
    seat INTEGER NOT NULL, -- until the start, the place in the order of joining
    resigned INTEGER NOT NULL, ended INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (match, user)
) STRICT, WITHOUT ROWID;
INSERT INTO "players" VALUES(1,1001,0,0,0);
INSERT INTO "players" VALUES(2,1001,0,0,0);
INSERT INTO "players" VALUES(2,1002,1,0,0);
INSERT INTO "players" VALUES(3,1001,0,0,0);
INSERT INTO "players" VALUES(3,1002,1,1,0);
INSERT INTO "players" VALUES(3,1003,2,0,0);
INSERT INTO "players" VALUES(4,1001,0,0,0);
INSERT INTO "players" VALUES(4,1002,1,0,0);
INSERT INTO "players" VALUES(4,1003,2,1,0);
INSERT INTO "players" VALUES(5,1002,0,0,0);
INSERT INTO "players" VALUES(5,1003,1,0,0);
INSERT INTO "players" VALUES(6,1001,0,0,1);
INSERT INTO "players" VALUES(6,1002,1,1,1);
INSERT INTO "players" VALUES(7,1003,0,1,1);
INSERT INTO "players" VALUES(7,1004,1,0,1);
INSERT INTO "players" VALUES(8,1001,0,0,0);
INSERT INTO "players" VALUES(8,1002,1,0,0);
INSERT INTO "players" VALUES(8,1003,2,0,0);
CREATE TABLE preferences (
    user INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (user, key)
) STRICT, WITHOUT ROWID;
INSERT INTO "preferences" VALUES(1001,'theme','dark');
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
INSERT INTO "rating_changes" VALUES(6,1001,25.0,8.33333333333333392545e+00,0,0,27.635389493,8.065901414,1,1700216000);
INSERT INTO "rating_changes" VALUES(6,1002,25.0,8.33333333333333392545e+00,0,0,22.364610507,8.065901414,1,1700216000);
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
INSERT INTO "ratings" VALUES(900,'camelot',1001,27.635389493,8.065901414,1,1700216000,1571,0);
INSERT INTO "ratings" VALUES(900,'camelot',1002,22.364610507,8.065901414,1,1700216000,1429,0);
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
INSERT INTO "results" VALUES(6,900,'camelot',1700216000,1700216000,'resignation',1,1,12,'1001,1002','1001','1002:1:1700216000:resignation','','1001,1002');
INSERT INTO "results" VALUES(7,900,'camelot',1700216000,1700216000,'resignation',0,1,12,'1003,1004','','1003:0:1700216000:resignation','','1003,1004');
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
INSERT INTO "shares" VALUES(6,1001,900,'camelot',1700216000,'won',0,'C6-B5',6,0);
INSERT INTO "shares" VALUES(6,1002,900,'camelot',1700216000,'lost',0,'D10-C9',6,0);
INSERT INTO "shares" VALUES(7,1003,900,'camelot',1700216000,'none',0,'C6-B5',6,0);
INSERT INTO "shares" VALUES(7,1004,900,'camelot',1700216000,'none',0,'D10-C9',6,0);
ANALYZE "sqlite_master";
INSERT INTO "sqlite_stat1" VALUES('members','members','4 4 1');
INSERT INTO "sqlite_stat1" VALUES('ladder_meetings','ladder_meetings','2 2 2 1 1');
INSERT INTO "sqlite_stat1" VALUES('ratings','ratings_by_user','2 1');
INSERT INTO "sqlite_stat1" VALUES('ratings','ratings_by_number','2 2 2 1');
INSERT INTO "sqlite_stat1" VALUES('ratings','ratings','2 2 2 1');
INSERT INTO "sqlite_stat1" VALUES('shares','shares_by_user','4 4 1 1 1');
INSERT INTO "sqlite_stat1" VALUES('shares','shares','4 2 1');
INSERT INTO "sqlite_stat1" VALUES('ladder_steps','ladder_steps_by_user','29 29 15 5 1');
INSERT INTO "sqlite_stat1" VALUES('ladder_steps','ladder_steps','29 29 15 2 1');
INSERT INTO "sqlite_stat1" VALUES('follows','follows_by_user','1 1');
INSERT INTO "sqlite_stat1" VALUES('follows','follows','1 1 1');
INSERT INTO "sqlite_stat1" VALUES('ladder_challenges','ladder_challenges','1 1 1 1');
INSERT INTO "sqlite_stat1" VALUES('climbers','climbers_by_user','7 7 2');
INSERT INTO "sqlite_stat1" VALUES('climbers','climbers_by_step','7 7 4 3 3');
INSERT INTO "sqlite_stat1" VALUES('climbers','climbers','7 7 4 1');
INSERT INTO "sqlite_stat1" VALUES('rating_changes','rating_changes_by_user','2 1 1');
INSERT INTO "sqlite_stat1" VALUES('rating_changes','rating_changes','2 2 1');
INSERT INTO "sqlite_stat1" VALUES('matches','matches_on','5 5');
INSERT INTO "sqlite_stat1" VALUES('matches','matches_by_guild','8 8 3');
INSERT INTO "sqlite_stat1" VALUES('matches','matches_unannounced','6 1');
INSERT INTO "sqlite_stat1" VALUES('matches','matches_by_channel','8 8 3');
INSERT INTO "sqlite_stat1" VALUES('matches','matches_by_deadline','6 1');
INSERT INTO "sqlite_stat1" VALUES('ladder_entries','ladder_ends','2 2 2 1');
INSERT INTO "sqlite_stat1" VALUES('ladder_entries','ladder_entries','19 19 10 1');
INSERT INTO "sqlite_stat1" VALUES('events','events','81 11 1');
INSERT INTO "sqlite_stat1" VALUES('ladder_games','ladder_games_by_ladder','1 1 1');
INSERT INTO "sqlite_stat1" VALUES('players','players_by_user','18 5 3 1');
INSERT INTO "sqlite_stat1" VALUES('players','players','18 3 1');
INSERT INTO "sqlite_stat1" VALUES('results','results_by_company','2 2 2 1 1');
INSERT INTO "sqlite_stat1" VALUES('results','results_in_order','2 2 2 2 1');
INSERT INTO "sqlite_stat1" VALUES('vacations','vacations','1 1 1');
CREATE TABLE user_settings (
    user INTEGER PRIMARY KEY,
    zone TEXT NOT NULL,
    sleep_start INTEGER, -- minutes of the local day
    sleep_end INTEGER,
    free_weekends INTEGER NOT NULL,
    reminders TEXT NOT NULL,
    by_dm INTEGER NOT NULL,
    automove INTEGER NOT NULL
, public INTEGER NOT NULL DEFAULT 1, language TEXT) STRICT;
INSERT INTO "user_settings" VALUES(1001,'Europe/Oslo',1320,360,1,'default',1,0,1,'no');
CREATE TABLE vacations (
    user INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    PRIMARY KEY (user, start)
) STRICT, WITHOUT ROWID;
INSERT INTO "vacations" VALUES(1004,1700259200,1700864000);
CREATE INDEX matches_by_deadline ON matches (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX matches_by_thread ON matches (thread) WHERE thread IS NOT NULL;
CREATE INDEX matches_by_channel ON matches (channel, phase);
CREATE INDEX matches_unannounced ON matches (id) WHERE newsworthy > announced;
CREATE INDEX follows_by_user ON follows (user);
CREATE INDEX results_in_order ON results (guild, variant, ended_at, match);
CREATE INDEX results_by_company ON results (guild, variant, company, ended_at);
CREATE INDEX shares_by_user ON shares (guild, user, ended_at, match);
CREATE INDEX ratings_by_number ON ratings (guild, variant, number DESC);
CREATE INDEX ratings_by_user ON ratings (user);
CREATE INDEX rating_changes_by_user ON rating_changes (user, match);
CREATE INDEX ladders_by_wake ON ladders (wake) WHERE wake IS NOT NULL;
CREATE INDEX ladders_unannounced ON ladders (guild, variant) WHERE newsworthy > announced;
CREATE INDEX climbers_by_step ON climbers (guild, variant, step DESC, wins DESC);
CREATE INDEX climbers_by_user ON climbers (guild, user);
CREATE INDEX climbers_in_queue ON climbers (guild, variant, queued_at) WHERE queued_at IS NOT NULL;
CREATE INDEX ladder_games_by_ladder ON ladder_games (guild, variant);
CREATE INDEX ladder_steps_by_user ON ladder_steps (guild, variant, user, seq);
CREATE UNIQUE INDEX archive_by_record ON archive (coalesce(guild, 0), record);
CREATE INDEX matches_by_guild ON matches (guild, phase);
CREATE INDEX ladder_ends ON ladder_entries (guild, variant, matches) WHERE kind = 10;
CREATE INDEX players_by_user ON players (user, ended, match);
CREATE INDEX matches_on ON matches (phase) WHERE phase = 'live';
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('matches',8);
COMMIT;
