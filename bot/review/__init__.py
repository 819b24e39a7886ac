"""Reviews: the chances of each side in the course of a finished game, and its turning points."""
