"""How explore hooks into the bot."""

from __future__ import annotations

from bot.explore import rows
from bot.explore.service import Trees
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature
from bot.store.tables import Table

EXPLORE = Feature(
    package="bot.explore",
    stored=StoredFeature(
        parts=(Trees,),
        tables=(
            Table("trees", ("id",), is_numbered=True, of_match=True, of_person=True),
            Table("tree_nodes", ("tree", "node")),  # deleted with its tree by the database
        ),
        export_person=rows.export_person,
        footprint=rows.count_for_person,
    ),
)
