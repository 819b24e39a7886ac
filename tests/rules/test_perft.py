"""Counts of moves, and the heaviest positions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rules import VARIANTS, format_position, parse_position
from rules.perft import iter_perft_shares, perft
from tests.bench.heaviest import QUESTIONS, counted, kept, work
from tests.rules import brute
from tests.rules.scenes import BYSTANDERS, LETTERS

FILES = Path(__file__).parent / "perft"
ORDINARY = 150_000
"""Outcomes that the ordinary run counts."""

RULINGS = {
    "camelot": (100, 10026),
    "chivalry": (132, 17470),
    "cam-3d": (141, 21096),
    "tri-camelot": (36, 1296),
    "cam": (54, 2916),
    "camette": (22, 345),
}


def counts(key: str) -> Iterator[tuple[str, int, int]]:
    """(position, depth, outcomes) of that variant's file."""
    for line in (FILES / f"{key}.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            position, *levels = line.split("; ")
            for level in levels:
                depth, outcomes = map(int, level.split())
                yield position, depth, outcomes


def cases(*, long: bool) -> list[object]:
    return [
        pytest.param(position, depth, outcomes, id=f"{key}-{n}-depth-{depth}")
        for key in VARIANTS
        for n, (position, depth, outcomes) in enumerate(counts(key))
        if (outcomes > ORDINARY) == long
    ]


@pytest.mark.parametrize(("position", "depth", "outcomes"), cases(long=False))
def test_the_outcomes_at_each_depth(position: str, depth: int, outcomes: int) -> None:
    assert perft(parse_position(position), depth) == outcomes


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("position", "depth", "outcomes"), cases(long=True))
def test_the_outcomes_at_greater_depth(position: str, depth: int, outcomes: int) -> None:
    assert perft(parse_position(position), depth) == outcomes


@pytest.mark.parametrize("key", VARIANTS)
def test_counts_of_the_first_two_half_moves_match_the_rulings(key: str) -> None:
    start = format_position(VARIANTS[key].start_position)
    found = {depth: outcomes for position, depth, outcomes in counts(key) if position == start}
    assert (found[1], found[2]) == RULINGS[key]


@pytest.mark.parametrize("key", VARIANTS)
def test_the_shares_of_the_first_moves_add_up(key: str) -> None:
    assert sum(outcomes for _, outcomes in iter_perft_shares(VARIANTS[key].start_position, 2)) == RULINGS[key][1]


def test_no_variant_lacks_its_perft_file_or_its_place_in_these_tests() -> None:
    assert {path.stem for path in FILES.glob("*.txt")} == set(VARIANTS)
    for table in (RULINGS, LETTERS, BYSTANDERS, brute.CASTLES, brute.CASTLE_MOVES):
        assert set(table) == set(VARIANTS)


# The heaviest positions


MOST_WORK = 6000
"""Lookups of a cell's leaps; 20 ms are some 10,000."""


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_is_answered_with_little_work_at_the_heaviest_positions(question: str) -> None:
    with counted() as count:
        assert max(work(question, position, count) for position in kept()) <= MOST_WORK
