"""The engine's search position beside the referee, on the same positions of random games, one right after the other."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from statistics import median

from engine.position import SearchPosition
from rules import VARIANTS, Variant, legal_moves
from tests import bench
from tests.bench import Figure
from tests.bench.rules_bench import our_positions, timed

LIST_LIMIT = 2.5
ROUNDS = 5


def listed(variant: Variant) -> float:
    """How many times as fast as the referee the search position lists the moves; the whole sample's time counts."""
    positions = [game.position for game, _ in our_positions(variant)][:: 10 if bench.short else 1]

    def referee() -> None:
        for position in positions:
            legal_moves(position)

    searches = [SearchPosition(position) for position in positions]

    def search() -> None:
        for position in searches:
            position.moves()

    search()  # what it has seen around the cells it remembers, as in any search
    gc.collect()
    gc.disable()
    try:
        return median(timed(referee) / timed(search) for _ in range(ROUNDS))
    finally:
        gc.enable()


def figures() -> Iterator[Figure]:
    """Ratios for every variant."""
    for key, variant in VARIANTS.items():
        yield Figure(f"{key}: search position lists, times as fast", listed(variant), LIST_LIMIT, at_least=True)
