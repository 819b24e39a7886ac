-- Blocks: people whom a person does not want to play with, in any server.

CREATE TABLE blocks (
    user INTEGER NOT NULL, -- who has blocked
    blocked INTEGER NOT NULL, -- whom
    PRIMARY KEY (user, blocked)
) STRICT, WITHOUT ROWID;
CREATE INDEX blocks_of ON blocks (blocked);
