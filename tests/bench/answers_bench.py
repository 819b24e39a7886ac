"""Milliseconds of the questions that the event loop answers about a position, at the heaviest positions found."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time

from rules import format_position
from tests import bench
from tests.bench import Figure
from tests.bench.heaviest import QUESTIONS, Act, kept

LONGEST_MS = 20.0
"""The time that one answer may block the event loop."""
ROUNDS = 3


def figures() -> Iterator[Figure]:
    """Yields for each question the time at its slowest position."""
    positions = kept()[:: 10 if bench.short else 1]
    for question, acts in QUESTIONS.items():
        slowest, where = max(
            ((max(map(_ms, acts(position)), default=0.0), position) for position in positions), key=lambda one: one[0]
        )
        yield Figure(f"heaviest: {question}, ms", slowest, LONGEST_MS, format_position(where)[:60])


def _ms(act: Act) -> float:
    """Returns the processor time of the act in milliseconds, the best of a few calls."""
    return 1000 * min(_seconds(act) for _ in range(ROUNDS))


def _seconds(act: Act) -> float:
    begun = process_time()
    act()
    return process_time() - begun
