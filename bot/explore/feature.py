"""How explore hooks into the bot."""

from __future__ import annotations

from bot.explore.service import Trees
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature

EXPLORE = Feature(
    package="bot.explore",
    stored=StoredFeature(parts=(Trees,)),
)
