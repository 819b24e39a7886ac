"""The hooks of the lessons into the bot."""

from __future__ import annotations

from bot.discordkit.slash import TopLevel
from bot.play.context import Feature

LEARN = Feature(
    package="bot.learn",
    top_levels={"learn": TopLevel(private=True, first=("lessons",))},
)
