-- Opponents are notified when a player's grace is over. The tick must also look at games that are in their grace
-- already.

UPDATE matches SET deadline = flag WHERE phase = 'live' AND deadline IS NULL AND flag IS NOT NULL;
