"""The Discord side that knows no rules of games: answers, components that outlive restarts, permissions, counters.

Knows neither the store nor a command. Imports only a few general modules of `bot.core` and `bot.texts`.
"""
