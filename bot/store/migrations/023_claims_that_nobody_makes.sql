-- A game whose player has no time left is closed some day if nobody claims it. The tick must look at the waiting games.

UPDATE matches SET deadline = flag WHERE phase = 'live' AND deadline IS NULL AND flag IS NOT NULL;
