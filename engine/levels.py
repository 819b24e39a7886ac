"""The house player's levels, and what it chooses.

A weaker level is weak as people are: it looks less far, it overlooks moves that reach across the board, and among moves
that look about as good it plays any. What it never does is give the castle away in one.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, inf
from types import MappingProxyType

from engine.position import SearchPosition, as_move
from engine.search import MANY_PLIES, PATIENCE, Search, chances
from engine.tables import Hop
from rules import Move, Position, Seat, Variant


@dataclass(frozen=True)
class Level:
    """How well the house plays."""

    depth: int
    """How many plies it looks ahead; captures are looked at beyond that."""
    nodes: int
    """How many positions it may look at."""
    within: int
    """How much worse than the best a move may look to be played, in hundredths of log-odds."""
    heat: float
    """How readily it plays what looks worse: at a difference of so much a move is e times as rare."""
    careful: bool
    """Whether it always sees a win in one."""
    reach: float = inf
    """It overlooks quiet moves, anybody's, that end further away than so many steps."""
    elsewhere: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    """`within` and `heat` for variants, by key, in which they must differ for the steps between levels to be alike."""

    def spread(self, variant: Variant) -> tuple[int, float]:
        """`within` and `heat` in that variant."""
        return self.elsewhere.get(variant.key, (self.within, self.heat))


LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        "easy": Level(depth=1, nodes=1_000, within=20, heat=8, careful=False, reach=3),
        "medium": Level(
            depth=2,
            nodes=2_000,
            within=60,
            heat=40,
            careful=True,
            reach=4,
            elsewhere={"camelot": (40, 25), "cam-3d": (95, 65)},
        ),
        "hard": Level(depth=MANY_PLIES, nodes=8_000, within=0, heat=1, careful=True),
    }
)
"""By the names that people choose from, weakest first."""

THREE: Mapping[str, Level] = MappingProxyType(
    {
        "easy": Level(depth=1, nodes=1_000, within=30, heat=15, careful=False, reach=3),
        "medium": Level(depth=3, nodes=10_000, within=10, heat=5, careful=True, reach=2),
        "hard": Level(depth=MANY_PLIES, nodes=14_000, within=0, heat=1, careful=True),
    }
)
"""The same levels in games of three."""


def choose(position: Position, level: str, seed: int, *, history: Sequence[Position] = ()) -> Move:
    """The move that the house plays at that level, one of `legal_moves`; the same for the same question.

    `history` are the positions of the game so far; it does not like to come back to them. Raises KeyError for a level
    that there is not, ValueError where the game is over.
    """
    return pick(position, level_in(position.variant, level), seed, history=history)


def level_in(variant: Variant, name: str) -> Level:
    """What the level of that name is in that variant. Raises KeyError."""
    return (THREE if len(variant.armies) > 2 else LEVELS)[name]


def pick(position: Position, level: Level, seed: int, *, history: Sequence[Position] = ()) -> Move:
    """As `choose`, for any level."""
    search = SearchPosition(position)
    hops = search.moves()
    if not hops:
        raise ValueError(position)
    chance = random.Random(f"{seed} {search.key}")  # noqa: S311  # to be the same again
    if len(hops) == 1:
        return as_move(search.position(), hops[0])
    wins = [hop for hop in hops if _winner(search, hop, search.turn)] if level.careful else []
    if wins:
        return as_move(search.position(), min(wins))
    pieces = search.occupied.bit_count()
    seen = {SearchPosition(earlier).key for earlier in history if sum(map(bool, earlier.cells)) == pieces}
    within, _ = level.spread(search.variant)
    thinking = Search(search, level.nodes, seen=seen, reach=level.reach, seconds=PATIENCE)
    ranked = thinking.rank(level.depth, within)
    return as_move(search.position(), _safe_choice(search, ranked, level, chance, search.turn))


def evaluate(position: Position, *, nodes: int = 4_000) -> tuple[float, ...]:
    """Each seat's chance to win, a draw shared; their sum is 1. A game that is over is certain."""
    search = SearchPosition(position)
    search.moves()
    if search.result is not None:
        winners: Collection[Seat] = search.result or position.variant.seats
        return tuple((seat in winners) / len(winners) for seat in position.variant.seats)
    return chances(search, nodes)


def _winner(search: SearchPosition, hop: Hop, seat: Seat) -> bool:
    """Whether that move wins the game for the seat at once, be it that nobody else can move."""
    search.make(hop)
    if search.result is None and not search.room(search.turn):
        search.moves()
    won = search.result is not None and seat in search.result
    search.unmake()
    return won


def _safe_choice(
    search: SearchPosition, ranked: list[tuple[int, Hop]], level: Level, chance: random.Random, seat: Seat
) -> Hop:
    """One of the moves that look about as good as the best and do not lose at once; else the next best of these."""
    best = ranked[0][0]
    within, heat = level.spread(search.variant)
    near = [(score, hop) for score, hop in ranked if best - score <= within]
    while near:
        weights = [exp((score - best) / heat) for score, _ in near]
        picked = chance.choices(range(len(near)), weights)[0]
        if not _loses_at_once(search, near[picked][1], seat):
            return near[picked][1]
        del near[picked]
    for score, hop in ranked:
        if best - score > within and not _loses_at_once(search, hop, seat):
            return hop
    return ranked[0][1]


def _loses_at_once(search: SearchPosition, hop: Hop, seat: Seat) -> bool:
    """Whether somebody else wins by the answer to that move, or has won already."""
    search.make(hop)
    answers = search.moves()
    other = search.turn
    lost = (
        seat not in search.result
        if search.result
        else other != seat and any(_winner(search, answer, other) for answer in answers)
    )
    search.unmake()
    return lost
