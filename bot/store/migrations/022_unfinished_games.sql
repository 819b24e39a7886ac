-- Every new session with Discord asks which servers have unfinished games, among millions of finished ones.
-- Workers of the version before may go on meanwhile.

CREATE INDEX matches_unfinished ON matches (guild) WHERE phase IN ('open', 'live');
