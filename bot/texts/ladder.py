"""Ladders and ratings in words: numbers, rungs, and why a ladder refuses something. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from bot.ladder.conditions import LadderError
from bot.ladder.ratings import CAP, CAP_SPAN, FEWEST_MOVES, Change, Rating
from bot.ladder.scores import points, total
from bot.ladder.stairs import ANSWER, FREEZE, REACH, REFUSAL_SPAN, REMATCH, SLEEP, Climber, LadderGame
from bot.ladder.standings import Brought, Unrated
from bot.people.clock import DAY, HOUR
from bot.people.settings import GuildSettings
from bot.texts.clocks import instant
from bot.texts.i18n import Language, join, plural, text
from bot.texts.sentences import mention

CHALLENGED, QUEUEING, FROZEN = "⚔️", "⏳", "❄️"
"""Signs beside a climber: challenged by somebody, waiting for a game, not allowed to play for the time being."""

EXPECTED = (Unrated.SHORT, Unrated.CAPPED)
"""Why a game outside of ladders is not rated although its players could expect it."""


def number(rating: Rating, now: int) -> str:
    """The number that people see, with a "?" while it is uncertain: "1512?"."""
    return f"{rating.number}{'?' if rating.uncertain(now) else ''}"


def score(won: int, drawn: int, lost: int) -> str:
    """Games won, drawn and lost: "3–1–0"."""
    return f"{won}–{drawn}–{lost}"


def marks(climber: Climber, now: int) -> str:
    """The signs beside a climber; empty for most."""
    signs = (
        (CHALLENGED, climber.challenger is not None),
        (QUEUEING, climber.queued_at is not None),
        (FROZEN, now < climber.frozen_until),
    )
    return " ".join(sign for sign, holds in signs if holds)


def legend(locale: Language, climbers: Iterable[Climber], now: int) -> str:
    """What the signs beside these climbers mean, in small print; empty if there are none."""
    seen = {sign for climber in climbers for sign in marks(climber, now).split()}
    keys = {CHALLENGED: "ladder.mark-challenged", QUEUEING: "ladder.mark-queueing", FROZEN: "ladder.mark-frozen"}
    found = [f"{sign} {text(locale, key)}" for sign, key in keys.items() if sign in seen]
    return f"-# {' · '.join(found)}" if found else ""


def changed(locale: Language, user: int, change: Change, now: int) -> str:
    """What a game has made of somebody's rating: "@Ada 1512 → 1530 (+18)"."""
    before, after = (number(rating, now) for rating in (change.before, change.after))
    return text(locale, "rating.change", player=mention(user, locale), before=before, after=after, points=change.points)


def moved(locale: Language, user: int, before: int | None, after: int) -> str:
    """Where somebody stood and stands: "@Ada rung 2 → 3", or that they stay there."""
    key = "ladder.stays" if before in (None, after) else "ladder.moves"
    return text(locale, key, player=mention(user, locale), before=before, after=after)


def brought_text(locale: Language, brought: Brought, now: int) -> list[str]:
    """What the end of a game has made of ratings and rungs, a line each; nothing where it has made nothing of them."""
    lines = []
    if brought.ratings:
        ratings = (changed(locale, user, change, now) for user, change in brought.ratings.items())
        lines.append(text(locale, "rating.brought", changes=" · ".join(ratings)))
    elif brought.unrated and (brought.steps or brought.unrated in EXPECTED):
        # A ladder game is expected to count: say why it does not, and what becomes of its rungs.
        told = [f"rating.unrated.{brought.unrated.value}"]
        if brought.steps and brought.unrated in EXPECTED:
            told.append(f"rating.steps.{brought.unrated.value}")
        lines.append(" ".join(text(locale, key, **RULES) for key in told))
    if brought.triad:
        lines.append(_triad(locale, brought.triad))
    if brought.moves:
        steps = (moved(locale, user, *change) for user, change in brought.steps.items())
        lines.append(text(locale, "ladder.brought", changes=" · ".join(steps)))
    elif brought.steps and not brought.triad:  # a draw, or a game that does not count
        lines.append(text(locale, "ladder.nobody-moves"))
    return lines


def undone_text(locale: Language, undone: Brought, now: int) -> list[str]:
    """What annulling a game has made of ratings and rungs, a line each; also that it has made nothing of them."""
    lines = brought_text(locale, replace(undone, steps=undone.steps if undone.moves else {}), now)
    return lines or [text(locale, "ladder.nothing-undone")]


def _triad(locale: Language, triad: LadderGame) -> str:
    """How a triad stands or has ended: everybody's points, and what that means for the rungs."""
    scores = [score for _, score in triad.scores]
    sums = sorted(points(triad.users, scores).items(), key=lambda one: -one[1])
    told = " · ".join(
        text(locale, "ladder.triad.points", player=mention(user, locale), points=sum_) for user, sum_ in sums
    )
    if len(scores) < len(triad.matches):
        return text(locale, "ladder.triad.on", over=len(scores), games=len(triad.matches), points=told)
    result = total(triad.users, scores)
    games = join(locale, [f"#{match}" for match in triad.matches])
    winner = mention(result.won[0], locale) if result.won else ""
    key = "ladder.triad.won" if winner else "ladder.triad.drawn" if result.drew else "ladder.triad.none"
    return text(locale, key, games=games, points=told, winner=winner)


def refused(locale: Language, error: LadderError) -> str:
    """Which rule a ladder refuses by, and when it will be allowed."""
    values = dict(error.values)
    key = f"refusal.{error.refusal.value}"
    if isinstance(other := values.get("other"), int):
        values["other"] = mention(other, locale)
    if isinstance(days := values.get("days"), int):
        values["days"] = plural(locale, "ladder.days", days)
    if "until" in values:
        until = values["until"]
        # A game's end is nobody's to know; everything else has a time.
        key = key if isinstance(until, int) else f"{key}-playing"
        values["until"] = instant(until) if isinstance(until, int) else ""
    return text(locale, key, **values, **RULES)


RULES: Mapping[str, object] = {
    "reach": REACH,
    "answer": ANSWER // HOUR,
    "rematch": REMATCH // DAY,
    "span": REFUSAL_SPAN // DAY,
    "freeze": FREEZE // DAY,
    "sleep": SLEEP // DAY,
    "cap": CAP,
    "cap_span": CAP_SPAN // DAY,
    "fewest": FEWEST_MOVES,
}
"""The numbers that the rules of all ladders name, as the sentences call them."""


_RULES_PAGES = ("ladder.rules.text", "ladder.rules.games", "ladder.rules.standing")


def rules_pages(locale: Language, settings: GuildSettings) -> list[str]:
    """Every rule of a server's ladders, on pages that fit a phone."""
    membership = settings.membership_days
    days, weeks = plural(locale, "ladder.days", membership), plural(locale, "ladder.weeks", settings.season_weeks)
    joined = text(locale, "ladder.rules.membership", days=days) if membership else ""
    pages = (text(locale, page, weeks=weeks, membership=joined, **RULES) for page in _RULES_PAGES)
    return [page.replace(" \n", "\n") for page in pages]
