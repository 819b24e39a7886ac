-- Games with house players: how many of them one person may have in a server, which results are rated for nobody, and
-- whose move the program is thinking about.
ALTER TABLE guild_settings ADD COLUMN most_house INTEGER NOT NULL DEFAULT 3;
ALTER TABLE results ADD COLUMN casual INTEGER NOT NULL DEFAULT 0;

CREATE INDEX house_to_move ON matches (to_move) WHERE to_move BETWEEN 100 AND 999;
