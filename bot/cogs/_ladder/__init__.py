"""The private half of the ladder's commands: words, tables, and the news of ladders."""
