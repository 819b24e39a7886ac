"""What the tests of matches share: people, tables, and games played at random."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

from bot.events import Event, Opening, Seating
from bot.match import Match
from bot.matches import table as tables
from bot.matches import turns
from bot.problems import MatchError, Problem
from rules import VARIANTS, Variant, format_move, legal_moves

GUILD, CHANNEL, THREAD = 900, 910, 920
ADA, BO, CY, DEE = 1001, 1002, 1003, 1004
PEOPLE = (ADA, BO, CY)
NOW = 1_700_000_000


@contextmanager
def refused(problem: Problem, **values: object) -> Iterator[None]:
    """Expects exactly that problem with exactly these values, and the number of the match if it is named."""
    with pytest.raises(MatchError) as raised:
        yield
    found = {name: value for name, value in raised.value.values.items() if name != "number" or name in values}
    assert (raised.value.problem, found) == (problem, values)


def unshuffled(_: list[int]) -> None:
    """A shuffle that leaves the order of joining."""


def table(key: str = "camelot", *, invited: tuple[int, ...] = (), seating: Seating = Seating.JOIN_ORDER) -> list[Event]:
    """The events of a table that Ada has just opened."""
    opening = Opening(GUILD, CHANNEL, VARIANTS[key], seating, True, invited)
    return list(tables.open_table(opening, ADA, NOW))


def started(key: str = "camelot", variant: Variant | None = None) -> list[Event]:
    """The events of a match that has just begun: Ada, Bo (and Cy) in that order."""
    events = table(key)
    for user in PEOPLE[1 : len((variant or VARIANTS[key]).seats)]:
        events += tables.join(Match.replay(1, events), user, NOW + 1, unshuffled)
    return events


def live(key: str = "camelot") -> Match:
    """A match that has just begun."""
    return Match.replay(1, started(key))


def followed(match: Match, events: Iterable[Event]) -> Match:
    """The match after those events."""
    for event in events:
        match = match.apply(event)
    return match


def random_move(match: Match, rng: random.Random) -> str:
    """A legal move of that match, as text."""
    assert match.game is not None
    return format_move(rng.choice(legal_moves(match.game.position)), match.variant.board)


def random_turn(match: Match, rng: random.Random, now: int) -> tuple[Event, ...]:
    """What somebody does: mostly the player to move moves, now and then somebody resigns."""
    assert match.to_move is not None
    still = [user for user in match.players if user not in match.resigned]
    if rng.random() < 0.01:
        return turns.resign(match, rng.choice(still), now)
    return turns.move(match, match.to_move, random_move(match, rng), now)
