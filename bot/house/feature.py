"""The hooks of house players into the bot."""

from __future__ import annotations

from bot.house import commands
from bot.house.service import HousePlayers
from bot.play.context import Feature

HOUSE = Feature(
    modules=(commands,),
    plays_house=True,
    match_buttons=commands.hint_button,
    add_notes=commands.tell_hints,
    work=(HousePlayers,),
)
