-- A game whose player has no time left, and which nobody claims, is closed one day. The tick looks at those that wait.

UPDATE matches SET deadline = flag WHERE phase = 'live' AND deadline IS NULL AND flag IS NOT NULL;
