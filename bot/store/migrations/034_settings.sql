-- Settings that are gone. Those who had changed one are told once; what hides somebody stays hidden.

INSERT INTO preferences (user, key, value)
SELECT user, 'untold', 'yes' FROM preferences AS p
WHERE key = 'warn' OR (key = 'coordinates' AND value = 'on')
OR (key = 'theme' AND EXISTS (SELECT 1 FROM preferences AS b WHERE b.user = p.user AND b.key = 'board' AND b.value = 'text'))
UNION SELECT user, 'untold', 'yes' FROM user_settings WHERE public = 0 AND puzzles = 1;

UPDATE user_settings SET puzzles = 0 WHERE public = 0;
DELETE FROM preferences WHERE key IN ('warn', 'coordinates') OR (key = 'board' AND value = 'picture');
DELETE FROM preferences WHERE key = 'theme'
AND EXISTS (SELECT 1 FROM preferences AS b WHERE b.user = preferences.user AND b.key = 'board');
UPDATE preferences SET key = 'board' WHERE key = 'theme';

ALTER TABLE guild_settings ADD COLUMN untold INTEGER NOT NULL DEFAULT 0; -- whether it had changed settings that are gone
UPDATE guild_settings SET untold = 1
WHERE viewpoint <> 'still-for-three' OR plans = 0 OR most_open <> 5 OR most_live <> 30 OR most_house NOT IN (0, 3)
OR season_weeks <> 10 OR membership_days <> 0 OR (puzzle_channel IS NOT NULL AND puzzle_hour <> 9);
ALTER TABLE guild_settings RENAME COLUMN most_house TO house;
UPDATE guild_settings SET house = 1 WHERE house > 0; -- whether there are house players
ALTER TABLE guild_settings DROP COLUMN viewpoint;
ALTER TABLE guild_settings DROP COLUMN plans;
ALTER TABLE guild_settings DROP COLUMN most_open;
ALTER TABLE guild_settings DROP COLUMN most_live;
ALTER TABLE guild_settings DROP COLUMN season_weeks;
ALTER TABLE guild_settings DROP COLUMN membership_days;
ALTER TABLE guild_settings DROP COLUMN puzzle_hour;
DROP TABLE members; -- since when people were in the server, for the least days of membership
