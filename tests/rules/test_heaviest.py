"""No question about a position takes long, even at the heaviest positions that a search has found."""

from __future__ import annotations

import pytest

from tests.bench.heaviest import QUESTIONS, counted, kept, work

MOST_WORK = 6000
"""Lookups of a cell's leaps; 20 ms are some 10,000."""


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_is_answered_with_little_work_at_the_heaviest_positions(question: str) -> None:
    with counted() as count:
        assert max(work(question, position, count) for position in kept()) <= MOST_WORK
