"""What a move does, as facts that anybody can check on the board: what it takes, stops and gives away. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from itertools import islice
from typing import NamedTuple

from bot.match.draft import LOOKED_AT, entries
from engine.puzzles import steps_to_castle
from rules import Move, Position, Seat, iter_moves
from rules.game import settle


class FactKind(Enum):
    """The kinds of facts, those that say most first. The values are catalogue keys."""

    WINS = "wins"
    CAPTURES = "captures"  # number
    ENTERS = "enters"
    STOPS = "stops"  # seat, cell: whose piece could have entered the castle from there
    SAVES = "saves"  # seat, number: who could have taken so many more
    OPENS = "opens"  # seat, move: who can enter the castle now
    LETS_WIN = "lets-win"  # seat, move: who can win at once now
    LOSES = "loses"  # seat, move, number: who can take so many now
    THREATENS = "threatens"  # move: by which its own side would enter the castle next
    NEARER = "nearer"  # number: steps that are left to the castle


GOOD = frozenset({FactKind.WINS, FactKind.CAPTURES, FactKind.ENTERS, FactKind.STOPS, FactKind.SAVES})
BAD = frozenset({FactKind.OPENS, FactKind.LETS_WIN, FactKind.LOSES})


class Fact(NamedTuple):
    """One of them, with what its sentence needs."""

    kind: FactKind
    seat: Seat | None = None
    move: Move | None = None
    """In the position after the one that is told of."""
    cell: int | None = None
    number: int = 0


def facts(position: Position, move: Move) -> list[Fact]:
    """What that legal move does, what says most first."""
    return sorted(_facts(position, move), key=lambda fact: list(FactKind).index(fact.kind))


def _facts(position: Position, move: Move) -> Iterator[Fact]:
    seat, army = position.turn, position.variant.armies[position.turn]
    after, outcome, _ = settle(position.after(move))
    if move.captures:
        yield Fact(FactKind.CAPTURES, number=len(move.captures))
    if outcome:
        if seat in outcome.winners:
            yield Fact(FactKind.WINS)
        return
    if move.end in army.goal and move.start not in army.goal:
        yield Fact(FactKind.ENTERS)
    others = [other for other in position.variant.seats if other != seat and after.plays(other)]
    for other in others:
        before, now = (_as_if(place, other) for place in (position, after))
        runner, entry = next(entries(before), None), next(entries(now), None)
        if runner and not entry:
            yield Fact(FactKind.STOPS, other, cell=runner.start)
        if entry and other == after.turn:
            won = settle(after.after(entry))[1]
            yield Fact(FactKind.LETS_WIN if won and other in won.winners else FactKind.OPENS, other, entry)
        taken_before, taken = _most_taken(before, seat), _most_taken(now, seat)
        least = len(taken_before.captures) if taken_before else 0
        most = len(taken.captures) if taken else 0
        if most < least:
            yield Fact(FactKind.SAVES, other, number=least - most)
        elif taken and most > least and other == after.turn:
            yield Fact(FactKind.LOSES, other, taken, number=most)
    again = _as_if(after, seat)
    if (entry := next(entries(again), None)) and next(entries(_as_if(position, seat)), None) is None:
        yield Fact(FactKind.THREATENS, move=entry)
    away = steps_to_castle(position.variant, seat)
    if away[move.end] < away[move.start] and move.end not in army.goal:
        yield Fact(FactKind.NEARER, number=away[move.end])


def _as_if(position: Position, seat: Seat) -> Position:
    """The same with that seat to move."""
    return replace(position, turn=seat)


def _most_taken(position: Position, victim: Seat) -> Move | None:
    """The move of the side to move that takes most pieces of the victim; None if none takes any."""

    def taken(move: Move) -> int:
        pieces = position.pieces
        return sum(pieces[cell].seat == victim for cell in move.captures)

    best = max((move for move in islice(iter_moves(position), LOOKED_AT) if move.captures), key=taken, default=None)
    return best if best and taken(best) else None
