"""Matches: the events, the fold that makes a match of them, the decisions, the news and the results. Pure.

A decision looks at a match, the people and the time, and returns the events that follow, or raises. May import
`bot.people`, `engine` and `rules`.
"""
