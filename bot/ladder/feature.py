"""The hooks of ladders into the bot."""

from __future__ import annotations

from bot.discordkit.slash import TopLevel
from bot.ladder import absence_rows, person
from bot.ladder.match_hooks import note_moves, rebuild_ladders, revise_ladder, rungs_of
from bot.ladder.posts import (
    LadderAnnouncer,
    announce_first,
    ladder_result_lines,
    ladder_undone_lines,
    note_shut_ladders,
    tick_ladders,
)
from bot.ladder.rebuilding_rows import LADDER_QUERIES
from bot.ladder.service import Ladders
from bot.ladder.sheets import history_buttons
from bot.ladder.standing_rows import rungs_by_variant
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature
from bot.play.service.results import ResultHooks
from bot.store.database_tables import Table

LADDER = Feature(
    package="bot.ladder",
    top_levels={"ladder": TopLevel(first=("show", "join", "queue", "challenge"))},
    stored=StoredFeature(
        parts=(Ladders,),
        after_events=note_moves,
        results=ResultHooks(revise_ladder, rungs_of, rungs_by_variant, rebuild_ladders, LADDER_QUERIES),
        tables=(
            Table("ladder_entries", ("guild", "variant", "seq"), of_server=True, lists_servers=True),
            Table("ladders", ("guild", "variant"), of_server=True, lists_servers=True),
            Table("climbers", ("guild", "variant", "user"), of_server=True),
            Table("ladder_challenges", ("guild", "variant", "challenger"), of_server=True),
            Table("ladder_games", ("match",), of_match=True),
            Table("ladder_meetings", ("guild", "variant", "one", "two"), of_server=True),
            Table("ladder_steps", ("guild", "variant", "seq", "user"), of_server=True),
        ),
        posting_places=absence_rows.posting_places,
        export_person=person.export_person,
        replace_person=person.replace_person,
    ),
    # A server may have chosen another channel for its ladders.
    tick_jobs={"places of ladders": note_shut_ladders, "ladders": tick_ladders},
    outboxes={"news of ladders": LadderAnnouncer},
    before_first_board=announce_first,
    result_lines=ladder_result_lines,
    undone_lines=ladder_undone_lines,
    person_buttons=history_buttons,
)
