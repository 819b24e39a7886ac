"""The hooks of explore into the bot."""

from __future__ import annotations

from bot.core.clock import HOUR
from bot.explore import panel, tools
from bot.explore.openings import count_opening, count_result
from bot.explore.service import TREES_OF_PERSON_SQL, drop_old_trees, export_person
from bot.explore.tools import explore_buttons, note_on_match
from bot.play.context import Feature, JobKind, OnTick
from bot.store.database_tables import Table

EXPLORE = Feature(
    modules=(panel, tools),
    after_events=count_result,
    database_tables=(
        Table("trees", ("id",), is_numbered=True, of_match=True, of_person=True, count_sql=TREES_OF_PERSON_SQL),
        Table("tree_nodes", ("tree", "number")),  # deleted with its tree by the database
        Table("opening_games", ("guild", "position", "match", "move"), of_match=True, of_server=True),
    ),
    export_person=export_person,
    match_buttons=explore_buttons,
    remark=note_on_match,
    work=(
        JobKind("opening", count_opening),
        OnTick("old trees", lambda context, now: drop_old_trees(context.service, now), every_s=HOUR),
    ),
)
