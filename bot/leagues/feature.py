"""The hooks of leagues into the bot."""

from __future__ import annotations

from bot.discordkit.slash import TopLevel
from bot.leagues import commands, panels, rows, words
from bot.leagues.panels import LostChannels
from bot.leagues.posts import (
    begin_games,
    delete_event,
    edit_post,
    end_season,
    hand_over_role,
    look_up_members,
    open_thread,
    post_news,
    post_removal,
    post_ruling,
    tick_leagues,
    trophy_lines,
)
from bot.leagues.seasons import leave_leagues, note_result, replace_person
from bot.play.context import Feature, JobKind
from bot.play.service.matches import StoredFeature
from bot.play.service.results import ResultHooks
from bot.store.database_tables import Table

LEAGUES = Feature(
    modules=(commands, panels, words),
    top_levels={"league": TopLevel(first=("table", "join"))},
    stored=StoredFeature(
        tables=(
            Table("leagues", ("id",), is_numbered=True, of_server=True, lists_servers=True),
            Table("league_sign_ups", ("league", "user"), of_server=True, of_person=True),
            Table("league_seasons", ("league", "season"), of_server=True),
            Table("league_seats", ("league", "season", "division", "entry"), of_server=True),
            Table("league_games", ("league", "season", "division", "number"), of_match=True, of_server=True),
            Table("league_rulings", ("match", "at"), of_match=True, of_server=True),
            Table("league_news", ("league", "season", "kind"), of_server=True),
            Table("league_role_holders", ("league", "user", "role"), of_server=True, of_person=True),
        ),
        results=ResultHooks(after_result=note_result),
        posting_places=rows.posting_places,
        export_person=rows.export_person,
        footprint=rows.count_for_person,
        leave_all=leave_leagues,
        replace_person=replace_person,
    ),
    ends_of_matches=lambda context, matches: rows.ends_of_matches(context.service.reader, matches),
    tick_jobs={"leagues": tick_leagues},
    jobs={
        "event": JobKind(delete_event),
        "league-end": JobKind(end_season, in_timeout=True),
        "league-games": JobKind(begin_games, in_timeout=True),
        "league-members": JobKind(look_up_members, in_timeout=True),
        "league-news": JobKind(post_news, lane="league", is_kept=True),
        "league-removal": JobKind(post_removal, is_kept=True),
        "league-ruling": JobKind(post_ruling),
        "league-table": JobKind(edit_post, lane="league"),
        "league-thread": JobKind(open_thread, lane="league"),
        "role": JobKind(hand_over_role),
    },
    person_lines=trophy_lines,
    cogs=(lambda context, announce, connected: LostChannels(context),),
)
