"""How ladder hooks into the bot."""

from __future__ import annotations

from bot.discordkit.slash import TopLevel
from bot.ladder import person
from bot.ladder.service import Ladders
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature
from bot.store.tables import Table

LADDER = Feature(
    package="bot.ladder",
    top_levels={"ladder": TopLevel(first=("show", "join", "queue", "challenge"))},
    stored=StoredFeature(
        parts=(Ladders,),
        tables=(
            Table("ladder_entries", ("guild", "variant", "seq"), of_server=True, lists_servers=True),
            Table("ladders", ("guild", "variant"), of_server=True, lists_servers=True),
            Table("climbers", ("guild", "variant", "user"), of_server=True),
            Table("ladder_challenges", ("guild", "variant", "challenger"), of_server=True),
            Table("ladder_games", ("match",), of_match=True),
            Table("ladder_meetings", ("guild", "variant", "one", "two"), of_server=True),
            Table("ladder_steps", ("guild", "variant", "seq", "user"), of_server=True),
            Table("members", ("guild", "user"), of_server=True, of_person=True, lists_servers=True),
        ),
        export_person=person.export_person,
        replace_person=person.replace_person,
    ),
)
