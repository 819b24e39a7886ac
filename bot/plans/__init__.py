"""Plans: moves that people lay down for future turns, and that the bot plays when they are due."""
