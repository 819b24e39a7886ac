-- Leagues: the list of a season's games in several messages, people whom managers move, a role that is mentioned.

ALTER TABLE leagues ADD COLUMN called_role INTEGER; -- the role that is mentioned at the sign-up and at the start
ALTER TABLE league_sign_ups ADD COLUMN division INTEGER; -- the group that managers have chosen for them; NULL: by the rule
ALTER TABLE league_seasons ADD COLUMN list_messages TEXT NOT NULL DEFAULT ''; -- the messages with the list of its games
INSERT INTO jobs (kind, key, guild, due_at)
SELECT DISTINCT 'league-list', CAST(league AS TEXT), guild, 0 FROM league_news WHERE kind = 'games';
DELETE FROM league_news WHERE kind = 'games';
