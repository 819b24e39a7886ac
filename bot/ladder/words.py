"""Ladders and ratings in words: numbers, rungs, and the reasons for a ladder's refusals. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from bot.core.clock import DAY, HOUR
from bot.core.ratings import (
    MAX_RATED_TOGETHER,
    MIN_MOVES_PER_PLAYER,
    RATED_TOGETHER_SPAN_S,
    Rating,
    RatingChange,
)
from bot.core.settings import GuildSettings
from bot.discordkit.errors import explains_refusal
from bot.ladder.conditions import LadderError
from bot.ladder.scores import total_score, triad_points
from bot.ladder.stairs import (
    ANSWER_TIME_S,
    ASLEEP_AFTER_S,
    CHALLENGE_REACH,
    FREEZE_S,
    REFUSAL_SPAN_S,
    REMATCH_PAUSE_S,
    Climber,
    LadderGame,
)
from bot.ladder.standings import ResultEffects, UnratedReason
from bot.texts.clocks import relative_time
from bot.texts.i18n import Language, join_list, plural_text, text
from bot.texts.sentences import mention_user

CHALLENGED_SIGN, QUEUEING_SIGN, FROZEN_SIGN = "⚔️", "⏳", "❄️"
"""The signs of a climber: challenged, waiting for a game, barred from playing for some days."""

EXPECTED_REASONS = (UnratedReason.SHORT, UnratedReason.CAPPED)
"""Reasons stated even outside of ladders, because the players could expect a rating."""


def rating_number(rating: Rating, now: int) -> str:
    """The shown number, with a "?" while it is uncertain: "1512?"."""
    return f"{rating.shown_number}{'?' if rating.is_uncertain(now) else ''}"


def score_text(won: int, drawn: int, lost: int) -> str:
    """Games won, drawn and lost: "3–1–0"."""
    return f"{won}–{drawn}–{lost}"


def climber_signs(climber: Climber, now: int) -> str:
    """The signs beside a climber; empty for most."""
    signs = (
        (CHALLENGED_SIGN, climber.challenger is not None),
        (QUEUEING_SIGN, climber.queued_at is not None),
        (FROZEN_SIGN, now < climber.frozen_until),
    )
    return " ".join(sign for sign, holds in signs if holds)


def signs_legend(locale: Language, climbers: Iterable[Climber], now: int) -> str:
    """The meanings of the signs beside these climbers, in small print; empty if there are none."""
    signs_shown = {sign for climber in climbers for sign in climber_signs(climber, now).split()}
    keys = {
        CHALLENGED_SIGN: "ladder.mark-challenged",
        QUEUEING_SIGN: "ladder.mark-queueing",
        FROZEN_SIGN: "ladder.mark-frozen",
    }
    meanings = [f"{sign} {text(locale, key)}" for sign, key in keys.items() if sign in signs_shown]
    return f"-# {' · '.join(meanings)}" if meanings else ""


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


def step_change_text(locale: Language, user: int, before: int | None, after: int) -> str:
    """The change of a user's rung: "@Ada rung 2 → 3", or that they stay there."""
    key = "ladder.stays" if before in (None, after) else "ladder.moves"
    return text(locale, key, player=mention_user(user, locale), before=before, after=after)


def effects_text(locale: Language, effects: ResultEffects, now: int) -> list[str]:
    """The changes of ratings and rungs by the end of a game, a line each; empty if there are none."""
    lines = []
    if effects.ratings:
        ratings = (rating_change_text(locale, user, change, now) for user, change in effects.ratings.items())
        lines.append(text(locale, "rating.brought", changes=" · ".join(ratings)))
    elif effects.unrated and (effects.steps or effects.unrated in EXPECTED_REASONS):
        # A ladder game is expected to count: say why it does not, and what happens to the rungs.
        keys = [f"rating.unrated.{effects.unrated.value}"]
        if effects.steps and effects.unrated in EXPECTED_REASONS:
            keys.append(f"rating.steps.{effects.unrated.value}")
        lines.append(" ".join(text(locale, key, **LADDER_RULE_VALUES) for key in keys))
    if effects.triad:
        lines.append(_triad_text(locale, effects.triad))
    if effects.moves_rungs:
        steps = (step_change_text(locale, user, *change) for user, change in effects.steps.items())
        lines.append(text(locale, "ladder.brought", changes=" · ".join(steps)))
    elif effects.steps and not effects.triad:  # a draw, or a game that does not count
        lines.append(text(locale, "ladder.nobody-moves"))
    return lines


def undone_text(locale: Language, undone: ResultEffects, now: int) -> list[str]:
    """The changes of ratings and rungs by annulling a game, a line each; says so if there are none."""
    lines = effects_text(locale, replace(undone, steps=undone.steps if undone.moves_rungs else {}), now)
    return lines or [text(locale, "ladder.nothing-undone")]


def _triad_text(locale: Language, triad: LadderGame) -> str:
    """The state or result of a triad: each player's points, and the effect on the rungs."""
    scores = [score for _, score in triad.scores]
    sums = sorted(triad_points(triad.users, scores).items(), key=lambda entry: -entry[1])
    points_text = " · ".join(
        text(locale, "ladder.triad.points", player=mention_user(user, locale), points=sum_) for user, sum_ in sums
    )
    if len(scores) < len(triad.matches):
        return text(locale, "ladder.triad.on", over=len(scores), games=len(triad.matches), points=points_text)
    result = total_score(triad.users, scores)
    games = join_list(locale, [f"#{match}" for match in triad.matches])
    winner = mention_user(result.won[0], locale) if result.won else ""
    key = "ladder.triad.won" if winner else "ladder.triad.drawn" if result.drew else "ladder.triad.none"
    return text(locale, key, games=games, points=points_text, winner=winner)


@explains_refusal(LadderError)
def explain_ladder_error(locale: Language, error: LadderError) -> str:
    """The rule by which a ladder refuses, and when the request will be allowed."""
    values = dict(error.values)
    key = f"refusal.{error.problem.value}"
    if isinstance(other := values.get("other"), int):
        values["other"] = mention_user(other, locale)
    if isinstance(days := values.get("days"), int):
        values["days"] = plural_text(locale, "ladder.days", days)
    if "until" in values:
        until = values["until"]
        # Nobody knows when a game ends; every other `until` has a time.
        key = key if isinstance(until, int) else f"{key}-playing"
        values["until"] = relative_time(until) if isinstance(until, int) else ""
    return text(locale, key, **values, **LADDER_RULE_VALUES)


LADDER_RULE_VALUES: Mapping[str, object] = {
    "reach": CHALLENGE_REACH,
    "answer": ANSWER_TIME_S // HOUR,
    "rematch": REMATCH_PAUSE_S // DAY,
    "span": REFUSAL_SPAN_S // DAY,
    "freeze": FREEZE_S // DAY,
    "sleep": ASLEEP_AFTER_S // DAY,
    "cap": MAX_RATED_TOGETHER,
    "cap_span": RATED_TOGETHER_SPAN_S // DAY,
    "fewest": MIN_MOVES_PER_PLAYER,
}
"""The numbers in the rules of all ladders, by their placeholders in the sentences."""


_RULES_PAGES = ("ladder.rules.text", "ladder.rules.games", "ladder.rules.standing")


def rules_pages(locale: Language, settings: GuildSettings) -> list[str]:
    """All rules of a server's ladders, on pages that fit a phone."""
    membership = settings.membership_days
    days, weeks = (
        plural_text(locale, "ladder.days", membership),
        plural_text(locale, "ladder.weeks", settings.season_weeks),
    )
    joined = text(locale, "ladder.rules.membership", days=days) if membership else ""
    pages = (text(locale, page, weeks=weeks, membership=joined, **LADDER_RULE_VALUES) for page in _RULES_PAGES)
    return [page.replace(" \n", "\n") for page in pages]
