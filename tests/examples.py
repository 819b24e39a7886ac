"""The number of Hypothesis examples: the same few in each ordinary run, many new ones in a hunt."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable

import pytest
from _pytest.mark import ParameterSet
from hypothesis import HealthCheck, settings

# On a busy machine any example may be slow.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

ORDINARY = settings(_PATIENT, max_examples=20, derandomize=True, database=None)
BOUNDED = settings(_PATIENT, max_examples=100)
LONG = settings(_PATIENT, max_examples=200)


def drawn_seed() -> int:
    """Returns the seed of a hunt, and prints it: KILL_SEED, or a random one."""
    seed = int(os.environ.get("KILL_SEED", random.SystemRandom().randrange(10**9)))
    print(f"KILL_SEED={seed}")
    return seed


AtMost = Callable[[int, int], int]
"""The fixture `at_most`: takes the tries of a whole and of a bounded hunt, returns those of this run."""


def ordinarily(all_of: Iterable[str], *chosen: str) -> list[ParameterSet]:
    """Returns the values as parameters of a test: the chosen ones run always, the others only in a hunt."""
    return [pytest.param(one, marks=() if one in chosen else pytest.mark.long) for one in all_of]


def examples(times: float) -> settings:
    """Returns settings with the profile's number of examples multiplied by `times`."""
    return settings(max_examples=max(1, round(times * settings().max_examples)))
