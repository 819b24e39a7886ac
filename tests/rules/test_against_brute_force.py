"""Compares `Turn` and the list of moves with a second referee that walks every path."""

from __future__ import annotations

import pytest
from hypothesis import given

from rules import (
    VARIANTS,
    AmbiguousMove,
    IllegalMove,
    Position,
    Reason,
    Side,
    format_move,
    has_legal_move,
    legal_moves,
    parse_move,
)
from tests.examples import AtMost, examples, ordinarily
from tests.rules import brute
from tests.rules.positions import built_positions, random_game, scene

GAMES, PLIES = {"camelot": 2, "chivalry": 2, "cam-3d": 13, "tri-camelot": 3, "cam": 8, "camette": 40}, 160


def compare(position: Position, paths: int = 60) -> None:
    """Asserts that the list has the outcomes of the second referee, and that both accept the same texts."""
    try:
        legal, forbidden = brute.judged(scene(position), limit=20_000)
    except brute.TooMany:
        return
    names = position.names
    found = [(*names((m.start, m.end)), frozenset(names(m.captures))) for m in legal_moves(position)]
    expected = {(p.start, p.end, frozenset(p.captures)) for p in legal}
    assert len(found) == len(set(found)), "an outcome is listed twice"
    assert set(found) == expected
    if brute.decided(scene(position)):
        return
    assert has_legal_move(position) == bool(legal)
    for path in legal[:: len(legal) // paths + 1]:
        move = parse_move(position, path.text)
        assert (format_move(move, position.variant.board), names(move.captures)) == (path.text, path.captures)
    for path in forbidden[:: len(forbidden) // paths + 1]:
        if len(path.text.replace("x", "-").split("-")) == 2 and any(
            (path.start, path.end) == (other.start, other.end) for other in legal
        ):
            continue  # as a shortened text it stands for the legal one
        with pytest.raises((IllegalMove, AmbiguousMove)) as refusal:
            parse_move(position, path.text)
        if isinstance(refusal.value, AmbiguousMove):
            assert refusal.value.more  # the piece has too many moves to search them all for one so shortened
        assert refusal.value.reason is not Reason.UNEXPLAINED


@pytest.mark.parametrize("key", ordinarily(VARIANTS, "tri-camelot", "camelot", "chivalry", "camette"))
def test_the_list_agrees_with_every_path_walked_through_random_games(key: str) -> None:
    compared = 0
    for seed in range(GAMES[key]):
        for game in random_game(VARIANTS[key], seed, PLIES):
            compare(game.position, paths=8)
            compared += 1
    assert compared > 200


@given(built_positions())
@examples(6)
def test_the_list_agrees_with_every_path_walked_from_built_positions(position: Position) -> None:
    compare(position)


@given(built_positions())
@examples(2)
def test_a_capture_is_due_exactly_when_a_piece_could_jump(position: Position) -> None:
    try:
        legal, forbidden = brute.judged(scene(position), limit=20_000)
    except brute.TooMany:
        return
    side = Side(position)
    if not brute.decided(scene(position)) and not side.in_own_castle:
        assert side.capture_due == any(path.pure_jump for path in legal + forbidden)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("key", VARIANTS)
def test_the_list_agrees_with_every_path_walked_for_long(key: str, at_most: AtMost) -> None:
    for seed in range(1000, 1000 + at_most(6, 2)):
        for game in random_game(VARIANTS[key], seed):
            compare(game.position)


@pytest.mark.long
@pytest.mark.timeout(1800)
@given(built_positions(most=24))
@examples(10)
def test_the_list_agrees_with_every_path_walked_from_many_built_positions(position: Position) -> None:
    compare(position)
