-- People who want to be called to tables that stay open, and the tables to which people have been called.

CREATE TABLE seekers (
    guild INTEGER NOT NULL,
    user INTEGER NOT NULL,
    called INTEGER NOT NULL DEFAULT 0, -- when they were called last; 0 for never
    PRIMARY KEY (guild, user)
) STRICT, WITHOUT ROWID;

CREATE INDEX seekers_by_user ON seekers (user);
CREATE INDEX seekers_by_turn ON seekers (guild, called);

CREATE TABLE tables_called (
    match INTEGER PRIMARY KEY REFERENCES matches (id)
) STRICT;
