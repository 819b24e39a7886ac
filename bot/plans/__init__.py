"""Plans: moves that people lay down for future turns, and their execution."""
