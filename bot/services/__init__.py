"""The halves of `bot.service`, by subject."""
