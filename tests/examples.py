"""How many examples Hypothesis takes: the same few each time in the ordinary run, many new ones in a hunt."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from _pytest.mark import ParameterSet
from hypothesis import HealthCheck, settings

# On a busy machine any example may be slow.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

ORDINARY = settings(_PATIENT, max_examples=50, derandomize=True, database=None)
BOUNDED = settings(_PATIENT, max_examples=100)
LONG = settings(_PATIENT, max_examples=2000)

AtMost = Callable[[int, int], int]
"""What the fixture `at_most` gives: how often a hunt tries, as a whole and where it is bounded."""


def ordinarily(all_of: Iterable[str], *chosen: str) -> list[ParameterSet]:
    """Values for a test: the chosen ones in each run, the others in a hunt."""
    return [pytest.param(one, marks=() if one in chosen else pytest.mark.long) for one in all_of]


def examples(times: float) -> settings:
    """So many times what the profile takes: more where much is at stake, less where one example costs much."""
    return settings(max_examples=max(1, round(times * settings().max_examples)))
