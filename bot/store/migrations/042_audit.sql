-- Entries in the audit channel are jobs.

INSERT INTO jobs (kind, key, guild, match, due_at)
SELECT 'audit', match || ':' || events.seq, guild, match, 0 FROM events JOIN matches ON id = match
WHERE events.seq > audited AND events.kind IN (37, 38, 39, 40, 41, 42);
ALTER TABLE matches DROP COLUMN audited;
