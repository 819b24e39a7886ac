"""The hooks of the list of seekers into the bot."""

from __future__ import annotations

from bot.play.context import Beside, Feature
from bot.seeking import service
from bot.seeking.service import add_seek_button, call_seekers, choose_for_seat, export_person, seek_buttons_at
from bot.store.database_tables import Table

SEEKING = Feature(
    modules=(service,),
    database_tables=(
        Table("seekers", ("guild", "user"), of_server=True, of_person=True),
        Table("tables_called", ("match",), of_match=True),
    ),
    export_person=export_person,
    match_buttons=seek_buttons_at,
    add_notes=add_seek_button,
    choose_for_seat=choose_for_seat,
    work=(Beside("seekers", call_seekers),),
)
