"""The hooks of leagues into the bot."""

from __future__ import annotations

from bot.discordkit.slash import TopLevel
from bot.leagues import commands, panels, rows, words
from bot.leagues.panels import LostChannels
from bot.leagues.posts import (
    LeagueAnnouncer,
    RulingAnnouncer,
    delete_event,
    edit_posts,
    end_seasons,
    ends_of_matches,
    hand_over_role,
    look_up_members,
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
    ends_of_matches=ends_of_matches,
    tick_jobs={"leagues": tick_leagues},
    background_jobs={
        "members of leagues": look_up_members,
        "ends of seasons": end_seasons,
        "league posts": edit_posts,
    },
    jobs={"event": JobKind(delete_event), "role": JobKind(hand_over_role)},
    outboxes={"news of leagues": LeagueAnnouncer, "rulings of leagues": RulingAnnouncer},
    person_lines=trophy_lines,
    cogs=(lambda context, announce, connected: LostChannels(context),),
)
