"""People in sentences: mentions, names of house players, a word for those who are forgotten, and ratings. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from bot.core.clock import DAY
from bot.core.events import is_former
from bot.core.house_seats import HOUSE_PLAYERS_BY_ID, house_level_of, is_house
from bot.core.ratings import (
    MAX_RATED_TOGETHER,
    MIN_MOVES_PER_PLAYER,
    RATED_TOGETHER_SPAN_S,
    Rating,
    RatingEffects,
    UnratedReason,
)
from bot.texts.i18n import Language, text

_MENTION = re.compile(r"<@(\d+)>")


def mention_user(user: int, locale: Language) -> str:
    """Discord's markup for a person, a house player's name, or a word for a forgotten user.

    The code that sends the message decides whether the mention pings.
    """
    return name_outside_discord(user, locale) or f"<@{user}>"


def name_outside_discord(user: int, locale: Language) -> str | None:
    """The text for a number that is not a Discord user: a house player or a forgotten user; None for any other."""
    if is_house(user):
        return house_name(user, locale)
    return text(locale, "former-player") if is_former(user) else None


def house_name(user: int, locale: Language) -> str:
    """A house player's name with its level: "🐕 Cabal · easy bot". Also fits into headers of records."""
    known = HOUSE_PLAYERS_BY_ID.get(user)
    face, name = (known.face, known.name) if known else ("🤖", str(user))
    return text(locale, "house-player", face=face, name=name, level=text(locale, f"level.{house_level_of(user)}"))


def mention_users(locale: Language, users: Iterable[int]) -> list[str]:
    """`mention_user` for each user."""
    return [mention_user(user, locale) for user in users]


def users_mentioned(content: str) -> list[int]:
    """The users mentioned in that text, each once."""
    return list(dict.fromkeys(int(number) for number in _MENTION.findall(content)))


def replace_mentions(content: str, names: Mapping[int, str]) -> str:
    """The text with mentions replaced by those names."""
    return _MENTION.sub(lambda match: names.get(int(match[1]), match[0]), content)


# Ratings: numbers, and what a game has changed


RATING_RULE_VALUES: Mapping[str, object] = {
    "cap": MAX_RATED_TOGETHER,
    "cap_span": RATED_TOGETHER_SPAN_S // DAY,
    "fewest": MIN_MOVES_PER_PLAYER,
}
"""The numbers in the rules of ratings, by their placeholders in the sentences."""

EXPECTED_REASONS = (UnratedReason.SHORT, UnratedReason.CAPPED)
"""Reasons stated even outside of ladders, because the players could expect a rating."""


def rating_number(locale: Language, rating: Rating, now: int) -> str:
    """The shown number, with a word while it is uncertain: "1512 (provisional)"."""
    return text(locale, "rating.provisional" if rating.is_uncertain(now) else "rating.sure", number=rating.shown_number)


def score_text(won: int, drawn: int, lost: int) -> str:
    """Games won, drawn and lost: "3–1–0"."""
    return f"{won}–{drawn}–{lost}"


def unrated_text(locale: Language, reason: UnratedReason) -> str:
    """Why a game is not rated."""
    return text(locale, f"rating.unrated.{reason.value}", **RATING_RULE_VALUES)


def rating_lines(locale: Language, effects: RatingEffects, now: int) -> list[str]:
    """The changes of ratings by the end of a game, a line for each person, the largest gain first:
    "📈 @Ada +18: 1512 → 1530"; or why there are none if players could expect any.
    """
    if not effects.ratings:
        return [unrated_text(locale, effects.unrated)] if effects.unrated in EXPECTED_REASONS else []
    return [
        text(
            locale,
            "rating.change",
            player=mention_user(user, locale),
            before=change.before.shown_number,
            after=rating_number(locale, change.after, now),
            points=change.points_gained,
        )
        for user, change in sorted(effects.ratings.items(), key=lambda item: -item[1].points_gained)
    ]
