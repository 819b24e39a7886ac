-- Sign-ups that do not count any more, when their people were looked up, and the panel in which a league was opened.

ALTER TABLE league_sign_ups ADD COLUMN signed_off TEXT; -- why it does not count any more, see SignOff; NULL: it counts
ALTER TABLE leagues ADD COLUMN looked_up_at INTEGER NOT NULL DEFAULT 0; -- when it was last asked who is still a member
ALTER TABLE leagues ADD COLUMN panel INTEGER; -- the message whose button opened it; NULL: not known
