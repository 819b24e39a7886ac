"""Leagues: seasons of groups in which everybody plays everybody, with promotion and relegation.

Read in this order. Pure: `league` (terms, what is due when), `schedule` and `triples` (who plays whom), `points`,
`standings` (tables), `groups` (promotion), `adjudication` (unfinished games), `season` (all of these in one group).
Stored: `rows`, `season_rows`, `ruling_rows`. Acts: `service` (people), `season_service` (the clock), `games`. On
Discord: `commands`, `open_panel` and `manage_panel` (for managers), `ruling_posts` (for
referees), `buttons`, `posts`, `words`, `picture`, `files` (export). Beside the seasons: `role_rows` and `roles` (the
winner's role). `feature` adds leagues to the bot.
"""
