"""The hooks of the list of seekers into the bot."""

from __future__ import annotations

from bot.play.context import Beside, Feature
from bot.play.service.matches import StoredFeature
from bot.seeking import service
from bot.seeking.service import (
    call_seekers,
    call_to_seat,
    export_person,
    seek_buttons_at,
    seek_buttons_below_games,
)
from bot.store.database_tables import Table

SEEKING = Feature(
    modules=(service,),
    stored=StoredFeature(
        tables=(
            Table("seekers", ("guild", "user"), of_server=True, of_person=True),
            Table("tables_called", ("match",), of_match=True),
        ),
        export_person=export_person,
    ),
    match_buttons=seek_buttons_at,
    own_games_buttons=seek_buttons_below_games,
    call_to_seat=call_to_seat,
    work=(Beside("seekers", call_seekers),),
)
