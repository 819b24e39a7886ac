"""How games end, as small functions that variants combine. They look at the pieces, never at the history.

"The Federation" is the World Camelot Federation, whose rules a variant names as its `source`. "House" marks a house
ruling: our decision where those rules are silent.
"""

from __future__ import annotations

from collections.abc import Callable

from rules.basics import Cause, Outcome
from rules.position import Position

Ending = Callable[[Position], Outcome | None]


def first_of(*endings: Ending) -> Ending:
    """An ending that tries those endings in order and returns the first outcome."""

    def ending(position: Position) -> Outcome | None:
        for judge in endings:
            outcome = judge(position)
            if outcome:
                return outcome
        return None

    return ending


def castle_taken(position: Position) -> Outcome | None:
    """A seat wins when its pieces fill the castle that it attacks. A steward cannot win.

    >>> from rules import parse_position
    >>> castle_taken(parse_position("camette White White:NC7 Black:A3"))
    Outcome(cause=<Cause.CASTLE: 'castle'>, winners=(0,))
    """
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
    """Camelot: a draw when each side has exactly one piece left (the Federation's rules)."""
    for seat in position.variant.seats:
        if position.count_pieces(seat) != 1:
            return None
    return Outcome(Cause.FEW_PIECES, ())


def no_more_than_one_piece_each(position: Position) -> Outcome | None:
    """Chivalry: a draw when no side has more than one piece left, even one against none (the Federation's rules)."""
    for seat in position.variant.seats:
        if position.count_pieces(seat) > 1:
            return None
    return Outcome(Cause.FEW_PIECES, ())


def all_captured(position: Position) -> Outcome | None:
    """The only seat that still has pieces wins.

    If a steward plays that seat, the game is a draw: a steward cannot win, and no player is left to move (house).
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
    """The last player in the game wins when all others have left or lost their pieces (house)."""
    if not position.out:
        return None
    playing = [seat for seat in position.variant.seats if position.is_playing(seat)]
    return Outcome(Cause.RESIGNATION, (playing[0],)) if len(playing) == 1 else None


def no_move_loses(position: Position) -> Outcome | None:
    """The player to move loses for want of a legal move (the Federation's rules; in Cam 3-D a house ruling)."""
    others = tuple(seat for seat in position.variant.seats if seat != position.turn)
    return Outcome(Cause.STALEMATE, others)


def no_move_loses_to_two(position: Position) -> Outcome | None:
    """Chivalry: the player loses if the other has two or more pieces (the Federation's rules), else draws (house)."""
    others = tuple(
        seat for seat in position.variant.seats if seat != position.turn and position.count_pieces(seat) >= 2
    )
    return Outcome(Cause.STALEMATE, others)


def no_move_passes(position: Position) -> Outcome | None:
    """Tri-Camelot: returns None, so the turn passes (house). The game is a draw when nobody can move."""
    return None
