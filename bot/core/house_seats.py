"""The house players: seats played by the program, at eight levels. Pure.

Each has a number below all of Discord's ids, so that events, seats and results can name it like a person. There are
two of each level: three may play one game, and at least one of them is a person.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from engine.levels import LEVELS, STRENGTHS, strengths_of

MIN_HOUSE_ID, MAX_HOUSE_ID = 100, 999
"""The numbers reserved for house players. Lower ones stand for people who asked to be forgotten."""

HOUSE_LEVELS = tuple(LEVELS)
"""The levels of house players, the weakest first. The names are stored, and keys of the catalogues."""


class HousePlayer(NamedTuple):
    """A house player. House players are animals of Arthur's world, so that nobody takes them for people."""

    user: int
    level: str
    name: str
    """The name, which is equal in all languages."""
    face: str
    """An emoji."""


HOUSE_PLAYERS_BY_ID = {
    player.user: player
    for player in (
        HousePlayer(101, "easy", "Cabal", "🐕"),  # Arthur's hound
        HousePlayer(102, "easy", "Lamrei", "🐎"),  # Arthur's mare
        HousePlayer(151, "2", "Petitcrieu", "🐩"),  # Tristan's little dog
        HousePlayer(152, "2", "Cilgwri", "🐦"),  # the ousel, the first of the oldest animals
        HousePlayer(201, "medium", "Gringolet", "🐴"),  # Gawain's horse
        HousePlayer(202, "medium", "Capalu", "🐈"),  # the cat of the lake
        HousePlayer(221, "4", "Drudwyn", "🐶"),  # the whelp that Arthur's hunt needed
        HousePlayer(222, "4", "Rhedynfre", "🦌"),  # the stag, the second of the oldest
        HousePlayer(231, "5", "Dormach", "🐺"),  # the hound of Gwyn, son of Nudd
        HousePlayer(232, "5", "Cawlwyd", "🦉"),  # the owl, the third of the oldest
        HousePlayer(241, "6", "Gwernabwy", "🦅"),  # the eagle, the fourth of the oldest
        HousePlayer(242, "6", "Llyw", "🐟"),  # the salmon, the oldest of all
        HousePlayer(251, "7", "Grugyn", "🐖"),  # the boar's son, with silver bristles
        HousePlayer(252, "7", "Afanc", "🦫"),  # the monster of the lake
        HousePlayer(301, "hard", "Twrch", "🐗"),  # the boar that Arthur hunted
        HousePlayer(302, "hard", "Glatisant", "🐆"),  # the Questing Beast
    )
}
"""The house players by number. The numbers are stored and never change."""


def is_house(user: int | None) -> bool:
    """Whether that is the number of a house player, including one that this version does not know."""
    return user is not None and MIN_HOUSE_ID <= user <= MAX_HOUSE_ID


def is_person(user: int) -> bool:
    """Whether that is a person in Discord: neither a house player nor somebody who was forgotten."""
    return user > MAX_HOUSE_ID


def house_level_of(user: int) -> str:
    """The level of a house player."""
    return HOUSE_PLAYERS_BY_ID[user].level if user in HOUSE_PLAYERS_BY_ID else HOUSE_LEVELS[0]


def next_strength(variant: str, beaten: Iterable[int]) -> str:
    """The step of that game after the highest level of those house players; the lowest level if there are none."""
    places = [STRENGTHS.index(house_level_of(user)) for user in beaten]
    return strength_from(variant, max(places, default=0) + 1)


def strength_from(variant: str, place: int) -> str:
    """The weakest step that the game has from that place in STRENGTHS on; the strongest if there is none."""
    own = strengths_of(variant)
    return next((step for step in own if STRENGTHS.index(step) >= place), own[-1])


def free_house_players(level: str, count: int, excluded: Collection[int] = ()) -> tuple[int, ...]:
    """Up to `count` house players of that level who are not in `excluded`; fewer if there are no more."""
    free = (
        player.user for player in HOUSE_PLAYERS_BY_ID.values() if player.level == level and player.user not in excluded
    )
    return tuple(user for user, _ in zip(free, range(count), strict=False))
