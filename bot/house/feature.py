"""How house hooks into the bot."""

from __future__ import annotations

from bot.house.service import House
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature

HOUSE = Feature(
    package="bot.house",
    stored=StoredFeature(parts=(House,)),
)
