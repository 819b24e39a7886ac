-- Clocks, and what people and servers have asked for.

ALTER TABLE matches ADD COLUMN flag INTEGER; -- derived: when the player to move runs out of time; `deadline` is the tick's

-- Games without a clock end some day, too: the tick looks at each once and notes when.
UPDATE matches SET deadline = updated WHERE phase = 'live';

CREATE TABLE user_settings (
    user INTEGER PRIMARY KEY,
    zone TEXT NOT NULL,
    sleep_start INTEGER, -- minutes of the local day
    sleep_end INTEGER,
    free_weekends INTEGER NOT NULL,
    reminders TEXT NOT NULL,
    by_dm INTEGER NOT NULL,
    automove INTEGER NOT NULL
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
    channels TEXT NOT NULL, -- "11,22"
    language TEXT,
    announcements INTEGER,
    audit INTEGER,
    house_rules TEXT NOT NULL,
    most_open INTEGER NOT NULL,
    most_live INTEGER NOT NULL
) STRICT;

CREATE TABLE follows (
    match INTEGER NOT NULL REFERENCES matches (id),
    user INTEGER NOT NULL,
    every_move INTEGER NOT NULL,
    PRIMARY KEY (match, user)
) STRICT, WITHOUT ROWID;

CREATE INDEX follows_by_user ON follows (user);
