"""The index of openings: the number of a position, the name of a move in it, and the rows of a finished game. Pure.

Positions that a symmetry of the variant maps onto each other have equal numbers, and corresponding moves have equal
names. Scores are kept in turn order, beginning with the player to move, because no symmetry changes that order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bot.core.clock import Pace
from bot.core.house_seats import is_house
from bot.core.match import Match
from bot.core.match_parts import BoardChange, replay_changes
from bot.core.running_positions import number_image, turned_image
from rules import Move, Position, Seat, Variant
from rules.symmetry import Symmetry, symmetries

OPENING_LENGTH = 28
"""The moves of a game that count as its opening."""

WHOLE_POINT = 6
"""The points of one game. Its winners share them, or all players after a draw, so 2 and 3 divide the number."""

PEOPLE_SOURCE, HOUSE_SOURCE, ARCHIVE_SOURCE = SOURCES = ("people", "house", "archive")
"""The first words of a kind of game: games of people, games with house players, and imported games."""
LADDER_GAMES, OTHER_GAMES = "ladder", "free"
"""The last words of a kind of game: whether it counted for a ladder."""

Points = tuple[int, int, int]
"""The points, in sixths, of the player to move, the next player and the third player (0 in two-player games)."""


class IndexedPosition(NamedTuple):
    """A position in the form that the index uses."""

    number: int
    """Equal for positions that a symmetry maps onto each other. Fits into a signed column of 64 bits."""
    symmetries: tuple[Symmetry, ...]
    """The symmetries that map the position onto the one that stands for all its images."""

    def name_move(self, move: Move) -> str:
        """Returns the name of a move of the position: "12-40x26". Routes to the same outcome have the same name."""
        return min(_name_outcome(symmetry.turn_move(move)) for symmetry in self.symmetries)


class MoveMade(NamedTuple):
    """A move made in a position of a finished game."""

    position: int
    move: str
    points: Points


def index_position(position: Position) -> IndexedPosition:
    """Returns the number of a position, and its symmetries. Ignores castle moves used, as `symmetric_key` does."""
    images = [(turned_image(position, symmetry), symmetry) for symmetry in symmetries(position.variant)]
    standing = min(image for image, _ in images)
    same = tuple(symmetry for image, symmetry in images if image == standing)
    return IndexedPosition(number_image(position.variant, *standing), same)


def _name_outcome(move: Move) -> str:
    start, end, captures = move.outcome
    return f"{start}-{end}" + (f"x{'.'.join(map(str, sorted(captures)))}" if captures else "")


def seats_from(variant: Variant, turn: Seat) -> tuple[Seat, ...]:
    """Returns all seats in turn order, beginning with `turn`."""
    return (turn, *variant.turn_orders[turn][:-1])


def opening_steps(variant: Variant, steps: Iterable[BoardChange]) -> Iterator[tuple[Position, Move]]:
    """Yields each move of the opening with the position before it. The opening ends where a player leaves."""
    for before, change, _ in replay_changes(variant, steps):
        if change.move is None or len(before.moves) == OPENING_LENGTH:
            return
        yield before.position, change.move


def index_moves(steps: Iterable[tuple[Position, Move]], points: Sequence[int]) -> list[MoveMade]:
    """Returns the moves of a game, each once: for the player who made it first, if another makes it in the same
    position seen from the other side. `points` are the points of each seat.
    """
    made: dict[tuple[int, str], MoveMade] = {}
    for position, move in steps:
        indexed = index_position(position)
        first, second, *rest = (points[seat] for seat in seats_from(position.variant, position.turn))
        key = indexed.number, indexed.name_move(move)
        made.setdefault(key, MoveMade(*key, (first, second, *rest, 0)[:3]))  # type: ignore[arg-type]
    return list(made.values())


def points_of(variant: Variant, winners: Sequence[Seat]) -> list[int]:
    """Returns the points of each seat. A game without winners is a draw."""
    sharing = winners or variant.seats
    return [WHOLE_POINT // len(sharing) if seat in sharing else 0 for seat in variant.seats]


def match_moves(match: Match) -> list[MoveMade]:
    """Returns the opening moves of a finished match with a result. Takes some milliseconds."""
    winners = match.outcome.winners if match.outcome else ()
    return index_moves(opening_steps(match.variant, match.steps), points_of(match.variant, winners))


def kind_of(match: Match) -> str:
    """Returns the kind of a match: who played it, its pace, and whether it counted for a ladder."""
    seated = (*match.players, *(substitute.user for substitute in match.substitutes))
    source = HOUSE_SOURCE if match.casual or any(map(is_house, seated)) else PEOPLE_SOURCE
    return f"{source} {match.pace.value} {LADDER_GAMES if match.ladder else OTHER_GAMES}"


class GameFilter(NamedTuple):
    """The choice of games that count."""

    source: str = PEOPLE_SOURCE
    pace: str = ""
    """The value of a `Pace`; empty for every pace."""
    ladder: str = ""
    """LADDER_GAMES or OTHER_GAMES; empty for both."""

    def counts(self, kind: str) -> bool:
        """True if games of that kind count."""
        source, pace, ladder = (*kind.split(), "", "")[:3]
        if source != self.source or source == ARCHIVE_SOURCE:
            return source == self.source
        return self.pace in ("", pace) and self.ladder in ("", ladder)

    @property
    def kinds(self) -> list[str]:
        """All kinds that count."""
        ladders = (LADDER_GAMES, OTHER_GAMES)
        kinds = [f"{source} {pace.value} {ladder}" for source in SOURCES[:2] for pace in Pace for ladder in ladders]
        return [kind for kind in (*kinds, ARCHIVE_SOURCE) if self.counts(kind)]
