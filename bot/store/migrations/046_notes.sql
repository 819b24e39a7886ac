-- Notes about games, servers and people get columns and tables. `meta` keeps single facts of the database.

ALTER TABLE matches ADD COLUMN draft TEXT; -- the move in the making
ALTER TABLE matches ADD COLUMN rematch INTEGER; -- the table of its rematch
ALTER TABLE matches ADD COLUMN undone TEXT; -- what annulling it has changed, until that is announced
UPDATE matches SET draft = (SELECT value FROM meta WHERE key = 'draft:' || id)
    WHERE id IN (SELECT CAST(substr(key, 7) AS INTEGER) FROM meta WHERE key LIKE 'draft:%');
UPDATE matches SET rematch = (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'rematch:' || id)
    WHERE id IN (SELECT CAST(substr(key, 9) AS INTEGER) FROM meta WHERE key LIKE 'rematch:%');
UPDATE matches SET undone = (SELECT value FROM meta WHERE key = 'undone:' || id)
    WHERE id IN (SELECT CAST(substr(key, 8) AS INTEGER) FROM meta WHERE key LIKE 'undone:%');

CREATE TABLE servers (
    guild INTEGER PRIMARY KEY,
    met INTEGER NOT NULL DEFAULT 0, -- whether the bot has met it, so that it is welcomed once
    removed_at INTEGER -- when it removed the bot; NULL: it has not
) STRICT;
INSERT INTO servers (guild, met, removed_at)
SELECT guild, max(met), max(removed_at) FROM (
    SELECT CAST(substr(key, 5) AS INTEGER) AS guild, 1 AS met, NULL AS removed_at FROM meta WHERE key LIKE 'met:%'
    UNION ALL
    SELECT CAST(substr(key, 9) AS INTEGER), 0, CAST(value AS INTEGER) FROM meta WHERE key LIKE 'removed:%'
) AS noted GROUP BY guild;

CREATE TABLE forgetting ( -- people who are being forgotten
    user INTEGER PRIMARY KEY,
    stand_in INTEGER NOT NULL -- the negative number that stands for them
) STRICT;
CREATE TABLE forgetting_rerated ( -- where games have been rated again since
    user INTEGER NOT NULL,
    guild INTEGER NOT NULL, variant TEXT NOT NULL,
    PRIMARY KEY (user, guild, variant)
) STRICT, WITHOUT ROWID;
INSERT INTO forgetting (user, stand_in) -- from "-5 guild:variant guild:variant"
SELECT CAST(substr(key, 12) AS INTEGER),
    CAST(substr(value, 1, CAST(instr(value || ' ', ' ') AS SMALLINT) - 1) AS INTEGER)
FROM meta WHERE key LIKE 'forgetting:%';
INSERT INTO forgetting_rerated (user, guild, variant)
SELECT DISTINCT forgetting.user, guild, variant FROM forgetting JOIN meta ON key = 'forgetting:' || forgetting.user
JOIN (SELECT DISTINCT guild, variant FROM ratings) AS rated ON value || ' ' LIKE '% ' || guild || ':' || variant || ' %';

DELETE FROM meta WHERE key LIKE 'draft:%' OR key LIKE 'rematch:%' OR key LIKE 'undone:%' OR key LIKE 'met:%'
    OR key LIKE 'removed:%' OR key LIKE 'forgetting:%';
