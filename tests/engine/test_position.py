"""Compares the search position with `rules`: the same moves, outcomes and keys; `unmake` restores it exactly."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given

from engine.search_position import SearchPosition, as_move
from rules import VARIANTS, Position, Side, legal_moves, steward_move
from rules.game import resolve_passes
from tests.engine.positions import positions, state
from tests.examples import AtMost, examples
from tests.rules.positions import built_positions


def compare(position: Position, chance: random.Random, depth: int = 2) -> None:
    """Asserts that the search position agrees with `rules`, here and a few moves on, and that `unmake` restores it."""
    search = SearchPosition(position)
    walk(position, search, chance, depth)


def walk(position: Position, search: SearchPosition, chance: random.Random, depth: int) -> None:
    # As it is before turns pass: what the pieces alone decide.
    ended = position.variant.ending(position)
    assert search.result == (ended.winners if ended else None)
    assert search.to_position() == position
    assert search.key == SearchPosition(position).key
    settled, outcome, _ = resolve_passes(position)
    hops = search.legal_hops()
    assert search.result == (outcome.winners if outcome else None)
    assert search.to_position().repetition_key() == settled.repetition_key()
    assert search.key == SearchPosition(settled).key
    legal = () if outcome else legal_moves(settled)
    outcomes = [(start, end, frozenset(captures)) for start, end, captures in hops]
    assert len(outcomes) == len(set(outcomes)), "an outcome is listed twice"
    assert set(outcomes) == {move.outcome for move in legal}
    due = outcome is None and Side(settled).capture_due
    assert sorted(search.due_captures()) == (sorted(hops) if due else [])
    if not depth:
        return
    by_outcome = {move.outcome: move for move in legal}
    before = state(search)
    for hop in chance.sample(hops, min(len(hops), 6)):
        search.make(hop)
        walk(settled.after_move(by_outcome[hop[0], hop[1], frozenset(hop[2])]), search, chance, depth - 1)
        search.unmake()
        assert state(search) == before


@pytest.mark.parametrize("key", VARIANTS)
def test_the_search_position_is_what_the_referee_says(key: str) -> None:
    chance = random.Random(key)
    for position in positions(VARIANTS[key], 60, 1):
        compare(position, chance, depth=1)


def test_a_steward_does_by_other_code_what_the_referee_says() -> None:
    quiet = 0
    for position in positions(VARIANTS["tri-camelot"], 700, 5):
        gone = frozenset({position.turn})
        position = replace(position, out=gone, stewards=gone)
        if not position.variant.ending(position):
            move = steward_move(position)
            quiet += move is not None and not move.captures
            assert SearchPosition(position)._steward_hops() == ([(move.start, move.end, move.captures)] if move else [])
    assert quiet > 2


@given(built_positions(most=24))
@examples(2)
def test_built_positions_are_what_the_referee_says(position: Position) -> None:
    compare(position, random.Random(1), depth=1)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("key", VARIANTS)
def test_ten_thousand_positions_are_what_the_referee_says(key: str, at_most: AtMost) -> None:
    chance = random.Random(f"long {key}")
    for position in positions(VARIANTS[key], at_most(10_000, 600), 2):
        compare(position, chance)


@pytest.mark.parametrize("key", VARIANTS)
def test_the_key_is_equal_exactly_where_the_referee_counts_a_repetition(key: str) -> None:
    seen: dict[int, object] = {}
    for position in positions(VARIANTS[key], 300, 3):
        search = SearchPosition(position)
        assert seen.setdefault(search.key, position.repetition_key()) == position.repetition_key()
    assert len(set(map(repr, seen.values()))) == len(seen)


@pytest.mark.parametrize("key", VARIANTS)
def test_what_it_lists_is_found_again_by_the_referee(key: str) -> None:
    for position in positions(VARIANTS[key], 12, 4):
        settled, outcome, _ = resolve_passes(position)
        if outcome is None:
            for hop in SearchPosition(settled).legal_hops()[:5]:
                move = as_move(settled, hop)
                assert move in legal_moves(settled)
                assert (move.start, move.end, set(move.captures)) == (hop[0], hop[1], set(hop[2]))
    with pytest.raises(KeyError):
        as_move(VARIANTS[key].start_position, (0, 0, ()))
