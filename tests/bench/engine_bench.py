"""The engine: its search position beside the rules on the same positions, its speed, and its memory."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable, Iterator
from statistics import median
from time import process_time

from engine.search import MAX_PLIES, Search
from engine.search_position import SearchPosition
from engine.tools.match import make_opening
from rules import VARIANTS, Variant, legal_moves
from tests import bench
from tests.bench import Figure
from tests.bench.rules_bench import our_positions

LIST_LIMIT, NODES_LIMIT, MEMORY_LIMIT = 2.5, 20, 80
ROUNDS, NODES = 5, 8_000
THINKING = """
import resource
from engine import choose_move, evaluate_chances
from engine.tools.match import make_opening
from rules import VARIANTS

for variant in VARIANTS.values():
    for seed in range(3):
        position = make_opening(variant, seed).position
        choose_move(position, "hard", seed)
        evaluate_chances(position, nodes=30_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def spent_on(work: Callable[[], object]) -> float:
    """Returns the processor seconds of one call."""
    begun = process_time()
    work()
    return process_time() - begun


def listed(variant: Variant) -> float:
    """Returns how many times faster than the rules the search position lists the moves, in the whole sample."""
    positions = [game.position for game, _ in our_positions(variant)][:: 10 if bench.short else 1]

    def referee() -> None:
        for position in positions:
            legal_moves(position)

    searches = [SearchPosition(position) for position in positions]

    def search() -> None:
        for position in searches:
            position.legal_hops()

    search()  # warms its memory of cells, as in any search
    gc.collect()
    gc.disable()
    try:
        return median(spent_on(referee) / spent_on(search) for _ in range(ROUNDS))
    finally:
        gc.enable()


def searched(variant: Variant) -> float:
    """Returns thousands of nodes searched in a processor second, at positions from play."""
    nodes, spent = 0, 0.0
    for seed in range(2 if bench.short else 10):
        thinking = Search(SearchPosition(make_opening(variant, seed).position), NODES)
        begun = process_time()
        thinking.rank_moves(MAX_PLIES)
        spent += process_time() - begun
        nodes += thinking.nodes
    return nodes / 1000 / spent


def memory() -> float:
    """Returns the peak megabytes of a process that has thought about every variant."""
    ran = subprocess.run([sys.executable, "-c", THINKING], capture_output=True, text=True, check=True)
    return int(ran.stdout) / 1024


def figures() -> Iterator[Figure]:
    """Yields ratios for every variant."""
    for key, variant in VARIANTS.items():
        yield Figure(f"{key}: search position lists, times as fast", listed(variant), LIST_LIMIT, at_least=True)
    for key, variant in VARIANTS.items():
        yield Figure(f"{key}: thousands of nodes a second", searched(variant), NODES_LIMIT, at_least=True)
    yield Figure("a process that thinks, MB", memory(), MEMORY_LIMIT)
