"""Plans: the moves that people lay down for the turns to come, and what becomes of them."""
