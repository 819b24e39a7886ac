-- Opponents are told when the grace of a player is over. The tick looks at the games that were in one already as well.

UPDATE matches SET deadline = flag WHERE phase = 'live' AND deadline IS NULL AND flag IS NOT NULL;
