"""Leagues: seasons of groups in which everybody plays everybody, with promotion and relegation.

Read in this order. Pure: `league` (terms, points, what is due when, unfinished games), `groups` (who plays whom,
tables, promotion). Stored: `rows`. Acts: `service` (people), `seasons` (the clock). On Discord: `words`, `files`
(tables as pictures and CSV), `posts`, `commands`, `panels` (for managers). `feature` adds leagues to
the bot.
"""
