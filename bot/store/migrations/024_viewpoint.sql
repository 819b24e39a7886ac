-- The side at the bottom of a server's posted boards.
ALTER TABLE guild_settings ADD COLUMN viewpoint TEXT NOT NULL DEFAULT 'still-for-three';
