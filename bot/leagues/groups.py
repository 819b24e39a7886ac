"""The divisions of a league: who plays in which group, who goes up and who goes down. Pure.

A division is one group. Divisions are numbered from 0, the highest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

DEFAULT_MOVERS = 2
"""How many go up from a division, and how many go down to it, unless a league says otherwise."""

Divisions = tuple[tuple[int, ...], ...]
"""The users of each division, the highest division first, best first."""


def least_sign_ups(players_per_game: int) -> int:
    """How many people a season needs: 2 in games of two, 3 in games of three."""
    return players_per_game


def split_groups(count: int, least: int, most: int, players_per_game: int = 2) -> tuple[int, ...]:
    """The sizes of the groups for that many people, as equal as possible, larger groups first.

    Sizes lie between `least` and `most` if the number allows that, else as near as it allows; always from 3 to 10
    (from 2, for two people in games of two). Among equal splits, those with complete triples come first in games of
    three, then those with fewer groups.
    """
    raise NotImplementedError


class Zone(NamedTuple):
    """How many of a division go up and down at the end of the season."""

    up: int
    down: int


def zones_of(sizes: Sequence[int], movers: int = DEFAULT_MOVERS) -> tuple[Zone, ...]:
    """The zones of each division: `movers` up and down, fewer in small divisions, so that somebody always stays."""
    raise NotImplementedError


class Movement(Enum):
    """What the end of a season means for a person. The values are stored and never change."""

    UP = "up"
    STAYS = "stays"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class FinalPlace:
    """A person at the end of a season."""

    user: int
    division: int
    place: int
    """From 1; people with the same place share it."""
    movement: Movement = Movement.STAYS


def movements(places: Sequence[int], zone: Zone) -> tuple[Movement, ...]:
    """What each place of a division means, for places in the order of the table.

    Who shares the last place of promotion goes up too; who shares a place with somebody who stays does not go down.
    """
    raise NotImplementedError


def first_divisions(ratings: Mapping[int, float], sizes: Iterable[int]) -> Divisions:
    """The divisions of a first season by rating, best first; equal ratings in the order given."""
    raise NotImplementedError


def next_divisions(
    last: Iterable[FinalPlace],
    signed_up: Collection[int],
    ratings: Mapping[int, float],
    *,
    least: int,
    most: int,
    players_per_game: int,
) -> Divisions:
    """The divisions of the next season for everybody who signed up, each exactly once.

    `last` are the people of the last season in the order of its tables, the highest division first. Who did not play
    then begins at the bottom, by rating.
    """
    raise NotImplementedError
