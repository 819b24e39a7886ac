-- In which servers anything goes on, is asked at every new session with Discord, among millions of games that are over.
-- Workers of the version before may go on meanwhile.

CREATE INDEX matches_unfinished ON matches (guild) WHERE phase IN ('open', 'live');
