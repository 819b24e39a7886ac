"""How puzzles hooks into the bot."""

from __future__ import annotations

from bot.discordkit.slash import TopLevel
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature
from bot.puzzles.service import Puzzles

PUZZLES = Feature(
    package="bot.puzzles",
    top_levels={"puzzle": TopLevel(private=True)},
    stored=StoredFeature(parts=(Puzzles,)),
)
