"""The game itself: matches, events and the fold, clocks, decisions, news, results, and what people have asked for.

Pure: no database, no Discord, no words. Imports no other room of `bot`.
"""
