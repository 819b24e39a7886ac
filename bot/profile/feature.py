"""The hooks of profiles into the bot."""

from __future__ import annotations

from bot.play.context import Feature
from bot.profile import commands
from bot.profile.commands import add_profile_button

PROFILE = Feature(
    modules=(commands,),
    add_notes=add_profile_button,
)
