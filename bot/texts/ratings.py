"""Ratings in words: numbers, and what a game has changed. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from bot.core.clock import DAY
from bot.core.ratings import (
    MAX_RATED_TOGETHER,
    MIN_MOVES_PER_PLAYER,
    RATED_TOGETHER_SPAN_S,
    Rating,
    RatingChange,
    RatingEffects,
    UnratedReason,
)
from bot.texts.i18n import Language, text
from bot.texts.mentions import mention_user

RATING_RULE_VALUES: Mapping[str, object] = {
    "cap": MAX_RATED_TOGETHER,
    "cap_span": RATED_TOGETHER_SPAN_S // DAY,
    "fewest": MIN_MOVES_PER_PLAYER,
}
"""The numbers in the rules of ratings, by their placeholders in the sentences."""

EXPECTED_REASONS = (UnratedReason.SHORT, UnratedReason.CAPPED)
"""Reasons stated even outside of ladders, because the players could expect a rating."""


def rating_number(rating: Rating, now: int) -> str:
    """The shown number, with a "?" while it is uncertain: "1512?"."""
    return f"{rating.shown_number}{'?' if rating.is_uncertain(now) else ''}"


def score_text(won: int, drawn: int, lost: int) -> str:
    """Games won, drawn and lost: "3–1–0"."""
    return f"{won}–{drawn}–{lost}"


def rating_change_text(locale: Language, user: int, change: RatingChange, now: int) -> str:
    """The change of a user's rating by a game: "@Ada 1512 → 1530 (+18)"."""
    before, after = (rating_number(rating, now) for rating in (change.before, change.after))
    return text(
        locale,
        "rating.change",
        player=mention_user(user, locale),
        before=before,
        after=after,
        points=change.points_gained,
    )


def rating_changes_text(locale: Language, changes: Mapping[int, RatingChange], now: int) -> str:
    """The changes of several users' ratings, in a line."""
    ratings = (rating_change_text(locale, user, change, now) for user, change in changes.items())
    return text(locale, "rating.brought", changes=" · ".join(ratings))


def unrated_text(locale: Language, reason: UnratedReason) -> str:
    """Why a game is not rated."""
    return text(locale, f"rating.unrated.{reason.value}", **RATING_RULE_VALUES)


def rating_lines(locale: Language, effects: RatingEffects, now: int) -> list[str]:
    """The changes of ratings by the end of a game, or why there are none if players could expect any."""
    if effects.ratings:
        return [rating_changes_text(locale, effects.ratings, now)]
    return [unrated_text(locale, effects.unrated)] if effects.unrated in EXPECTED_REASONS else []
