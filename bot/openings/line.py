"""A line of moves from the start of a variant, short enough for a button: each move is two characters. Pure.

The characters number the move in the list of legal moves, so an old button stays valid until the rules change. Extreme
positions have tens of thousands of moves, so nothing here lists or keeps all moves of a position.
"""

from __future__ import annotations

import string
from collections.abc import Generator, Sequence, Set
from itertools import islice
from typing import NamedTuple

from bot.openings.index import OPENING_LENGTH, IndexedPosition
from rules import VARIANTS, Game, Move, Position, iter_moves

_DIGITS = string.digits + string.ascii_letters
LINE_PATTERN = rf"(?:[0-9A-Za-z]{{2}}){{0,{OPENING_LENGTH}}}"
MAX_MOVES_PASSED = 2_000
"""The moves that writing one line may look at. Ordinary games have some twenty before each move played."""


class NumberedMove(NamedTuple):
    """A legal move, and its place among the legal moves of its position."""

    move: Move
    place: int


def format_step(place: int) -> str | None:
    """Returns the two characters for the move at that place; None if it is not among the first 3,844."""
    if place >= len(_DIGITS) ** 2:
        return None
    high, low = divmod(place, len(_DIGITS))
    return _DIGITS[high] + _DIGITS[low]


def follow_line(variant: str, line: str) -> Generator[None, None, Game | None]:
    """Returns, in steps, the game after that line; None if the variant has no such line."""
    game = Game.start(VARIANTS[variant])
    for high, low in zip(line[::2], line[1::2], strict=True):
        moves = iter_moves(game.position)
        for _ in islice(moves, _DIGITS.index(high) * len(_DIGITS) + _DIGITS.index(low)):
            yield
        move = next(moves, None)
        if move is None or game.outcome:
            return None
        game = game.apply(move)
    return game


def find_moves(
    position: Position, indexed: IndexedPosition, names: Set[str]
) -> Generator[None, None, dict[str, NumberedMove]]:
    """Returns, in steps, the first legal move of each of these names; names that no legal move has are left out."""
    found: dict[str, NumberedMove] = {}
    for place, move in enumerate(iter_moves(position)):
        if len(found) == len(names):
            break
        if (name := indexed.name_move(move)) in names:
            found.setdefault(name, NumberedMove(move, place))
        yield
    return found


def line_of_game(variant: str, moves: Sequence[Move]) -> str:
    """Returns the line of these moves, at most `OPENING_LENGTH`. It ends before a move that cannot be written."""
    game, line, left = Game.start(VARIANTS[variant]), "", MAX_MOVES_PASSED
    for move in moves[:OPENING_LENGTH]:
        legal = enumerate(islice(iter_moves(game.position), left)) if game.outcome is None else ()
        place = next((place for place, one in legal if one.outcome == move.outcome), None)
        step = format_step(place) if place is not None else None
        if step is None:
            break
        assert place is not None
        line, left, game = line + step, left - place, game.apply(move)
    return line
