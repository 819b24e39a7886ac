"""The levels of the house player, and how each of them chooses a move.

A weak level errs as people do: it searches fewer plies, overlooks moves across the board, and picks at random among
moves that look about equal. No level gives its castle away if a move can keep it.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, inf
from types import MappingProxyType
from typing import Any

from engine.cells import cell_evaluation_of
from engine.lookup_tables import Hop
from engine.rational import RationalSearch
from engine.search import MAX_PLIES, SEARCH_TIMEOUT_S, Search, estimate_chances
from engine.search_position import SearchPosition, as_move
from rules import GameOver, Move, Position, Seat, Variant
from rules.board import Cell
from rules.symmetry import symmetries


@dataclass(frozen=True)
class Level:
    """The strength of the house player."""

    depth: int
    """How many plies it searches; captures are searched further."""
    nodes: int
    """The most positions that it searches."""
    max_loss: int
    """How much worse than the best move a chosen move may look, in hundredths of log-odds."""
    temperature: float
    """How readily it chooses worse moves: a move that looks this much worse is e times rarer."""
    sees_wins: bool
    """Whether it always sees a win in one move."""
    reach: float = inf
    """The steps beyond which it overlooks quiet moves, both its own and those of others."""
    capture_reach: float = inf
    """The steps beyond which it overlooks captures, such as charges. It still makes a capture that is due."""
    rational: bool = False
    """Whether it assumes that the others harm it, but not themselves (games of three)."""
    by_variant: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Other values of fields by variant key, for variants where the defaults would space the levels unevenly."""


_HASTY = Level(depth=1, nodes=1_000, max_loss=20, temperature=8, sees_wins=False, reach=3, capture_reach=3)
_MEDIUM = Level(depth=2, nodes=2_000, max_loss=60, temperature=40, sees_wins=True, reach=4)
_THOROUGH = Level(depth=MAX_PLIES, nodes=8_000, max_loss=0, temperature=1, sees_wins=True)


def _vary(level: Level, **values: Sequence[float]) -> Level:
    """The level with those values of fields in Camette, Cam, Camelot, Cam 3-D and Chivalry."""
    fields = zip(("camette", "cam", "camelot", "cam-3d", "chivalry"), zip(*values.values(), strict=True), strict=True)
    return replace(level, by_variant={key: dict(zip(values, own, strict=True)) for key, own in fields})


LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        "easy": _HASTY,
        "2": _vary(
            _MEDIUM,
            depth=(2, 1, 2, 2, 1),
            max_loss=(120, 20, 80, 140, 22),
            temperature=(80, 8, 50, 95, 10),
            capture_reach=(inf, 4, inf, inf, 4),
        ),
        "medium": _vary(_MEDIUM, max_loss=(60, 60, 40, 95, 80), temperature=(40, 40, 25, 65, 52)),
        "4": _vary(_THOROUGH, nodes=(100, 200, 700, 2_200, 480)),
        "5": _vary(_THOROUGH, nodes=(420, 360, 1_300, 4_200, 880)),
        "6": _vary(_THOROUGH, nodes=(1_150, 850, 2_400, 3_200, 1_800)),
        "7": _vary(_THOROUGH, nodes=(3_000, 2_250, 4_350, 5_100, 3_900)),
        "hard": _THOROUGH,
    }
)
"""The levels by the names that people choose, weakest first. A name is a step's number, or older than the numbers."""

THREE_PLAYER_LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        "easy": replace(_HASTY, max_loss=225, temperature=150),
        "2": replace(_HASTY, max_loss=135, temperature=90),
        "medium": replace(_HASTY, max_loss=84, temperature=56),
        "4": replace(_HASTY, max_loss=60, temperature=40),
        "5": replace(_HASTY, max_loss=30, temperature=15),
        "6": replace(_HASTY, max_loss=15, temperature=10, sees_wins=True, reach=4, capture_reach=4),
        "7": Level(depth=3, nodes=10_000, max_loss=10, temperature=5, sees_wins=True, reach=2),
        "hard": Level(depth=4, nodes=14_000, max_loss=0, temperature=1, sees_wins=True, rational=True),
    }
)
"""The levels in games of three. Those that expect the worst search one round at most: further, they play worse
(docs/engine.md)."""


FEWER_LEVELS: Mapping[str, Collection[str]] = MappingProxyType({"cam-3d": ("6", "7")})
"""By variant key, the levels that are not offered: they would be too near to their neighbours. Old games keep them."""


def levels_of(variant: str) -> tuple[str, ...]:
    """The names of the levels offered in the variant with that key, weakest first.

    >>> levels_of("cam-3d")
    ('easy', '2', 'medium', '4', '5', 'hard')
    """
    return tuple(name for name in LEVELS if name not in FEWER_LEVELS.get(variant, ()))


BELOW, ABOVE = "below-easy", "above-hard"
HANDICAPS: Mapping[str, str] = MappingProxyType({BELOW: "easy", ABOVE: "hard"})
"""The two steps at the ends of the ladder, with the bots' level: at one each bot begins a piece less, at the other the
person does."""
STRENGTHS = (BELOW, *LEVELS, ABOVE)
"""The levels and handicaps that people choose, weakest first."""
LACKING: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "camette": {BELOW: "B3"},
        "cam": {BELOW: "D5"},
        "camelot": {BELOW: "D7", ABOVE: "D6"},
        "cam-3d": {BELOW: "1C2", ABOVE: "1B2"},
        "chivalry": {BELOW: "D7", ABOVE: "C6"},
        "tri-camelot": {ABOVE: "E4"},
    }
)
"""By variant key and handicap, the cell of the first seat whose piece is missing, or for other seats its image. Where
neither a Knight nor a Man makes the step even, it is not offered."""


def strengths_of(variant: str) -> tuple[str, ...]:
    """The names of the levels and handicaps offered in the variant with that key, weakest first.

    >>> strengths_of("camette")[-1]
    'hard'
    """
    return tuple(name for name in STRENGTHS if name in levels_of(variant) or name in LACKING.get(variant, ()))


def lacking_cells(variant: Variant, handicap: str) -> dict[Seat, Cell]:
    """By seat, the cell of the piece that it begins without if it is a weaker one at that handicap."""
    cell = variant.board.find_cell(LACKING[variant.key][handicap])
    return {one.seats[0]: one.cells[cell] for one in reversed(symmetries(variant))}


def without_pieces(position: Position, cells: Iterable[Cell]) -> Position:
    """The position without the pieces on those cells."""
    pieces = bytearray(position.cells)
    for cell in cells:
        pieces[cell] = 0
    return replace(position, cells=bytes(pieces))


def begin_with_handicap(variant: Variant, name: str, person: Seat) -> Position:
    """The start of the variant at that handicap, if the person has that seat."""
    cells = lacking_cells(variant, name).items()
    weaker = [cell for seat, cell in cells if (seat == person) == (name == ABOVE)]
    return without_pieces(variant.start_position, weaker)


def choose_move(position: Position, level: str, seed: int, *, history: Sequence[Position] = ()) -> Move:
    """The move that the house plays at that level, one of `legal_moves`.

    Deterministic for the same arguments, except on very slow machines. `history` holds the earlier positions of the
    game; the house avoids repeating them. Raises KeyError for an unknown level, GameOver if the game is over.

    >>> from rules import format_move, parse_position
    >>> position = parse_position("camette White White:C6,A3 Black:E3,E4")
    >>> format_move(choose_move(position, "hard", seed=1), position.variant.board)
    'C6-C7'
    """
    return choose_at_level(position, level_in(position.variant, level), seed, history=history)


def level_in(variant: Variant, name: str) -> Level:
    """The level with that name in that variant. Raises KeyError if there is none.

    >>> from rules import VARIANTS
    >>> level_in(VARIANTS["camelot"], "easy").depth
    1
    """
    level = (THREE_PLAYER_LEVELS if len(variant.armies) > 2 else LEVELS)[name]
    return replace(level, **level.by_variant.get(variant.key, {}))


def choose_at_level(position: Position, level: Level, seed: int, *, history: Sequence[Position] = ()) -> Move:
    """The move that `choose_move` returns, for any `Level`."""
    search = SearchPosition(position)
    hops = search.legal_hops()
    if not hops:
        raise GameOver
    dice = random.Random(f"{seed} {search.key}")  # noqa: S311 - to be the same again
    if len(hops) == 1:
        return as_move(search.to_position(), hops[0])
    wins = [hop for hop in hops if _wins(search, hop)] if level.sees_wins else []
    if wins:
        return as_move(search.to_position(), min(wins))
    pieces = search.occupied.bit_count()
    seen = {SearchPosition(earlier).key for earlier in history if sum(map(bool, earlier.cells)) == pieces}
    within, heat = level.max_loss, level.temperature
    thinking: Search
    if level.rational:
        evaluation = cell_evaluation_of(position.variant)
        thinking = RationalSearch(search.to_position(), evaluation, level.nodes, seen, SEARCH_TIMEOUT_S)
    else:
        reach, far = level.reach, level.capture_reach
        thinking = Search(search, level.nodes, seen=seen, reach=reach, capture_reach=far, seconds=SEARCH_TIMEOUT_S)
    liked = list(_iter_by_liking(thinking.rank_moves(level.depth, within), within, heat, dice))
    overlooked = sorted(set(hops).difference(liked))
    return as_move(search.to_position(), _safest_hop(search, [*liked, *overlooked]))


def evaluate_chances(position: Position, *, nodes: int = 4_000) -> tuple[float, ...]:
    """Each seat's chance to win, with draws shared; the sum is 1. The chances of a finished game are 0, 1 or shares.

    >>> from rules import VARIANTS
    >>> chances = evaluate_chances(VARIANTS["camette"].start_position, nodes=200)
    >>> len(chances), round(sum(chances), 6)
    (2, 1.0)
    """
    search = SearchPosition(position)
    search.legal_hops()
    if search.result is not None:
        winners: Collection[Seat] = search.result or position.variant.seats
        return tuple((seat in winners) / len(winners) for seat in position.variant.seats)
    return estimate_chances(search, nodes)


def _wins(search: SearchPosition, hop: Hop) -> bool:
    """Whether that move wins at once for the seat that makes it, also by leaving no legal move."""
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
    """Yields the moves by preference: first those within `max_loss` of the best in random order, then the rest."""
    best = ranked[0][0]
    near = [(score, hop) for score, hop in ranked if best - score <= max_loss]
    while near:
        weights = [exp((score - best) / temperature) for score, _ in near]
        yield near.pop(dice.choices(range(len(near)), weights)[0])[1]
    yield from (hop for score, hop in ranked if best - score > max_loss)


def _safest_hop(search: SearchPosition, hops: list[Hop]) -> Hop:
    """The first move after which no other seat has a sure win with its next move.

    If there is none, the first move after which the next seat has no win; failing that, the first move.
    """
    seat = search.turn
    for moves in range(len(search.variant.seats) - 1, 0, -1):
        for hop in hops:
            if not _loses(search, hop, seat, moves):
                return hop
    return hops[0]


def _loses(search: SearchPosition, hop: Hop, seat: Seat, moves: int) -> bool:
    """Whether that move loses the game for `seat`, at once or by force within the next `moves` moves of other seats."""
    search.make(hop)
    answers = search.legal_hops()
    if search.result is not None:
        lost = bool(search.result) and seat not in search.result
    else:
        lost = search.turn != seat and (
            any(_wins(search, answer) for answer in answers)
            or (moves > 1 and all(_loses(search, answer, seat, moves - 1) for answer in answers))
        )
    search.unmake()
    return lost
