"""The hooks of house players into the bot."""

from __future__ import annotations

from bot.house import commands
from bot.house.service import HousePlayers
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature

HOUSE = Feature(
    modules=(commands,),
    stored=StoredFeature(plays_house=True),
    work=(HousePlayers,),
)
