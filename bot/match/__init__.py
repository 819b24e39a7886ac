"""Matches: events, the fold that turns them into a match, decisions, news and results. Pure.

A decision takes a match, the people and the time, and returns the resulting events, or raises. May import
`bot.people`, `engine` and `rules`.
"""
