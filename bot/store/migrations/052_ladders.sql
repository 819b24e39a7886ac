-- Ladders: what their entries tell is read from them.

DROP TABLE ladder_rungs;
