"""How profile hooks into the bot."""

from __future__ import annotations

from bot.play.context import Feature
from bot.play.service.matches import StoredFeature
from bot.profile.service import Profiles

PROFILE = Feature(
    package="bot.profile",
    stored=StoredFeature(parts=(Profiles,)),
)
