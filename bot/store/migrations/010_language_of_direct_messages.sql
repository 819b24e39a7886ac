-- Reminders by direct message come in the language of whoever gets them, also behind a restart.

ALTER TABLE user_settings ADD COLUMN language TEXT; -- in which he met the bot last; NULL where he wants no such messages
