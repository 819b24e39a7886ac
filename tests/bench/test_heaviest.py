"""No question about a position takes long, even at the heaviest positions that a search has found."""

from __future__ import annotations

import pytest

from rules import VARIANTS
from tests.bench.heaviest import QUESTIONS, climb, counted, kept, work
from tests.examples import AtMost

MOST_WORK = 6000
"""Lookups of a cell's leaps; 20 ms are some 10,000."""


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_is_answered_with_little_work_at_the_heaviest_positions(question: str) -> None:
    with counted() as count:
        assert max(work(question, position, count) for position in kept()) <= MOST_WORK


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("key", VARIANTS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_no_heavier_position_is_found_by_climbing(question: str, key: str, at_most: AtMost) -> None:
    weight, position = climb(question, VARIANTS[key], at_most(60, 1), f"again {question} {key}")
    assert weight <= MOST_WORK, position
