-- Leagues have names and sign-ups of any length.

ALTER TABLE leagues ADD COLUMN name TEXT NOT NULL DEFAULT ''; -- empty: it is called by its game and its number
ALTER TABLE leagues ADD COLUMN sign_up_days INTEGER NOT NULL DEFAULT 7;
ALTER TABLE leagues ADD COLUMN opened_at INTEGER NOT NULL DEFAULT 0; -- when people could first sign up for the season
UPDATE leagues SET opened_at = begins_at - 604800 * (1 + extended) - seconds_postponed WHERE state = 'sign-up';
