"""The hooks of profiles into the bot."""

from __future__ import annotations

from bot.discordkit.slash import TopLevel
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature
from bot.profile import commands
from bot.profile.commands import profile_buttons
from bot.profile.service import Profiles

PROFILE = Feature(
    modules=(commands,),
    top_levels={"ladder": TopLevel()},
    stored=StoredFeature(parts=(Profiles,)),
    person_buttons=profile_buttons,
)
