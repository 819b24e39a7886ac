"""The hooks of exporting and forgetting into the bot."""

from __future__ import annotations

from bot.play.context import Feature, OnTick
from bot.privacy import commands
from bot.privacy.service import keep_forgetting

PRIVACY = Feature(
    modules=(commands,),
    work=(OnTick("people to forget", lambda context, now: keep_forgetting(context.service, now)),),
)
