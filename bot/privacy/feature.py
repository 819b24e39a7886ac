"""The hooks of exporting and forgetting into the bot."""

from __future__ import annotations

from bot.play.context import Feature
from bot.play.service.matches import StoredFeature
from bot.privacy import commands
from bot.privacy.service import keep_forgetting

PRIVACY = Feature(
    modules=(commands,),
    stored=StoredFeature(upkeep=keep_forgetting),
)
