"""The house player's levels, and what it chooses.

A weaker level is weak as people are: it looks less far, it overlooks moves that reach across the board, and among moves
that look about as good it plays any. What it never does is give its castle away where it could have kept it.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, inf
from types import MappingProxyType

from engine.position import SearchPosition, as_move
from engine.search import MAX_PLIES, SEARCH_TIMEOUT_S, Search, estimate_chances
from engine.tables import Hop
from rules import GameOver, Move, Position, Seat, Variant


@dataclass(frozen=True)
class Level:
    """How well the house plays."""

    depth: int
    """How many plies it looks ahead; captures are looked at beyond that."""
    nodes: int
    """How many positions it may look at."""
    max_loss: int
    """How much worse than the best a move may look to be played, in hundredths of log-odds."""
    temperature: float
    """How readily it plays what looks worse: at a difference of so much a move is e times as rare."""
    avoids_blunders: bool
    """Whether it always sees a win in one."""
    reach: float = inf
    """It overlooks quiet moves, anybody's, that end further away than so many steps."""
    charge: float = inf
    """The same of captures, such as charges; one that is due is made all the same."""
    by_variant: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    """`max_loss` and `temperature` by variant key, where they must differ for the steps between levels to be alike."""

    def choice_spread(self, variant: Variant) -> tuple[int, float]:
        """`max_loss` and `temperature` in that variant."""
        return self.by_variant.get(variant.key, (self.max_loss, self.temperature))


LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        "easy": Level(depth=1, nodes=1_000, max_loss=20, temperature=8, avoids_blunders=False, reach=3, charge=3),
        "medium": Level(
            depth=2,
            nodes=2_000,
            max_loss=60,
            temperature=40,
            avoids_blunders=True,
            reach=4,
            by_variant={"camelot": (40, 25), "cam-3d": (95, 65), "chivalry": (80, 52)},
        ),
        "hard": Level(depth=MAX_PLIES, nodes=8_000, max_loss=0, temperature=1, avoids_blunders=True),
    }
)
"""By the names that people choose from, weakest first."""

THREE_PLAYER_LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        "easy": Level(depth=1, nodes=1_000, max_loss=30, temperature=15, avoids_blunders=False, reach=3, charge=3),
        "medium": Level(depth=3, nodes=10_000, max_loss=10, temperature=5, avoids_blunders=True, reach=2),
        "hard": Level(depth=3, nodes=14_000, max_loss=0, temperature=1, avoids_blunders=True),
    }
)
"""The same levels in games of three: a round at most, since a last ply of another seat's misleads (docs/engine.md)."""


def choose_move(position: Position, level: str, seed: int, *, history: Sequence[Position] = ()) -> Move:
    """The move that the house plays at that level, one of `legal_moves`.

    The same for the same question, on all but very slow machines. `history` are the positions of the game so far; it
    does not like to come back to them. Raises KeyError for an unknown level, GameOver where the game is over.
    """
    return choose_at_level(position, level_in(position.variant, level), seed, history=history)


def level_in(variant: Variant, name: str) -> Level:
    """What the level of that name is in that variant. Raises KeyError."""
    return (THREE_PLAYER_LEVELS if len(variant.armies) > 2 else LEVELS)[name]


def choose_at_level(position: Position, level: Level, seed: int, *, history: Sequence[Position] = ()) -> Move:
    """As `choose_move`, for any level."""
    search = SearchPosition(position)
    hops = search.legal_hops()
    if not hops:
        raise GameOver
    dice = random.Random(f"{seed} {search.key}")  # noqa: S311 - to be the same again
    if len(hops) == 1:
        return as_move(search.to_position(), hops[0])
    wins = [hop for hop in hops if _wins(search, hop)] if level.avoids_blunders else []
    if wins:
        return as_move(search.to_position(), min(wins))
    pieces = search.occupied.bit_count()
    seen = {SearchPosition(earlier).key for earlier in history if sum(map(bool, earlier.cells)) == pieces}
    within, heat = level.choice_spread(search.variant)
    thinking = Search(search, level.nodes, seen=seen, reach=level.reach, charge=level.charge, seconds=SEARCH_TIMEOUT_S)
    liked = list(_iter_by_liking(thinking.rank_moves(level.depth, within), within, heat, dice))
    overlooked = sorted(set(hops).difference(liked))
    return as_move(search.to_position(), _safest_hop(search, [*liked, *overlooked]))


def evaluate_chances(position: Position, *, nodes: int = 4_000) -> tuple[float, ...]:
    """Each seat's chance to win, a draw shared; their sum is 1. A game that is over is certain."""
    search = SearchPosition(position)
    search.legal_hops()
    if search.result is not None:
        winners: Collection[Seat] = search.result or position.variant.seats
        return tuple((seat in winners) / len(winners) for seat in position.variant.seats)
    return estimate_chances(search, nodes)


def _wins(search: SearchPosition, hop: Hop) -> bool:
    """Whether that move wins the game at once for whoever makes it, be it that nobody else can move."""
    seat = search.turn
    search.make(hop)
    if search.result is None and not search.free_steps(search.turn):
        search.legal_hops()
    won = search.result is not None and seat in search.result
    search.unmake()
    return won


def _iter_by_liking(
    ranked: list[tuple[int, Hop]], max_loss: int, temperature: float, dice: random.Random
) -> Iterator[Hop]:
    """Those moves in the order of liking: first, by chance, what looks about as good as the best."""
    best = ranked[0][0]
    near = [(score, hop) for score, hop in ranked if best - score <= max_loss]
    while near:
        weights = [exp((score - best) / temperature) for score, _ in near]
        yield near.pop(dice.choices(range(len(near)), weights)[0])[1]
    yield from (hop for score, hop in ranked if best - score > max_loss)


def _safest_hop(search: SearchPosition, hops: list[Hop]) -> Hop:
    """The first of the moves after which nobody else can be sure to win with the next move they make.

    Where there is none, the first after which the next seat cannot; where there is no such move either, the first.
    """
    seat = search.turn
    for moves in range(len(search.variant.seats) - 1, 0, -1):
        for hop in hops:
            if not _loses(search, hop, seat, moves):
                return hop
    return hops[0]


def _loses(search: SearchPosition, hop: Hop, seat: Seat, moves: int) -> bool:
    """Whether that seat has lost after that move, or loses by one of the next so many, whatever comes before that."""
    search.make(hop)
    answers = search.legal_hops()
    mover = search.turn
    if search.result is not None:
        lost = bool(search.result) and seat not in search.result
    elif mover == seat:
        lost = False
    else:
        lost = any(_wins(search, answer) for answer in answers) or (
            moves > 1 and all(_loses(search, answer, seat, moves - 1) for answer in answers)
        )
    search.unmake()
    return lost
