"""The hooks of house players into the bot."""

from __future__ import annotations

from bot.house.service import HousePlayers
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature

HOUSE = Feature(
    package="bot.house",
    stored=StoredFeature(plays_house=True),
    cogs=(lambda context, announce, connected: HousePlayers(context, context.engine, announce, connected),),
)
