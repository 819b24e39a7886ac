-- Ladders have no weekly digest any more: what was due of one is not news. The queue begins no triads any more: who
-- waited for one waits for a single game. Running triads stand in ladder_games.

UPDATE ladders SET newsworthy = coalesce((
    SELECT max(seq) FROM ladder_entries
    WHERE ladder_entries.guild = ladders.guild AND ladder_entries.variant = ladders.variant
    AND kind IN (3, 4, 5, 6, 9, 12, 13)
), 0);
ALTER TABLE ladders DROP COLUMN digested_at;
ALTER TABLE climbers DROP COLUMN triad;
