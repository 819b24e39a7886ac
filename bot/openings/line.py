"""A line of moves from the start of a variant, short enough for a button: each move is two characters. Pure.

The characters number the move in the list of legal moves, so an old button stays valid until the rules change.
"""

from __future__ import annotations

import string
from collections.abc import Iterable
from functools import lru_cache

from bot.openings.index import OPENING_LENGTH
from rules import VARIANTS, Game, Move, Position, legal_moves

_DIGITS = string.digits + string.ascii_letters
LINE_PATTERN = rf"(?:[0-9A-Za-z]{{2}}){{0,{OPENING_LENGTH}}}"
GAMES_IN_MEMORY = 2_000


def format_step(moves: tuple[Move, ...], move: Move) -> str | None:
    """Returns the two characters for one of these moves; None if it is not among the first 3,844."""
    place = next((place for place, one in enumerate(moves) if one.outcome == move.outcome), None)
    if place is None or place >= len(_DIGITS) ** 2:
        return None
    high, low = divmod(place, len(_DIGITS))
    return _DIGITS[high] + _DIGITS[low]


@lru_cache(GAMES_IN_MEMORY)
def game_on_line(variant: str, line: str) -> Game | None:
    """Returns the game after that line; None if the variant has no such line. May take tenths of a second."""
    if not line:
        return Game.start(VARIANTS[variant])
    before = game_on_line(variant, line[:-2])
    if before is None or before.outcome:
        return None
    place = _DIGITS.index(line[-2]) * len(_DIGITS) + _DIGITS.index(line[-1])
    moves = moves_of(before.position)
    return before.apply(moves[place]) if place < len(moves) else None


@lru_cache(GAMES_IN_MEMORY)
def moves_of(position: Position) -> tuple[Move, ...]:
    """Returns every legal move, in board order."""
    return tuple(legal_moves(position))


def line_of_game(variant: str, moves: Iterable[Move]) -> str:
    """Returns the line of these moves, at most `OPENING_LENGTH`. It ends before a move that cannot be written."""
    line = ""
    for move in list(moves)[:OPENING_LENGTH]:
        game = game_on_line(variant, line)
        step = format_step(moves_of(game.position), move) if game and not game.outcome else None
        if step is None:
            break
        line += step
    return line
