"""Hints for a referee, from the moves of a finished match. They are what anybody could see; never a verdict.

A player who throws a game to another passes up a win, or lets the other one in. So do people who are tired: hence a
hint, in which the moves stand to be looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from bot.match.parts import BoardChange
from rules import Game, Move, Position, Seat, Variant, find_entry, some_moves
from rules.game import settle

OFTEN = 2
"""From so many times on, a castle left open to the same neighbour is worth a hint."""


class Sign(Enum):
    """What has been seen. The values are catalogue keys."""

    WIN_PASSED_BY = "win-passed-by"
    CASTLE_LEFT_OPEN = "castle-left-open"


@dataclass(frozen=True, slots=True)
class Hint:
    """Something that a player did, perhaps more than once."""

    sign: Sign
    seat: Seat
    plies: tuple[int, ...]
    """After how many moves; the move in question is the last of these."""
    neighbour: Seat | None = None
    """To whom the castle was open."""


def hints(variant: Variant, steps: Iterable[BoardChange]) -> tuple[Hint, ...]:
    """The hints in a match of that variant with those steps, by seat. Takes tenths of a second: not on the event loop.

    A castle counts as left open where the neighbour who attacks it could have won by entering it, had it been their
    turn right after the player's move; in a game of three the third one moves in between. Only where another move would
    have kept it shut; and the player's own winning moves are hints of the other kind.
    """
    passed: dict[Seat, list[int]] = defaultdict(list)
    opened: dict[tuple[Seat, Seat], list[int]] = defaultdict(list)
    for before, move, after in _moves(variant, steps):
        seat, ply = before.position.turn, len(after.moves)
        reached = before.position.after(move)
        if _wins(before.position, move):
            continue
        if winning_move(before.position):
            passed[seat].append(ply)
        for neighbour in _besiegers(reached, seat):
            if _enters(reached, neighbour) and _could_shut(before.position, neighbour):
                opened[seat, neighbour].append(ply)
    found = [Hint(Sign.WIN_PASSED_BY, seat, tuple(plies)) for seat, plies in passed.items()]
    found += [
        Hint(Sign.CASTLE_LEFT_OPEN, seat, tuple(plies), neighbour)
        for (seat, neighbour), plies in opened.items()
        if len(plies) >= OFTEN
    ]
    return tuple(sorted(found, key=lambda hint: (hint.seat, hint.sign.value, hint.neighbour or 0)))


def winning_move(position: Position) -> Move | None:
    """A move by which the player to move wins at once; None if there is none."""
    return next((move for move in some_moves(position).moves if _wins(position, move)), None)


def _moves(variant: Variant, steps: Iterable[BoardChange]) -> Iterator[tuple[Game, Move, Game]]:
    """Each move with the game before and after it."""
    game = Game.start(variant)
    for step in steps:
        before, game = game, step.taken(game)
        if step.move:
            yield before, step.move, game


def _wins(position: Position, move: Move) -> bool:
    outcome = settle(position.after(move))[1]
    return outcome is not None and position.turn in outcome.winners


def _besiegers(position: Position, seat: Seat) -> tuple[Seat, ...]:
    """The others still playing who attack that seat's castle."""
    armies = position.variant.armies
    return tuple(
        other
        for other in position.variant.seats
        if other != seat and position.plays(other) and armies[other].goal & armies[seat].castle
    )


def _enters(position: Position, seat: Seat) -> bool:
    """Whether that seat, if it were to move, could win by taking the castle that it attacks."""
    view = replace(position, turn=seat)
    goal = position.variant.armies[seat].goal
    if find_entry(view) is None:
        return False
    return any(move.end in goal and _wins(view, move) for move in some_moves(view).moves)


def _could_shut(position: Position, neighbour: Seat) -> bool:
    """Whether the player to move had a move after which that neighbour could not have won so."""
    return any(not _enters(position.after(move), neighbour) for move in some_moves(position).moves)
