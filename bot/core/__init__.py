"""The game itself: matches, events and their fold, clocks, decisions, news, results, and people's settings.

Pure: no database, no Discord, no words. Imports no other room of `bot`.
"""
