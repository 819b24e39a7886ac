-- Players' plans, one line each; the plans of a game are deleted when it ends.

CREATE TABLE plans (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    match INTEGER NOT NULL REFERENCES matches (id),
    user INTEGER NOT NULL, -- the only person who ever sees it
    seat INTEGER NOT NULL,
    version INTEGER NOT NULL, -- the board's, on which it was made
    line TEXT NOT NULL, -- "1:F10-F9 0:F8xF10!3 1:C12-C10*cps"
    done INTEGER NOT NULL, -- how many of its moves have been made
    away INTEGER NOT NULL, -- whether it is played on vacation as well
    stands INTEGER NOT NULL, -- 0 until it has been confirmed
    fallen TEXT, -- why it is over, "differed 1 F10-F9", until the planner has moved again
    wakes INTEGER -- when the vacation ends for which it waits
) STRICT;

CREATE INDEX plans_by_match ON plans (match);
CREATE INDEX plans_by_user ON plans (user, match);
CREATE INDEX plans_by_end_of_vacation ON plans (wakes) WHERE wakes IS NOT NULL;

ALTER TABLE guild_settings ADD COLUMN plans INTEGER NOT NULL DEFAULT 1; -- whether its players may plan
ALTER TABLE shares ADD COLUMN planned INTEGER NOT NULL DEFAULT 0; -- the moves that were planned and took no time
