"""How review hooks into the bot."""

from __future__ import annotations

from bot.play.context import Feature
from bot.play.service.matches import StoredFeature
from bot.review.commands import review_button
from bot.review.service import Reviews

REVIEW = Feature(
    package="bot.review",
    stored=StoredFeature(parts=(Reviews,)),
    match_buttons=review_button,
)
