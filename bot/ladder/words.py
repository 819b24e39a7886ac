"""Ladders in words: rungs, rules, and the reasons for a ladder's refusals. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bot.core.clock import DAY, HOUR
from bot.core.ratings import UnratedReason
from bot.core.results import RungChanges
from bot.discordkit.errors import Explanation
from bot.ladder.acts import LadderError
from bot.ladder.state import (
    ANSWER_TIME_S,
    ASLEEP_AFTER_S,
    CHALLENGE_REACH,
    FREEZE_S,
    REFUSAL_SPAN_S,
    REMATCH_PAUSE_S,
    SEASON_S,
    Climber,
)
from bot.texts.i18n import Language, text
from bot.texts.markup import relative_time
from bot.texts.people import EXPECTED_REASONS, RATING_RULE_VALUES, mention_user, unrated_text

SIGNS = {"challenged": "⚔️", "queueing": "⏳", "frozen": "❄️"}
"""The signs of a climber: challenged, waiting for a game, barred from playing for some days."""


def climber_signs(climber: Climber, now: int) -> str:
    """Returns the signs beside a climber; empty for most climbers."""
    holds = {
        "challenged": climber.challenger is not None,
        "queueing": climber.queued_at is not None,
        "frozen": now < climber.frozen_until,
    }
    return " ".join(sign for name, sign in SIGNS.items() if holds[name])


def signs_legend(locale: Language, climbers: Iterable[Climber], now: int) -> str:
    """Returns the meanings of the signs beside these climbers, in small print; empty if there are none."""
    signs_shown = {sign for climber in climbers for sign in climber_signs(climber, now).split()}
    meanings = [f"{sign} {text(locale, f'ladder.mark-{name}')}" for name, sign in SIGNS.items() if sign in signs_shown]
    return f"-# {' · '.join(meanings)}" if meanings else ""


def rung_change_text(locale: Language, user: int, before: int | None, after: int) -> str:
    """Returns the change of a user's rung, "@Ada rung 2 → 3", or a sentence that they stay there."""
    key = "ladder.stays" if before in (None, after) else "ladder.moves"
    return text(locale, key, player=mention_user(user, locale), before=before, after=after)


def with_ladder_lines(
    locale: Language, lines: Sequence[str], unrated: UnratedReason | None, rungs: RungChanges
) -> list[str]:
    """Returns the lines about a game's end, which include ratings, followed by those about the ladder."""
    lines = list(lines)
    if unrated and rungs:  # players expect a ladder game to be rated, so tell why it is not
        if unrated in EXPECTED_REASONS:
            lines[-1] += " " + text(locale, f"rating.rungs.{unrated.value}", **LADDER_RULE_VALUES)
        else:
            lines.append(unrated_text(locale, unrated))
    if any(before != after for before, after in rungs.values()):
        changes = (rung_change_text(locale, user, *change) for user, change in rungs.items())
        lines += [text(locale, "ladder.brought", change=change) for change in changes]
    elif rungs:  # a draw, or a game that does not count
        lines.append(text(locale, "ladder.nobody-moves"))
    return lines


def explain_ladder_error(locale: Language, error: LadderError) -> str:
    """Returns the rule by which a ladder refuses a request, and when it will allow the request."""
    values = dict(error.values)
    key = f"refusal.{error.problem.value}"
    if isinstance(other := values.get("other"), int):
        values["other"] = mention_user(other, locale)
    if "until" in values:
        until = values["until"]
        # `until` is None only if a game has to end first.
        key = key if isinstance(until, int) else f"{key}-playing"
        values["until"] = relative_time(until) if isinstance(until, int) else ""
    return text(locale, key, **values, **LADDER_RULE_VALUES)


REFUSED_BY_LADDER = Explanation(LadderError, explain_ladder_error)


LADDER_RULE_VALUES: Mapping[str, object] = {
    "reach": CHALLENGE_REACH,
    "answer": ANSWER_TIME_S // HOUR,
    "rematch": REMATCH_PAUSE_S // DAY,
    "span": REFUSAL_SPAN_S // DAY,
    "freeze": FREEZE_S // DAY,
    "sleep": ASLEEP_AFTER_S // DAY,
    "weeks": SEASON_S // (7 * DAY),
    **RATING_RULE_VALUES,
}
"""The numbers in the rules of all ladders, by their placeholders in the sentences."""


def rules_pages(locale: Language) -> list[str]:
    """Returns all rules of a server's ladders, on pages that fit a phone."""
    pages = ("ladder.rules.text", "ladder.rules.games", "ladder.rules.standing")
    return [text(locale, page, **LADDER_RULE_VALUES) for page in pages]
