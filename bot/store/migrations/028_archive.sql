-- A record may be longer than what PostgreSQL can index, so the index has the first characters only. `add_archived` compares
-- the whole record.

DROP INDEX archive_by_record;
CREATE INDEX archive_by_record ON archive (coalesce(guild, 0), substr(record, 1, 500));
