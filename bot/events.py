"""The story of a match as it is stored: events, and how their bodies are written and read.

The bodies are short, because a game has hundreds of them, and readable, because people look into databases.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from rules import VARIANTS, Cause, Outcome, Variant


class Kind(Enum):
    """What happened. The values are stored and never change."""

    OPENED = 1  # user: the host, who is seated by it. body: see `format_opening`
    JOINED = 2  # user
    LEFT = 3  # user
    DECLINED = 4  # user
    CANCELLED = 5  # user: the host
    EXPIRED = 6
    STARTED = 7  # body: the players in seat order, "11,22"
    THREADED = 8  # body: the thread in which the match goes on, "" for its channel
    MOVED = 9  # body: the move in canonical notation, " pass:N" behind it if N turns passed; by whoever was to move
    RESIGNED = 10  # user. body: "pass:N" if N turns passed
    ENDED = 11  # body: the cause and the seats that won, "castle:0", "few-pieces:"


NEWSWORTHY = frozenset({Kind.STARTED, Kind.MOVED, Kind.RESIGNED, Kind.ENDED, Kind.CANCELLED, Kind.EXPIRED})
"""The kinds of events of which the players are to be told."""


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a match's story. `seq` counts from 1 without a gap, `at` is in unix seconds."""

    seq: int
    at: int
    kind: Kind
    user: int | None = None
    body: str = ""


class Seating(Enum):
    """Who gets which seat. The values are stored and never change."""

    RANDOM = "random"
    JOIN_ORDER = "join-order"


class Opening(NamedTuple):
    """What a table is opened for, and where."""

    guild: int
    channel: int
    variant: Variant
    seating: Seating
    wants_thread: bool
    invited: tuple[int, ...]


def format_opening(opening: Opening) -> str:
    """The body of OPENED: "tri-camelot guild:1 channel:2 seats:random thread:1 invited:3,4"."""
    return (
        f"{opening.variant.key} guild:{opening.guild} channel:{opening.channel} seats:{opening.seating.value}"
        f" thread:{int(opening.wants_thread)} invited:{format_numbers(opening.invited)}"
    )


def parse_opening(body: str) -> Opening:
    """What `format_opening` wrote."""
    key, *words = body.split(" ")
    values = dict(word.split(":", 1) for word in words)
    return Opening(
        guild=int(values["guild"]),
        channel=int(values["channel"]),
        variant=VARIANTS[key],
        seating=Seating(values["seats"]),
        wants_thread=values["thread"] == "1",
        invited=parse_numbers(values["invited"]),
    )


def format_turn(text: str, passes: int) -> str:
    """The body of MOVED, or with no text of RESIGNED: "F7-F9", "F7-F9 pass:1", "pass:1"."""
    return f"{text} pass:{passes}".lstrip() if passes else text


def parse_turn(body: str) -> tuple[str, int]:
    """The move's text and the number of turns that passed behind it."""
    text, _, passes = body.partition("pass:")
    return text.rstrip(), int(passes or 0)


def format_outcome(outcome: Outcome) -> str:
    """The body of ENDED: "castle:0", "stalemate:0,2", "few-pieces:"."""
    return f"{outcome.cause.value}:{format_numbers(outcome.winners)}"


def parse_outcome(body: str) -> Outcome:
    """What `format_outcome` wrote."""
    cause, _, winners = body.partition(":")
    return Outcome(Cause(cause), parse_numbers(winners))


def format_numbers(numbers: Iterable[int]) -> str:
    """Ids or seats as text: "11,22"; "" for none."""
    return ",".join(map(str, numbers))


def parse_numbers(text: str) -> tuple[int, ...]:
    """What `format_numbers` wrote."""
    return tuple(int(number) for number in text.split(",") if number)
