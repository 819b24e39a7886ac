"""How games end, as small functions that variants combine. Each looks at the pieces, none at the history.

"The Federation" is the World Camelot Federation, whose rules a variant names as its `source`; what it leaves open is a
ruling of this house.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from rules.position import Position, Seat


class Cause(Enum):
    """Why a game ended. The values are catalogue keys and stored in records; they never change."""

    CASTLE = "castle"
    CAPTURE = "capture"
    STALEMATE = "stalemate"
    FEW_PIECES = "few-pieces"
    NOBODY_MOVES = "nobody-moves"
    REPETITION = "repetition"
    QUIET = "quiet"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"
    # What the rules know nothing of, but a record can tell:
    TIMEOUT = "timeout"
    ABANDONED = "abandoned"  # without any result, not even a draw


class Outcome(NamedTuple):
    """The end of a game: its cause and the seats that won. No winners is a draw."""

    cause: Cause
    winners: tuple[Seat, ...]


Ending = Callable[[Position], Outcome | None]


def first_of(*endings: Ending) -> Ending:
    """The first verdict that any of the endings gives, tried in order."""

    def ending(position: Position) -> Outcome | None:
        for judge in endings:
            outcome = judge(position)
            if outcome:
                return outcome
        return None

    return ending


def castle_taken(position: Position) -> Outcome | None:
    """A seat whose pieces fill the castle that it attacks has won; not a steward, who cannot."""
    cells = position.cells
    for seat, goal, own in position.variant.castle_goals:
        for cell in goal:
            if cells[cell] not in own:
                break
        else:
            if seat not in position.stewards:
                return Outcome(Cause.CASTLE, (seat,))
    return None


def one_piece_each(position: Position) -> Outcome | None:
    """Camelot: both have exactly one piece left: a draw (the Federation's rules)."""
    for seat in position.variant.seats:
        if position.count_pieces(seat) != 1:
            return None
    return Outcome(Cause.FEW_PIECES, ())


def no_more_than_one_piece_each(position: Position) -> Outcome | None:
    """Chivalry: neither has more than one piece left, also one against none: a draw (the Federation's rules)."""
    for seat in position.variant.seats:
        if position.count_pieces(seat) > 1:
            return None
    return Outcome(Cause.FEW_PIECES, ())


def all_captured(position: Position) -> Outcome | None:
    """The only seat that still has pieces has captured all others and wins.

    If a steward has, who cannot win, nobody is left who could move: a draw (house).
    """
    cells, alive = position.cells, None
    for seat, (man, knight) in enumerate(position.variant.piece_codes):
        if man in cells or knight in cells:
            if alive is not None:
                return None
            alive = seat
    if alive in position.stewards:
        return Outcome(Cause.NOBODY_MOVES, ())
    return None if alive is None else Outcome(Cause.CAPTURE, (alive,))


def last_player(position: Position) -> Outcome | None:
    """The only player who is still in the game and has pieces wins (house ruling for a player who leaves)."""
    if not position.out:
        return None
    playing = [seat for seat in position.variant.seats if position.is_playing(seat)]
    return Outcome(Cause.RESIGNATION, (playing[0],)) if len(playing) == 1 else None


def no_move_loses(position: Position) -> Outcome | None:
    """The player without a legal move loses to the other (the Federation's rules; in Cam 3-D a house ruling)."""
    others = tuple(seat for seat in position.variant.seats if seat != position.turn)
    return Outcome(Cause.STALEMATE, others)


def no_move_loses_to_two(position: Position) -> Outcome | None:
    """Chivalry: the player loses if the other has two or more pieces (the Federation's rules), else a draw (house)."""
    others = tuple(
        seat for seat in position.variant.seats if seat != position.turn and position.count_pieces(seat) >= 2
    )
    return Outcome(Cause.STALEMATE, others)


def no_move_passes(position: Position) -> Outcome | None:
    """Tri-Camelot: the turn passes (house); the game is a draw when nobody can move."""
    return None
