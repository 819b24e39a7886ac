-- After an absence the tick computes all deadlines again: such a match has the deadline 0. So absences need no note of how
-- far that has come.

UPDATE matches SET deadline = 0 WHERE phase IN ('open', 'live') AND deadline IS NOT NULL
    AND EXISTS (SELECT 1 FROM absences WHERE until IS NOT NULL AND made_up < 9223372036854775807);
ALTER TABLE absences DROP COLUMN made_up;
