"""Reviews: what the engine says of a finished game, and where it turned."""
