-- Leagues: seasons of groups in which everybody plays everybody.

CREATE TABLE leagues (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: buttons carry it
    guild INTEGER NOT NULL,
    channel INTEGER NOT NULL, -- the channel of its posts and games
    variant TEXT NOT NULL,
    pace TEXT NOT NULL,
    weeks INTEGER NOT NULL, -- the length of a season
    group_least INTEGER NOT NULL, group_most INTEGER NOT NULL, -- people in a group
    movers INTEGER NOT NULL, -- how many go up, and as many down
    rounds INTEGER NOT NULL, -- 2: everybody plays everybody twice
    vacation_days INTEGER NOT NULL, -- how many days of vacation in a season stop a person's clocks
    standing INTEGER NOT NULL, -- whether a sign-up holds for later seasons
    role INTEGER, -- the role for the winners of the highest group; NULL: none
    events INTEGER NOT NULL, -- whether Discord's scheduled events announce its seasons
    state TEXT NOT NULL, -- see LeagueState
    season INTEGER NOT NULL, -- the number of the current or next season, from 1
    begins_at INTEGER NOT NULL, ends_at INTEGER NOT NULL, -- of that season
    shifted INTEGER NOT NULL, -- the seconds by which absences have postponed ends_at
    extended INTEGER NOT NULL, -- whether the sign-up has been extended
    closing INTEGER NOT NULL, -- whether the league closes after this season
    handled_at INTEGER NOT NULL, -- everything due up to this time has been done
    due_at INTEGER, -- when something is due next; NULL: never
    message INTEGER, -- the post that shows the table, or before the season the sign-up
    changes INTEGER NOT NULL, -- the number of changes of people and results that the post does not show yet
    edited_at INTEGER NOT NULL -- when an edit of the post was last tried
) STRICT;
CREATE INDEX leagues_by_guild ON leagues (guild);
CREATE INDEX leagues_by_due ON leagues (due_at);
CREATE INDEX leagues_by_changes ON leagues (changes, edited_at);
CREATE INDEX leagues_by_state ON leagues (state);

CREATE TABLE league_sign_ups (
    league INTEGER NOT NULL REFERENCES leagues (id),
    user INTEGER NOT NULL,
    guild INTEGER NOT NULL,
    at INTEGER NOT NULL,
    at_once INTEGER, -- the most games at a time that the person wants; NULL: any number
    reserve INTEGER NOT NULL, -- whether they take over the seat of a person who leaves during a season
    PRIMARY KEY (league, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX league_sign_ups_by_user ON league_sign_ups (user);

CREATE TABLE league_seasons ( -- seasons that have begun
    league INTEGER NOT NULL REFERENCES leagues (id),
    season INTEGER NOT NULL,
    guild INTEGER NOT NULL,
    began_at INTEGER NOT NULL,
    ended_at INTEGER, -- NULL while the season is running
    thread INTEGER, -- the thread for its reports; NULL: they are posted in the channel of the league
    PRIMARY KEY (league, season)
) STRICT, WITHOUT ROWID;

CREATE TABLE league_seats (
    league INTEGER NOT NULL REFERENCES leagues (id),
    season INTEGER NOT NULL,
    division INTEGER NOT NULL, -- from 0, the highest
    entry INTEGER NOT NULL, -- from 0
    user INTEGER NOT NULL,
    guild INTEGER NOT NULL,
    state TEXT NOT NULL, -- see SeatState
    at_once INTEGER, -- as in league_sign_ups
    former INTEGER, -- the previous person of the seat, until all their games have been handed over
    place INTEGER, -- at the end of the season; NULL before, and for people whose games were taken out
    movement TEXT, -- at the end of the season, see Movement; NULL before
    PRIMARY KEY (league, season, division, entry)
) STRICT, WITHOUT ROWID;
CREATE INDEX league_seats_by_user ON league_seats (user);
CREATE INDEX league_seats_handed_over ON league_seats (league) WHERE former IS NOT NULL;

CREATE TABLE league_games (
    league INTEGER NOT NULL REFERENCES leagues (id),
    season INTEGER NOT NULL,
    division INTEGER NOT NULL,
    number INTEGER NOT NULL, -- in the order of the schedule, from 0
    guild INTEGER NOT NULL,
    round INTEGER NOT NULL, -- from 0
    entries TEXT NOT NULL, -- in seat order, "0,3"
    match INTEGER, -- NULL until it is set up
    points TEXT, -- in seat order and in twelfths, "12,0"; NULL while it is not decided
    verdict TEXT, -- if it was not decided on the board: see Verdict
    decided_at INTEGER,
    PRIMARY KEY (league, season, division, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX league_games_by_match ON league_games (match);
CREATE INDEX league_games_waiting ON league_games (league, season) WHERE match IS NULL AND points IS NULL;

CREATE TABLE league_rulings ( -- the decisions of referees
    match INTEGER NOT NULL,
    at INTEGER NOT NULL,
    league INTEGER NOT NULL REFERENCES leagues (id),
    guild INTEGER NOT NULL,
    referee INTEGER NOT NULL,
    winner INTEGER, -- the seat that wins; NULL: a draw
    reason TEXT NOT NULL,
    told INTEGER NOT NULL, -- whether its players have been told
    audited INTEGER NOT NULL, -- whether it is entered in the audit channel
    PRIMARY KEY (match, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE league_news ( -- news that has to be posted
    league INTEGER NOT NULL REFERENCES leagues (id),
    season INTEGER NOT NULL,
    kind TEXT NOT NULL, -- "begin", "week-3"
    guild INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (league, season, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE league_role_holders ( -- who has the role of a league, or is to get it or lose it
    league INTEGER NOT NULL REFERENCES leagues (id),
    user INTEGER NOT NULL,
    role INTEGER NOT NULL,
    guild INTEGER NOT NULL,
    wanted INTEGER NOT NULL, -- 1: they are to have it; 0: they are to lose it, after which the row is deleted
    try_at INTEGER, -- when Discord is to be asked; NULL: nothing has to be asked, or Discord has refused
    PRIMARY KEY (league, user, role)
) STRICT, WITHOUT ROWID;
CREATE INDEX league_role_holders_by_user ON league_role_holders (user);
CREATE INDEX league_role_holders_by_try ON league_role_holders (try_at);

CREATE TABLE league_scheduled_events ( -- the event of a league that Discord shows
    league INTEGER PRIMARY KEY REFERENCES leagues (id),
    guild INTEGER NOT NULL,
    try_at INTEGER, -- when event and league are to be compared; NULL: nothing has changed, or Discord has refused
    event INTEGER, season INTEGER, kind TEXT, at INTEGER -- what is announced (see Announcement); NULL: nothing
) STRICT, WITHOUT ROWID;
CREATE INDEX league_scheduled_events_by_try ON league_scheduled_events (try_at);
