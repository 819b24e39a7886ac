"""The search of two players: what it finds does not depend on how it finds it, and it leaves everything as it was."""

from __future__ import annotations

import pytest

from engine.evaluation import evaluation_of, weights_of
from engine.position import SearchPosition
from engine.tables import Hop
from engine.two import CERTAIN, DRAW, WON, OutOfNodes, Search
from rules import VARIANTS, Seat, Variant, parse_position
from rules.game import settle
from tests.engine.test_position import positions, state

TWO = [variant for variant in VARIANTS.values() if len(variant.armies) == 2]


def plain(search: SearchPosition, seat: Seat, depth: int, ply: int = 0) -> int:
    """The score for that seat by minimax, without any short cut."""
    if search.result is None and depth <= 0:
        hops = search.captures()
        if not hops:
            home = search.bits[search.turn] & search.views[search.turn].castle
            score = WON - ply - 1 if not home and search.enters() else evaluation_of(search.variant).score(search)
            return score if search.turn == seat else -score
    else:
        hops = search.moves()
    if search.result is not None:
        return DRAW if not search.result else WON - ply if seat in search.result else ply - WON
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
    for position in positions(variant, 200, 11):
        settled, outcome, _ = settle(position)
        search = SearchPosition(settled)
        if outcome or len(search.moves()) > 60 or search.occupied.bit_count() > 9:
            continue
        before = state(search)
        expected = {}
        for hop in search.moves():
            search.make(hop)
            expected[hop] = plain(search, settled.turn, 0, 1)
            search.unmake()
        assert {hop: score for score, hop in Search(search, 10**6).rank(1, 10**6)} == expected
        assert state(search) == before
        compared += 1
        if compared == 8:
            break
    assert compared > 4


@pytest.mark.parametrize("variant", TWO, ids=lambda variant: variant.key)
def test_out_of_nodes_it_still_has_an_answer_and_the_position_is_as_before(variant: Variant) -> None:
    search = SearchPosition(variant.start)
    before = state(search)
    for nodes in (1, 7, 150, 400):
        thinking = Search(search, nodes)
        ranked = thinking.rank(9)
        assert sorted(hop for _, hop in ranked) == sorted(search.moves())
        assert thinking.nodes <= nodes + 1
        assert state(search) == before


def test_whoever_has_taken_the_last_piece_has_won() -> None:
    search = SearchPosition(parse_position("camette White White:B2 Black:NA4,D5"))
    (score, _), *_ = Search(search, 4_000).rank(8)
    assert score < CERTAIN  # its only piece will be taken


def test_a_longer_win_is_worth_less_than_a_shorter_one() -> None:
    search = SearchPosition(parse_position("camelot White White:NE7,NF16,E3,H6,I6,E8,A10,I14 Black:NC13 castle:0,0"))
    (score, _), *_ = Search(search, 20_000).rank(6)
    assert score == WON - 3
    assert score > CERTAIN


def test_a_search_stops_when_its_time_is_up() -> None:
    thinking = Search(SearchPosition(VARIANTS["chivalry"].start), 10**6, seconds=0)
    assert thinking.rank(9)
    assert thinking.nodes <= 64


@pytest.mark.parametrize("variant", TWO, ids=lambda variant: variant.key)
def test_every_variant_of_two_has_weights_by_which_pieces_are_worth_something_and_better_further_on(
    variant: Variant,
) -> None:
    weights = weights_of(variant)
    assert weights.man >= 0
    assert weights.knight > 0
    assert weights.goal[0] + weights.nearest * 0 > weights.goal[-1] + 9 * weights.nearest + 9 * weights.second - 1
    start = SearchPosition(variant.start)
    assert evaluation_of(variant).score(start) == evaluation_of(variant).move  # both sides alike


def test_the_longer_nothing_is_captured_the_less_it_guards() -> None:
    evaluation = evaluation_of(VARIANTS["camelot"])
    before, later, at_last = (evaluation.impatient(quiet).weights.guard for quiet in (0, 30, 400))
    assert before == evaluation.weights.guard
    assert sum(before) > sum(later) > sum(at_last) == 0


def test_what_it_could_not_look_at_any_more_is_not_taken_for_as_good_as_the_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = Search._root

    def one_move_of_the_second_ply(
        self: Search, ranked: list[tuple[int, Hop]], plies: int, within: int, found: list[tuple[int, Hop]]
    ) -> None:
        whole(self, ranked[:1] if plies == 2 else ranked, plies, within, found)
        if plies == 2:
            raise OutOfNodes

    search = SearchPosition(VARIANTS["camelot"].start)
    _, liked = Search(search, 10_000).rank(1)[0]
    monkeypatch.setattr(Search, "_root", one_move_of_the_second_ply)
    (best, first), (second, _), *_ = Search(search, 10_000).rank(9, 20)
    assert first == liked
    assert second < best - 20
