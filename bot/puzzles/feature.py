"""How puzzles hooks into the bot."""

from __future__ import annotations

from bot.discordkit.slash import TopLevel
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature
from bot.puzzles.posts import PuzzleAnnouncer, mine_next_game, tick_puzzles
from bot.puzzles.service import Puzzles

PUZZLES = Feature(
    package="bot.puzzles",
    top_levels={"puzzle": TopLevel(private=True)},
    tick_jobs={"puzzles": tick_puzzles},
    background_jobs={"mining puzzles": lambda context, _: mine_next_game(context)},
    outboxes={"news of puzzles": PuzzleAnnouncer},
    stored=StoredFeature(parts=(Puzzles,)),
)
