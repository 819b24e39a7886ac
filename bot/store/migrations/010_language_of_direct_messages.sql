-- Reminders by direct message come in the recipient's language, also after a restart.

ALTER TABLE user_settings ADD COLUMN language TEXT; -- their last one with the bot; NULL if they want no direct messages
