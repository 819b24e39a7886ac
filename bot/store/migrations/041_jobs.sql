-- Jobs: what falls due beside the games, each written in the transaction that makes it due.

CREATE TABLE jobs (
    kind TEXT NOT NULL,
    key TEXT NOT NULL, -- what it is about: asked for twice, it is still one job
    guild INTEGER NOT NULL,
    match INTEGER, -- the match with which it is deleted
    due_at INTEGER, -- NULL: nothing has asked for it yet
    note TEXT NOT NULL DEFAULT '',
    tries INTEGER NOT NULL DEFAULT 0,
    requests INTEGER NOT NULL DEFAULT 1, -- how often it has been asked for
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_by_time ON jobs (due_at);
CREATE INDEX jobs_by_match ON jobs (match);

-- Messages whose buttons wait for an answer: of matches (event, board version, channel, message) and of ladders (entry,
-- channel, message; since November 2026 with a 0 after the entry).
WITH numbers AS (
    SELECT meta.key AS noted, one.key AS place, one.value AS number
    FROM meta, json_each('[' || replace(replace(replace(meta.value, ':0:', ':'), ':', ','), ' ', ',') || ']') AS one
    WHERE meta.key LIKE 'asks:%:%'
)
INSERT INTO jobs (kind, key, guild, note)
SELECT 'challenge', channel.number || ':' || message.number, guild, variant || ':' || entry.number
FROM ladders JOIN numbers AS entry ON entry.noted = 'asks:' || guild || ':' || variant AND entry.place % 3 = 0
JOIN numbers AS channel ON channel.noted = entry.noted AND channel.place = entry.place + 1
JOIN numbers AS message ON message.noted = entry.noted AND message.place = entry.place + 2
WHERE true ON CONFLICT DO NOTHING;

WITH numbers AS (
    SELECT meta.key AS noted, one.key AS place, one.value AS number
    FROM meta, json_each('[' || replace(replace(meta.value, ':', ','), ' ', ',') || ']') AS one
    WHERE meta.key LIKE 'asks:%' AND meta.key NOT LIKE 'asks:%:%'
)
INSERT INTO jobs (kind, key, guild, match, note)
SELECT 'buttons', channel.number || ':' || message.number, guild, id, event.number || ':' || version.number
FROM matches JOIN numbers AS event ON event.noted = 'asks:' || id AND event.place % 4 = 0
JOIN numbers AS version ON version.noted = event.noted AND version.place = event.place + 1
JOIN numbers AS channel ON channel.noted = event.noted AND channel.place = event.place + 2
JOIN numbers AS message ON message.noted = event.noted AND message.place = event.place + 3
WHERE true ON CONFLICT DO NOTHING;

DELETE FROM meta WHERE key LIKE 'asks:%';
