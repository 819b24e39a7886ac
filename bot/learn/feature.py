"""The hooks of the lessons into the bot."""

from __future__ import annotations

from bot.discordkit.slash import TopLevel
from bot.learn import lessons
from bot.play.context import Feature

LEARN = Feature(
    modules=(lessons,),
    top_levels={"learn": TopLevel(private=True, first=("lessons",))},
)
