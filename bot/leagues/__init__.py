"""Leagues: seasons of groups in which everybody plays everybody, with promotion and relegation.

Read in this order. Pure: `league` (terms, what is due when), `schedule` and `triples` (who plays whom), `points`,
`standings` (tables), `groups` (promotion), `adjudication` (unfinished games), `season` (all of these in one group).
Stored: `rows`, `season_rows`, `ruling_rows`. Acts: `service` (people), `season_service` (the clock), `games`. On
Discord: `commands`, `panel`, `ruling` and `rulings` (what referees decide, and its posts), `buttons`, `posts`, `words`,
`picture`, `files` (export). The `honour…` modules give the winner's role and keep Discord's scheduled events.
`feature` is the line by which the bot has leagues.
"""
