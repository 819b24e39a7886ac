"""The hooks of leagues into the bot."""

from __future__ import annotations

from bot.leagues import commands, panels, posts, rows, seasons, words
from bot.play.context import Feature, JobKind, OnTick
from bot.store.database_tables import Table

LEAGUES = Feature(
    modules=(commands, panels, words),
    database_tables=(
        Table(
            "leagues",
            ("id",),
            is_numbered=True,
            of_server=True,
            lists_servers=True,
            places_sql=rows.LEAGUE_PLACES_SQL,
            count_sql=rows.COUNT_FOR_PERSON_SQL,
        ),
        Table("league_sign_ups", ("league", "user"), of_server=True, of_person=True),
        Table("league_seasons", ("league", "season"), of_server=True),
        Table("league_seats", ("league", "season", "division", "entrant"), of_server=True),
        Table(
            "league_games",
            ("league", "season", "division", "number"),
            of_match=True,
            of_server=True,
            ends_sql=rows.LEAGUE_ENDS_SQL,
        ),
        Table("league_rulings", ("match", "at"), of_match=True, of_server=True),
        Table("league_news", ("league", "season", "kind"), of_server=True),
    ),
    after_events=seasons.note_result,
    export_person=rows.export_person,
    leave_all=seasons.leave_leagues,
    replace_person=seasons.replace_person,
    work=(
        OnTick("leagues", posts.tick_leagues),
        JobKind("event", posts.delete_event),
        JobKind("league-end", seasons.end_season, in_timeout=True),
        JobKind("league-games", seasons.begin_games, in_timeout=True),
        JobKind("league-list", posts.post_list, lane="league", is_kept=True),
        JobKind("league-members", seasons.look_up_members, in_timeout=True),
        JobKind("league-news", posts.post_news, lane="league", is_kept=True),
        JobKind("league-removal", posts.post_removal, is_kept=True),
        JobKind("league-ruling", posts.post_ruling),
        JobKind("league-table", posts.edit_post, lane="league"),
        JobKind("league-thread", posts.post_list, lane="league", is_kept=True),  # of earlier versions
        JobKind("role", posts.hand_over_role),
        panels.LostChannels,
    ),
    add_notes=seasons.add_notes,
)
