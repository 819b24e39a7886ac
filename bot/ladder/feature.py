"""How ladder hooks into the bot."""

from __future__ import annotations

from bot.discordkit.slash import TopLevel
from bot.ladder.service import Ladders
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature

LADDER = Feature(
    package="bot.ladder",
    top_levels={"ladder": TopLevel(first=("show", "join", "queue", "challenge"))},
    stored=StoredFeature(parts=(Ladders,)),
)
