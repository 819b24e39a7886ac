-- Times in which nobody could be reached, so that no clock ran.

CREATE TABLE absences (
    guild INTEGER NOT NULL, -- 0: nobody anywhere, because the bot was away
    since INTEGER NOT NULL,
    until INTEGER, -- NULL while it lasts
    made_up INTEGER NOT NULL DEFAULT 0, -- the last match that has been brought up to date after it
    PRIMARY KEY (guild, since)
) STRICT, WITHOUT ROWID;

CREATE INDEX absences_that_last ON absences (guild) WHERE until IS NULL;

UPDATE matches SET deadline = updated WHERE phase = 'live' AND homeless; -- the tick looks at each once and notes when
