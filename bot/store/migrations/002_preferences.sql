-- What people have set for themselves. What is not here is at its default, which lives in the program.

CREATE TABLE preferences (
    user INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (user, key)
) STRICT, WITHOUT ROWID;
