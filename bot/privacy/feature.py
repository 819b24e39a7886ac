"""The hooks of exporting and forgetting into the bot."""

from __future__ import annotations

from bot.play.context import Feature
from bot.play.service.matches import Matches, StoredFeature
from bot.privacy.service import Privacy


async def _tick(matches: Matches, now: int) -> None:
    await matches.part(Privacy).tick(now)


PRIVACY = Feature(
    package="bot.privacy",
    stored=StoredFeature(parts=(Privacy,), upkeep=_tick),
)
