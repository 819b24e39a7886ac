"""The hooks of profiles into the bot."""

from __future__ import annotations

from bot.play.context import Feature
from bot.profile import commands
from bot.profile.commands import profile_buttons

PROFILE = Feature(
    modules=(commands,),
    person_buttons=profile_buttons,
)
