-- A ladder is what the fold makes of its entries. `state` keeps the ladder after its last entry, as JSON; where it is NULL,
-- it is computed from the entries.

ALTER TABLE ladders ADD COLUMN state TEXT;
ALTER TABLE ladders ADD COLUMN challenged INTEGER NOT NULL DEFAULT 0; -- derived: whether a challenge waits for an answer
UPDATE ladders SET challenged = 1 WHERE EXISTS (
    SELECT 1 FROM ladder_challenges
    WHERE ladder_challenges.guild = ladders.guild AND ladder_challenges.variant = ladders.variant
);
ALTER TABLE ladders DROP COLUMN seq;
ALTER TABLE ladders DROP COLUMN season;
ALTER TABLE ladders DROP COLUMN season_began;
ALTER TABLE ladders DROP COLUMN season_until;
ALTER TABLE ladders DROP COLUMN seasons;

-- Only what the entries do not tell is kept about climbers.

DROP INDEX climbers_by_step;
DROP INDEX climbers_by_user;
DROP INDEX climbers_in_queue;
ALTER TABLE climbers RENAME TO climbers_before;
CREATE TABLE climbers (
    guild INTEGER NOT NULL, variant TEXT NOT NULL,
    user INTEGER NOT NULL,
    moved_at INTEGER NOT NULL, -- derived: when they joined or, if later, last moved in any game of the server
    PRIMARY KEY (guild, variant, user)
) STRICT, WITHOUT ROWID;
INSERT INTO climbers SELECT guild, variant, user, moved_at FROM climbers_before;
DROP TABLE climbers_before;
CREATE INDEX climbers_by_user ON climbers (guild, user);

DROP TABLE ladder_challenges;
DROP TABLE ladder_games;
DROP TABLE ladder_meetings;
