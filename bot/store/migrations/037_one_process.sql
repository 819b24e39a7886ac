-- One process plays in all servers. The absences of a shard become those of its servers whose clocks may still need them.
-- A shard was -(number of shards * 65536 + its own number), and there were at most 4096.

INSERT INTO absences (guild, since, until)
SELECT servers.guild, away.since, max(away.until) FROM absences AS away JOIN (
    SELECT guild FROM matches WHERE phase IN ('open', 'live') UNION SELECT guild FROM leagues UNION SELECT guild FROM ladders
) AS servers ON (servers.guild >> 22) % (-away.guild >> 16) = (-away.guild & 65535)
WHERE away.guild BETWEEN -268500991 AND -131072 AND away.until IS NOT NULL
GROUP BY servers.guild, away.since
ON CONFLICT (guild, since) DO UPDATE
SET until = CASE WHEN absences.until < excluded.until THEN excluded.until ELSE absences.until END;
DELETE FROM absences WHERE guild BETWEEN -268500991 AND -131072;

-- When the bot was last present for each shard, and whether all servers of each had been met.

INSERT INTO meta (key, value) SELECT 'ticked', min(value) FROM meta WHERE key LIKE 'ticked:%' GROUP BY 1
ON CONFLICT (key) DO UPDATE SET value = excluded.value;
INSERT INTO meta (key, value) SELECT 'meets', '1' FROM meta WHERE key LIKE 'meets:%' GROUP BY 1 ON CONFLICT (key) DO NOTHING;
DELETE FROM meta WHERE key LIKE 'ticked:%' OR key LIKE 'meets:%' OR key = 'shards';
