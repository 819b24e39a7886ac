"""Reviews: each side's chances along a finished game, and its turning points."""
