"""The search, and the engine's position, which is what the referee says."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given

from engine.evaluation import MAX_DISTANCE, PATIENCE, TIRING, evaluation_of, weights_of
from engine.lookup_tables import Hop
from engine.search import CERTAIN_SCORE, WON_SCORE, NodeLimitReached, Search
from engine.search_position import SearchPosition, as_move
from rules import VARIANTS, Position, Seat, Side, Variant, legal_moves, parse_position, read_position, steward_move
from rules.game import resolve_passes
from tests.engine.positions import positions, state, unfinished
from tests.examples import AtMost, examples
from tests.rules.positions import built_positions

TWO = [variant for variant in VARIANTS.values() if len(variant.armies) == 2]


def plain(search: SearchPosition, seat: Seat, depth: int, ply: int = 0) -> int:
    """The score for that seat by plain minimax."""
    if search.result is None and depth <= 0:
        hops = search.due_captures()
        if not hops:
            if search.can_enter_castle():
                return WON_SCORE - ply - 1 if search.turn == seat else ply + 1 - WON_SCORE
            return evaluation_of(search.variant).score(search, seat)
    else:
        hops = search.legal_hops()
    if search.result is not None:
        return (
            evaluation_of(search.variant).draw
            if not search.result
            else WON_SCORE - ply
            if seat in search.result
            else ply - WON_SCORE
        )
    scores = []
    mine = search.turn == seat
    for hop in hops:
        search.make(hop)
        scores.append(plain(search, seat, depth - 1, ply + 1))
        search.unmake()
    return max(scores) if mine else min(scores)


@pytest.mark.parametrize("variant", TWO, ids=lambda variant: variant.key)
def test_one_ply_and_the_captures_after_it_are_as_minimax_says(variant: Variant) -> None:
    compared = 0
    for settled in unfinished(variant, 200, 11):
        search = SearchPosition(settled)
        if len(search.legal_hops()) > 60 or search.occupied.bit_count() > 9:
            continue
        before = state(search)
        expected = {}
        for hop in search.legal_hops():
            search.make(hop)
            expected[hop] = plain(search, settled.turn, 0, 1)
            search.unmake()
        assert {hop: score for score, hop in Search(search, 10**6).rank_moves(1, 10**6)} == expected
        assert state(search) == before
        compared += 1
        if compared == 8:
            break
    assert compared > 4


@pytest.mark.parametrize("variant", TWO, ids=lambda variant: variant.key)
def test_out_of_nodes_it_still_answers_and_restores_the_position(variant: Variant) -> None:
    search = SearchPosition(variant.start_position)
    before = state(search)
    for nodes in (1, 7, 150, 400):
        thinking = Search(search, nodes)
        ranked = thinking.rank_moves(9)
        assert sorted(hop for _, hop in ranked) == sorted(search.legal_hops())
        assert thinking.nodes <= nodes + 1
        assert state(search) == before


def test_a_longer_win_is_worth_less_than_a_shorter_one() -> None:
    search = SearchPosition(parse_position("camelot White White:NE7,NF16,E3,H6,I6,E8,A10,I14 Black:NC13 castle:0,0"))
    (score, _), *_ = Search(search, 20_000).rank_moves(6)
    assert score == WON_SCORE - 3
    assert score > CERTAIN_SCORE


def test_a_search_stops_when_its_time_is_up() -> None:
    thinking = Search(SearchPosition(VARIANTS["chivalry"].start_position), 10**6, seconds=0)
    assert thinking.rank_moves(9)
    assert thinking.nodes <= 64


@pytest.mark.parametrize("variant", TWO, ids=lambda variant: variant.key)
def test_every_variant_of_two_has_weights_that_value_pieces_and_progress(variant: Variant) -> None:
    weights = weights_of(variant)
    assert weights.man >= 0
    assert weights.knight > 0
    assert weights.goal[0] + weights.nearest * 0 > weights.goal[-1] + 9 * weights.nearest + 9 * weights.second - 1
    start = SearchPosition(variant.start_position)
    assert evaluation_of(variant).score(start, start.turn) == evaluation_of(variant).move  # both sides alike


def test_the_longer_nothing_is_captured_the_less_it_guards() -> None:
    evaluation = evaluation_of(VARIANTS["camelot"])
    before, later, at_last = (evaluation.after_quiet_plies(quiet).weights.guard for quiet in (0, 30, 400))
    assert before == evaluation.weights.guard
    assert sum(before) > sum(later) > sum(at_last) == 0


@pytest.mark.parametrize("key", ["camelot", "tri-camelot"])
def test_what_it_could_no_longer_examine_is_not_rated_as_best(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, tried = Search._score_after, set()

    def one_move_of_the_second_ply(self: Search, hop: Hop, depth: int, alpha: int, beta: int, ply: int) -> int:
        if (ply, depth) == (1, 1):
            if tried:
                raise NodeLimitReached
            tried.add(hop)
        return whole(self, hop, depth, alpha, beta, ply)

    search = SearchPosition(VARIANTS[key].start_position)
    _, liked = Search(search, 10_000).rank_moves(1)[0]
    monkeypatch.setattr(Search, "_score_after", one_move_of_the_second_ply)
    (best, first), (second, _), *_ = Search(search, 10_000).rank_moves(9, 20)
    assert first == liked
    assert second < best - 20


@pytest.mark.parametrize(
    "text",
    [
        "camette White White:NA5 Black:NE5,D6",
        "camelot White White:ND4,NB5,B7,A8,C8 Black:NA5,ND6,NB9,C4,D7,A10 castle:2,0",
        "tri-camelot Red Blue:F1,H11,E14 Red:NH5,ND9,NE12,NH13,F5 Green:NF3,NG6,NI6,NE10,NH17,H7,F9,J9,J13,G14",
    ],
)
def test_wherever_nodes_run_out_it_does_not_prefer_a_seen_loss(text: str) -> None:
    """At one ply a move looks best that loses; there is one that does not."""
    search = SearchPosition(read_position(text))
    whole = Search(search, 3_000)
    assert whole.rank_moves(3)[0][0] > -CERTAIN_SCORE
    for nodes in range(1, whole.nodes, max(1, whole.nodes // 100)):
        assert Search(search, nodes).rank_moves(3)[0][0] > -CERTAIN_SCORE, nodes


@pytest.mark.parametrize("variant", TWO, ids=lambda variant: variant.key)
@pytest.mark.parametrize("quiet", [0, PATIENCE * TIRING])
def test_two_pieces_equally_far_off_are_worth_more_than_one_of_them(variant: Variant, quiet: int) -> None:
    evaluation = evaluation_of(variant).after_quiet_plies(quiet)
    (man, _), (foe, _) = variant.piece_codes

    def worth(*cells: int) -> int:
        placed = bytearray(len(variant.board.names))
        for cell in cells:
            placed[cell] = man
        placed[placed.index(0)] = foe  # alone, nobody is to move
        return evaluation.score_army(SearchPosition(replace(variant.start_position, cells=bytes(placed))), 0)

    for far in range(1, MAX_DISTANCE + 1):
        for one, other in pairwise(cell for cell, way in enumerate(evaluation.ways[0]) if way == far):
            assert worth(one, other) > worth(one)


# The engine's position


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
def test_a_thousand_positions_are_what_the_referee_says(key: str, at_most: AtMost) -> None:
    chance = random.Random(f"long {key}")
    for position in positions(VARIANTS[key], at_most(1_000, 200), 2):
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
    for settled in unfinished(VARIANTS[key], 12, 4):
        for hop in SearchPosition(settled).legal_hops()[:5]:
            move = as_move(settled, hop)
            assert move in legal_moves(settled)
            assert (move.start, move.end, set(move.captures)) == (hop[0], hop[1], set(hop[2]))
    with pytest.raises(KeyError):
        as_move(VARIANTS[key].start_position, (0, 0, ()))
