"""Hints for a referee, from the moves of a finished match: facts that anybody can see on the board, no verdict.

A player who throws a game to another misses a win, or lets the other one in. Tired players do too: hence only a
hint, which lists the moves to look at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from bot.core.match_parts import BoardChange, replay_changes
from rules import Move, Position, Seat, Variant, find_entry, some_moves
from rules.game import resolve_passes

MIN_OPEN_CASTLES = 2
"""From this many times on, a castle left open to the same neighbour is worth a hint."""


class FairPlaySign(Enum):
    """The kind of hint. The values are catalogue keys."""

    WIN_PASSED_BY = "win-passed-by"
    CASTLE_LEFT_OPEN = "castle-left-open"


@dataclass(frozen=True, slots=True)
class FairPlayHint:
    """One kind of conduct of a player, possibly repeated."""

    sign: FairPlaySign
    seat: Seat
    plies: tuple[int, ...]
    """The plies right after the moves in question."""
    neighbour: Seat | None = None
    """The neighbour to whom the castle was open."""


def fair_play_hints(variant: Variant, steps: Iterable[BoardChange]) -> tuple[FairPlayHint, ...]:
    """The hints in a match with those steps, by seat. Takes tenths of a second: not on the event loop.

    A castle counts as left open if the neighbour who attacks it could have won by entering it, had it been their
    turn right after the player's move; in a game of three the third player moves in between. It counts only if
    another move would have kept it shut. The player's own winning moves give the other kind of hint.
    """
    wins_passed_by: dict[Seat, list[int]] = defaultdict(list)
    castles_left_open: dict[tuple[Seat, Seat], list[int]] = defaultdict(list)
    for before, change, after in replay_changes(variant, steps):
        if (move := change.move) is None or before.position.steward_to_move:
            continue
        seat, ply = before.position.turn, len(after.moves)
        reached = before.position.after_move(move)
        if _is_winning(before.position, move):
            continue
        if winning_move(before.position):
            wins_passed_by[seat].append(ply)
        for neighbour in _castle_attackers(reached, seat):
            if _could_enter_castle(reached, neighbour) and _could_keep_shut(before.position, neighbour):
                castles_left_open[seat, neighbour].append(ply)
    all_hints = [FairPlayHint(FairPlaySign.WIN_PASSED_BY, seat, tuple(plies)) for seat, plies in wins_passed_by.items()]
    all_hints += [
        FairPlayHint(FairPlaySign.CASTLE_LEFT_OPEN, seat, tuple(plies), neighbour)
        for (seat, neighbour), plies in castles_left_open.items()
        if len(plies) >= MIN_OPEN_CASTLES
    ]
    return tuple(sorted(all_hints, key=lambda hint: (hint.seat, hint.sign.value, hint.neighbour or 0)))


def winning_move(position: Position) -> Move | None:
    """Returns a move that wins at once for the player to move; None if there is none."""
    return next((move for move in some_moves(position).moves if _is_winning(position, move)), None)


def _is_winning(position: Position, move: Move) -> bool:
    outcome = resolve_passes(position.after_move(move))[1]
    return outcome is not None and position.turn in outcome.winners


def _castle_attackers(position: Position, seat: Seat) -> tuple[Seat, ...]:
    """The other seats in play that attack that seat's castle."""
    armies = position.variant.armies
    return tuple(
        other
        for other in position.variant.seats
        if other != seat and position.is_playing(other) and armies[other].goal & armies[seat].castle
    )


def _could_enter_castle(position: Position, seat: Seat) -> bool:
    """Whether that seat, if it were to move, could win by entering the castle that it attacks."""
    view = replace(position, turn=seat)
    goal = position.variant.armies[seat].goal
    if find_entry(view) is None:
        return False
    return any(move.end in goal and _is_winning(view, move) for move in some_moves(view).moves)


def _could_keep_shut(position: Position, neighbour: Seat) -> bool:
    """Whether the player to move had a move after which that neighbour could not win by entering."""
    return any(not _could_enter_castle(position.after_move(move), neighbour) for move in some_moves(position).moves)
