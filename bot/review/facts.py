"""The effects of a move, as facts that anybody can check on the board: captures, defences, losses. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

from engine.puzzles import steps_to_castle
from rules import Move, Position, Seat, find_move_into_castle, some_moves
from rules.game import resolve_passes


class FactKind(Enum):
    """The kinds of facts, the most important first. The values are catalogue keys."""

    WINS = "wins"
    CAPTURES = "captures"  # number
    ENTERS = "enters"
    STOPS = "stops"  # seat, cell: the seat whose piece on that cell could have entered the castle
    SAVES = "saves"  # seat, number: the opponent, who could have taken that many pieces more
    OPENS = "opens"  # seat, move: the opponent, and the move with which they can enter the castle now
    LETS_WIN = "lets-win"  # seat, move: the opponent, and the move with which they can win at once
    LOSES = "loses"  # seat, move, number: the opponent, and the move with which they can take that many pieces now
    FALLS = "falls"  # seat, line: the opponent, who wins in a few moves
    COSTS = "costs"  # number, line: the pieces lost in a few moves, minus those taken for them
    THREATENS = "threatens"  # move: the move with which the mover would enter the castle next
    HUNTS = "hunts"  # move, number: the move with which the mover would take that many pieces next
    NEARER = "nearer"  # number: the steps left to the castle, if they are few


GOOD_FACTS = frozenset({FactKind.WINS, FactKind.CAPTURES, FactKind.ENTERS, FactKind.STOPS, FactKind.SAVES})
BAD_FACTS = frozenset({FactKind.OPENS, FactKind.LETS_WIN, FactKind.LOSES, FactKind.FALLS, FactKind.COSTS})

NEAR_CASTLE_STEPS = 4
"""A move towards the castle is a fact if at most this many steps are left."""


class Fact(NamedTuple):
    """One fact, with the values that its sentence needs."""

    kind: FactKind
    seat: Seat | None = None
    move: Move | None = None
    """A move in the position after the described move."""
    cell: int | None = None
    number: int = 0
    line: tuple[Move, ...] = ()
    """A line that starts in the position after the described move."""


def facts_of_move(position: Position, move: Move) -> list[Fact]:
    """Returns the facts about that legal move, the most important first."""
    return sorted(_find_facts(position, move), key=lambda fact: list(FactKind).index(fact.kind))


def _find_facts(position: Position, move: Move) -> Iterator[Fact]:
    seat, army = position.turn, position.variant.armies[position.turn]
    after, outcome, _ = resolve_passes(position.after_move(move))
    if move.captures:
        yield Fact(FactKind.CAPTURES, number=len(move.captures))
    if outcome:
        if seat in outcome.winners:
            yield Fact(FactKind.WINS)
        return
    if move.end in army.goal and move.start not in army.goal:
        yield Fact(FactKind.ENTERS)
    others = [other for other in position.variant.seats if other != seat and after.is_playing(other)]
    for other in others:
        view_before, view_after = _with_turn_of(position, other), _with_turn_of(after, other)
        runner, entering = find_move_into_castle(view_before), find_move_into_castle(view_after)
        if runner and not entering:
            yield Fact(FactKind.STOPS, other, cell=runner.start)
        if entering and other == after.turn:
            won = resolve_passes(after.after_move(entering))[1]
            yield Fact(FactKind.LETS_WIN if won and other in won.winners else FactKind.OPENS, other, entering)
        taken_before, taken_after = _largest_capture(view_before, seat), _largest_capture(view_after, seat)
        lost_before = len(taken_before.captures) if taken_before else 0
        lost_after = len(taken_after.captures) if taken_after else 0
        if lost_after < lost_before:
            yield Fact(FactKind.SAVES, other, number=lost_before - lost_after)
        if taken_after and other == after.turn:
            yield Fact(FactKind.LOSES, other, taken_after, number=lost_after)
    again = _with_turn_of(after, seat)
    if (entering := find_move_into_castle(again)) and find_move_into_castle(_with_turn_of(position, seat)) is None:
        yield Fact(FactKind.THREATENS, move=entering)
    catch, caught = _largest_capture(again), _largest_capture(_with_turn_of(position, seat))
    if catch and len(catch.captures) > (len(caught.captures) if caught else 0):
        yield Fact(FactKind.HUNTS, move=catch, number=len(catch.captures))
    away = steps_to_castle(position.variant, seat)
    if away[move.end] < away[move.start] and away[move.end] <= NEAR_CASTLE_STEPS and move.end not in army.goal:
        yield Fact(FactKind.NEARER, number=away[move.end])


def _with_turn_of(position: Position, seat: Seat) -> Position:
    """Returns the position with that seat to move."""
    return replace(position, turn=seat)


def _largest_capture(position: Position, victim: Seat | None = None) -> Move | None:
    """Returns the move that captures the most pieces, of the victim or of anybody; None if no move captures any."""

    def count_taken(move: Move) -> int:
        return _count_losses(position, move, victim) if victim is not None else len(move.captures)

    best = max((move for move in some_moves(position).moves if move.captures), key=count_taken, default=None)
    return best if best and count_taken(best) else None


def _count_losses(position: Position, move: Move, seat: Seat) -> int:
    """Returns how many pieces of that seat the move captures."""
    pieces = position.pieces
    return sum(pieces[cell].seat == seat for cell in move.captures)


def bad_aftermath(position: Position, move: Move, line: Sequence[Move]) -> Fact | None:
    """Returns the harm to the mover if the game continues with that line after the move; None if there is none."""
    seat, lost, last = position.turn, -len(move.captures), 0
    reached, outcome, _ = resolve_passes(position.after_move(move))
    for number, answer in enumerate(line, start=1):
        if answer.captures:
            last = number
            lost += -len(answer.captures) if reached.turn == seat else _count_losses(reached, answer, seat)
        reached, outcome, _ = resolve_passes(reached.after_move(answer))
        if outcome and outcome.winners and seat not in outcome.winners:
            return Fact(FactKind.FALLS, outcome.winners[0], line=tuple(line[:number]))
    return Fact(FactKind.COSTS, number=lost, line=tuple(line[:last])) if lost > 0 else None
