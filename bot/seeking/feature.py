"""How seeking hooks into the bot."""

from __future__ import annotations

from bot.play.context import Feature
from bot.play.service.matches import StoredFeature
from bot.seeking.service import Seekers

SEEKING = Feature(
    package="bot.seeking",
    stored=StoredFeature(parts=(Seekers,)),
)
