"""What is asked on the event loop about a position, at the heaviest ones that a search has found: milliseconds."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time

from rules import format_position
from tests import bench
from tests.bench import Figure
from tests.bench.heaviest import QUESTIONS, Act, kept

LONGEST_MS = 20.0
"""How long one answer may keep everybody else waiting."""
ROUNDS = 3


def figures() -> Iterator[Figure]:
    """For each question the position at which it takes longest."""
    positions = kept()[:: 10 if bench.short else 1]
    for question, acts in QUESTIONS.items():
        slowest, where = max(
            ((max(map(_ms, acts(position)), default=0.0), position) for position in positions), key=lambda one: one[0]
        )
        yield Figure(f"heaviest: {question}, ms", slowest, LONGEST_MS, format_position(where)[:60])


def _ms(act: Act) -> float:
    """Milliseconds of the processor, the best of a few calls: what the act takes when nothing else runs."""
    return 1000 * min(_seconds(act) for _ in range(ROUNDS))


def _seconds(act: Act) -> float:
    begun = process_time()
    act()
    return process_time() - begun
