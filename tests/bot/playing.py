"""Helpers for the tests of matches: people, tables, and games played at random."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

import pytest

from bot.core import deadlines, leaving, time_acts, turns
from bot.core import table as tables
from bot.core.clock import Pace, Span
from bot.core.deadlines import Actor, PeopleById
from bot.core.events import Event, EventKind, Opening, Seating, Terms, body_with_reason, format_fields, replace_number
from bot.core.fold import fold_events, replay_match
from bot.core.match import Match
from bot.core.problems import MatchError, Problem
from bot.core.settings import Reminders, StoredPerson, UserSettings
from rules import VARIANTS, format_move, legal_moves

T = TypeVar("T")

GUILD, CHANNEL, THREAD = 900, 910, 920
ADA, BO, CY, DEE = 1001, 1002, 1003, 1004
PEOPLE = (ADA, BO, CY)
NOW = 1_700_000_000
START = NOW + 1
"""When a game of `live` begins."""


def existing(value: T | None) -> T:
    """Returns the value, which must be there."""
    assert value is not None
    return value


@contextmanager
def refused(problem: Problem, **values: object) -> Iterator[None]:
    """Expects a MatchError with that problem and exactly these values; `number` is compared only if given."""
    with pytest.raises(MatchError) as raised:
        yield
    found = {name: value for name, value in raised.value.values.items() if name != "number" or name in values}
    assert (raised.value.problem, found) == (problem, values)


def by(user: int, now: int = NOW, people: PeopleById = deadlines.NO_PEOPLE) -> Actor:
    """Returns the user as the person who acts at that time, in the server of the tests. Seats are not shuffled."""
    return Actor(user, now, GUILD, people, unshuffled)


def rename_match(match: Match, referee: Actor, title: str, reason: str) -> tuple[Event, ...]:
    """The match gets a title, as referees gave it until November 2026; an empty title removes it."""
    return match.next_events(referee.now, (EventKind.RENAMED, referee.user, body_with_reason("", reason, title)))


def leave_to_steward(match: Match, user: int) -> tuple[Event, ...]:
    """The user leaves a game of three and a steward takes the seat at once, as before substitutes were called."""
    passes = match.started_game.resign(existing(match.seat_of(user)), steward=True).passes or None
    return match.next_events(NOW, (EventKind.RESIGNED, user, format_fields(**{"pass": passes}, steward=1)))


def unshuffled(_: list[int]) -> None:
    """Shuffles nothing: the order of joining stays."""


def table(
    key: str = "camelot",
    *,
    invited: tuple[int, ...] = (),
    seating: Seating = Seating.JOIN_ORDER,
    pace: Pace = Pace.NONE,
    ladder: bool = False,
) -> list[Event]:
    """Returns the events of a table that Ada has just opened."""
    opening = Opening(GUILD, CHANNEL, Terms(VARIANTS[key], seating, True, pace, ladder), invited)
    return list(tables.open_table(opening, ADA, NOW))


def started(key: str = "camelot", *, pace: Pace = Pace.NONE, ladder: bool = False) -> list[Event]:
    """Returns the events of a match of Ada, Bo (and Cy), seated in that order, which began at NOW + 1."""
    events = table(key, pace=pace, ladder=ladder)
    for user in PEOPLE[1 : len(VARIANTS[key].seats)]:
        events += tables.join_table(replay_match(1, events), by(user, NOW + 1))
    return events


def absent(match: Match, *spans: Span) -> PeopleById:
    """Returns the players of that match as people whom nobody could reach in those spans."""
    return {user: StoredPerson(absences=spans) for user in match.players or match.table.joined}


def short_game() -> list[Event]:
    """Returns the events of a game in which Ada and Bo move once each, then Bo resigns."""
    events = started()
    for user, text in ((ADA, "F7-F8"), (BO, "F10-F9")):
        events += play_typed(replay_match(1, events), user, text, NOW)
    return [*events, *leaving.resign(replay_match(1, events), by(BO, NOW))]


def live(key: str = "camelot", *, pace: Pace = Pace.NONE, ladder: bool = False) -> Match:
    """Returns a match that has just begun."""
    return replay_match(1, started(key, pace=pace, ladder=ladder))


def anonymized(event: Event, user: int, stand_in: int) -> Event:
    """Returns the event as it is stored once the user has been forgotten."""
    named = stand_in if event.user == user else event.user
    return replace(event, user=named, body=replace_number(event.body, user, stand_in))


def followed(match: Match, events: Iterable[Event]) -> Match:
    """Returns the match after those events."""
    return fold_events(match, events)


def random_move(match: Match, rng: random.Random) -> str:
    """Returns a random legal move of that match, as text."""
    assert match.game is not None
    return format_move(rng.choice(legal_moves(match.game.position)), match.variant.board)


def play_typed(
    match: Match,
    user: int,
    text: str,
    now: int,
    board_version: int | None = None,
    people: PeopleById = deadlines.NO_PEOPLE,
) -> tuple[Event, ...]:
    """Returns the events of a typed move on the present board, or on that of `board_version`."""
    match.require_turn(user, board_version)
    move = turns.read_move(match, user, text)
    return turns.play_move(match, by(user, now, people), move, match.board_version)


def moved(match: Match, *moves: str) -> Match:
    """Returns the match after those moves, each made by the player to move."""
    for text in moves:
        match = followed(match, play_typed(match, existing(match.to_move), text, NOW))
    return match


QUIET: PeopleById = {ADA: StoredPerson(UserSettings(reminders=Reminders.OFF))}


def ticked(match: Match, people: PeopleById, now: int) -> tuple[Match, list[EventKind]]:
    """Returns the match after the tick at `now`, and the kinds of events that the tick added."""
    events = time_acts.tick(match, people, now)
    return followed(match, events), [event.kind for event in events]
