"""What any discord.py bot could use: answers, components that outlive restarts, permissions, pace, pictures, counters.

Knows neither the store nor a command. May import `bot.core` and `bot.texts`.
"""
