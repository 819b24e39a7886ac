"""How explore hooks into the bot."""

from __future__ import annotations

from bot.explore.commands import explore_buttons
from bot.explore.notes import notes_on_match
from bot.explore.service import Trees, drop_old_trees
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature

EXPLORE = Feature(
    package="bot.explore",
    stored=StoredFeature(parts=(Trees,), hourly_upkeep=drop_old_trees),
    match_buttons=explore_buttons,
    own_notes=notes_on_match,
)
