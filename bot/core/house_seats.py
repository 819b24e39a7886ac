"""The house players: the program's own seats at the table, of three levels. Pure.

Each has a number of its own, below all of Discord's ids, so that it stands in events, seats and results as a person
does. There are two of each level: three may play one game, of whom one at least is a person.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

MIN_HOUSE_ID, MAX_HOUSE_ID = 100, 999
"""The numbers that are kept for house players. Those below stand for people who asked to be forgotten."""

HOUSE_LEVELS = ("easy", "medium", "hard")
"""From the weakest on; the names are those of `engine.HOUSE_LEVELS`, and catalogue keys."""


class HousePlayer(NamedTuple):
    """A player that is the program. Animals of Arthur's world, so that nobody takes one for a person."""

    user: int
    level: str
    name: str
    """The same in every language."""
    face: str
    """An emoji."""


HOUSE_PLAYERS_BY_ID = {
    player.user: player
    for player in (
        HousePlayer(101, "easy", "Cabal", "🐕"),  # Arthur's hound
        HousePlayer(102, "easy", "Lamrei", "🐎"),  # and mare
        HousePlayer(201, "medium", "Gringolet", "🐴"),  # Gawain's horse
        HousePlayer(202, "medium", "Capalu", "🐈"),  # the cat of the lake
        HousePlayer(301, "hard", "Twrch", "🐗"),  # the boar that Arthur hunted
        HousePlayer(302, "hard", "Glatisant", "🐆"),  # the Questing Beast
    )
}
"""By their numbers, which are stored and never change."""


def is_house(user: int | None) -> bool:
    """Whether that is the number of a house player, also of one that this version does not know."""
    return user is not None and MIN_HOUSE_ID <= user <= MAX_HOUSE_ID


def is_person(user: int) -> bool:
    """Whether that is somebody in Discord: no house player, and nobody who has been forgotten."""
    return user > MAX_HOUSE_ID


def house_level_of(user: int) -> str:
    """The level of a house player."""
    return HOUSE_PLAYERS_BY_ID[user].level if user in HOUSE_PLAYERS_BY_ID else HOUSE_LEVELS[0]


def free_house_players(level: str, count: int, excluded: Collection[int] = ()) -> tuple[int, ...]:
    """So many house players of that level who are not among those taken; fewer where there are no more."""
    free = (
        player.user for player in HOUSE_PLAYERS_BY_ID.values() if player.level == level and player.user not in excluded
    )
    return tuple(user for user, _ in zip(free, range(count), strict=False))
