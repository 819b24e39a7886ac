"""Lists where a move in the making may lead, by asking `Turn`: all outcomes, the first ones, or one into the castle.

Extreme positions have hundreds of thousands of routes and tens of thousands of outcomes. So no function here walks
route by route, and answers to a person look at a limited number of landings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import islice
from typing import NamedTuple

from rules.board import Cell, Leg
from rules.position import Move
from rules.turn import Side, Turn

MAX_LANDINGS_SEARCHED = 2000
"""The most landings that one search of a position looks at. That bounds its time, and real games have far fewer."""


class FoundMoves(NamedTuple):
    """The moves that a bounded search has found."""

    moves: list[Move]
    whole: bool
    """Whether the search has found all of them."""


def take_first_moves(landings: Iterable[Move | None], most: int = MAX_LANDINGS_SEARCHED) -> FoundMoves:
    """The moves among the first `most` landings."""
    looked_at = list(islice(landings, most + 1))
    return FoundMoves([move for move in looked_at[:most] if move], len(looked_at) <= most)


def iter_completions(turn: Turn) -> Iterator[Move]:
    """Yields the legal moves that begin with the legs of this turn, one per outcome, shortest canters first.

    After the first leg, routes back to the start are left out. Unbounded: see `iter_landings`.
    """
    return filter(None, iter_landings(turn))


def iter_landings(turn: Turn) -> Iterator[Move | None]:
    """Yields the moves of `iter_completions`, and None for each landing where the move must continue.

    Callers count the items to bound the work. Each landing is visited once per set of captured pieces (a canter's once
    with a capture owed and once without), so the work grows with the outcomes and not with the routes.
    """
    if turn.may_stop:
        yield turn.move
    for leg in turn.steps:
        yield leg.alone
    reached = list_canters(turn)
    for path, _, _, owes in reached[1:]:
        yield None if owes else Move(path, ())
    seen: set[tuple[Cell, int]] = set()
    stack: list[tuple[Turn, Leg, int]] = []  # jumps, the next one last, each with the cells captured before it
    for landing in reversed(reached):
        if landing[2]:
            at = turn_at(turn, landing)
            stack += [(at, leg, 0) for leg in reversed(at.jumps)]
    while stack:
        at, leg, taken = stack.pop()
        assert leg.over is not None
        taken |= 1 << leg.over
        if (leg.to, taken) not in seen:
            seen.add((leg.to, taken))
            landed = at.take(leg)
            yield None if landed.jumps else Move(landed.path, landed.captures)
            stack += [(landed, further, taken) for further in reversed(landed.jumps)]


Landing = tuple[tuple[Cell, ...], list[Leg], list[Leg], bool]
"""A landing of a canter: the path, the canters and jumps that may follow, and whether the move owes a capture there."""


def list_canters(turn: Turn) -> list[Landing]:
    """The current landing of the turn, then each landing that canters reach from there, nearest first."""
    at = turn.path[-1]
    free, owing = {turn.path[0], at}, {at}  # landings, without and with a capture owed
    reached = [(turn.path, turn.canters, turn.jumps, turn.owes)]
    for path, canters, _, owes in reached:  # grows while it is walked
        cantered = owing if owes else free
        for leg in canters:
            to = leg.to
            if to not in cantered:
                cantered.add(to)
                reached.append(((*path, to), *turn.after_canter(to, owes)))
    return reached


def turn_at(turn: Turn, landing: Landing) -> Turn:
    """The turn after the canters to that landing."""
    path, canters, jumps, owes = landing
    return Turn(turn.side, path, turn.captures, turn.relations, owes, canters, jumps)


def find_move_into_goal(side: Side) -> Move | None:
    """A legal move into the castle that the side attacks, by its first piece that has one; None if there is none.

    Lists no other moves: searches only from where the castle can be reached. Ignores endings.
    """
    for start in side.iter_starts():
        if start not in side.goal and (move := _find_way_into_goal(Turn.begin(side, start))):
            return move
    return None


def _find_way_into_goal(turn: Turn) -> Move | None:
    goal = turn.side.goal
    for leg in turn.steps:
        if leg.to in goal:
            return leg.alone
    for landing in list_canters(turn):
        path, _, jumps, owes = landing
        if path[-1] in goal and not owes:
            return Move(path, ())
        if jumps:
            at = turn_at(turn, landing)
            if legs := _jumps_into_goal(at):
                return reduce(Turn.take, legs, at).move
    return None


def _jumps_into_goal(turn: Turn) -> list[Leg]:
    """The fewest jumps that lead from the current landing into the castle; empty if none do.

    A shortest-path search that ignores captures on the way finds them at once. If its path captures one piece twice, no
    legal series has both jumps: the search then runs again, once with each of the two jumps closed.
    """
    closings: list[frozenset[frozenset[Cell]]] = [frozenset()]
    for closed in closings:  # grows while it is walked
        legs = _shortest_way(turn, closed)
        over = {leg.over: leg for leg in legs}
        twice = next((leg for leg in legs if over[leg.over] is not leg), None)
        if twice is None:
            if legs:
                return legs
        else:
            closings += [closed | {frozenset((leg.start, leg.to))} for leg in (twice, over[twice.over])]
    return []


def _shortest_way(turn: Turn, closed: frozenset[frozenset[Cell]]) -> list[Leg]:
    """The fewest jumps into the castle if captured pieces stayed on the board; empty if none lead there."""
    ways: dict[Cell, list[Leg]] = {turn.path[-1]: []}
    reached = [*ways]
    for at in reached:  # grows while it is walked
        for leg in turn.jumps_at(at):
            if leg.to not in ways and frozenset((at, leg.to)) not in closed:
                ways[leg.to] = [*ways[at], leg]
                if leg.to in turn.side.goal:
                    return ways[leg.to]
                reached.append(leg.to)
    return []
