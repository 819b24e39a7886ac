"""The levels of the house player, for two players and for three."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, pairwise, product

import pytest

from engine import LEVELS, choose_move, evaluate_chances, solve
from engine.cells import CellTables, ValuedPosition, cell_evaluation_of, cell_tables_of
from engine.evaluation import read_weights
from engine.levels import THREE_PLAYER_LEVELS, Level, choose_at_level, level_in, levels_of
from engine.race import RaceEvaluation, RaceWeights, chances_from_worth, log_odds_of, race_evaluation_of
from engine.rational import MARGIN, MAX_ANSWERS, RationalSearch
from engine.search import CERTAIN_SCORE, Search
from engine.search_position import SearchPosition
from engine.tools.fitting import evaluation_with_weights, row_from, rows_of
from engine.tools.match import find_players, interval_of, play_match
from rules import VARIANTS, GameOver, Position, format_move, legal_moves, parse_move, parse_position, steward_move
from rules.game import resolve_passes
from tests.engine.positions import positions, unfinished
from tests.examples import AtMost

TWO = [key for key, variant in VARIANTS.items() if len(variant.armies) == 2]


def test_levels_have_equal_names_and_search_more_the_higher_they_are() -> None:
    assert list(LEVELS) == list(THREE_PLAYER_LEVELS)
    for variant in VARIANTS.values():
        levels = [level_in(variant, name) for name in levels_of(variant.key)]
        searched = [(level.depth, level.nodes, -level.temperature) for level in levels]
        assert searched == sorted(searched)


@pytest.mark.parametrize(
    ("key", "level"), [*product(TWO, ["easy", "2", "medium", "hard"]), *product(["tri-camelot"], THREE_PLAYER_LEVELS)]
)
def test_the_same_question_has_the_same_answer_which_is_a_legal_move(key: str, level: str) -> None:
    levels = LEVELS if key in TWO else THREE_PLAYER_LEVELS
    quick = replace(levels[level], nodes=min(levels[level].nodes, 300))
    for position in unfinished(VARIANTS[key], *((4, 8) if key in TWO else (12, 32))):
        if position.turn not in position.stewards:
            move = choose_at_level(position, quick, 7)
            assert move in legal_moves(position)
            assert choose_at_level(position, quick, 7) == move


def test_another_seed_may_play_another_move() -> None:
    start = VARIANTS["camelot"].start_position
    assert len({choose_move(start, "easy", seed) for seed in range(6)}) > 1


@pytest.mark.parametrize(
    ("level", "keys", "number", "least"),
    [*((LEVELS[name], TWO, 50, 10) for name in ("2", "medium", "hard"))]
    + [(THREE_PLAYER_LEVELS[name], ["tri-camelot"], 240, 3) for name in ("6", "7", "hard")],
)
def test_a_win_in_one_is_never_passed_by(level: Level, keys: list[str], number: int, least: int) -> None:
    found = 0
    for position in chain.from_iterable(unfinished(VARIANTS[key], number, 9) for key in keys):
        solution = None if position.steward_to_move else solve(position, 1)
        if solution and len(legal_moves(position)) > 1:
            found += 1
            assert choose_at_level(position, replace(level, nodes=100), found) in solution.first
    assert found > least


@pytest.mark.parametrize(
    ("key", "level"), [("cam-3d", "hard"), *(("camette", level) for level in ("easy", "medium", "hard"))]
)
def test_no_first_move_loses_at_once(key: str, level: str) -> None:
    """60 of Cam 3-D's 141 first moves do, and 3 of Camette's 22."""
    start = VARIANTS[key].start_position
    losing = [move for move in legal_moves(start) if solve(resolve_passes(start.after_move(move))[0], 1)]
    assert len(losing) == {"cam-3d": 60, "camette": 3}[key]
    wild = replace(LEVELS[level], nodes=150, depth=1, max_loss=1_000, temperature=1_000)
    assert not {choose_at_level(start, wild, seed) for seed in range(4)} & set(losing)


@pytest.mark.parametrize(
    ("text", "reach", "only"),
    [
        ("camette Black White:A5,C5 Black:NC7,D6", 1, {"C7-E5"}),
        (
            "chivalry Black White:ND13,NH15,G13,F14,G14,H16 Black:NF12,NG12,ND14,NG15,NI15,NK15,H1,D12,H12,I12,H13,J13,"
            "K14,D15,F15,J15 castle:0,2",
            3,
            {"G12-I14xG16", "G15xE13xC13"},
        ),
    ],
)
def test_it_overlooks_nothing_that_alone_keeps_its_castle(text: str, reach: int, only: set[str]) -> None:
    position = parse_position(text)
    level = replace(LEVELS["easy"], reach=reach, capture_reach=reach)
    for seed in range(4):
        assert format_move(choose_at_level(position, level, seed), position.variant.board) in only


def test_easy_misses_the_long_winning_charges_at_ply_two_of_cam_3d() -> None:
    """60 of White's 141 first moves allow one. A newcomer who makes one is not punished by easy, but by medium."""
    start = VARIANTS["cam-3d"].start_position
    after = resolve_passes(start.after_move(parse_move(start, "1B2-3B4")))[0]
    wins = solve(after, 1)
    assert wins
    assert choose_move(after, "easy", 1) not in wins.first
    assert choose_move(after, "medium", 1) in wins.first


def test_it_does_not_come_back_to_where_the_game_has_been() -> None:
    position = parse_position("camelot White White:NE7,E3,H6,I6 Black:NC13,C12,F12,H12 castle:0,0")
    level = replace(LEVELS["hard"], nodes=400)
    best = choose_at_level(position, level, 1)
    history = [resolve_passes(position.after_move(best))[0]]
    assert choose_at_level(position, level, 1, history=history) != best


def test_chances_add_up_to_one_and_favour_who_has_more() -> None:
    ahead = parse_position("camelot White White:NE7,NF7,E3,H6,I6,D6 Black:NC13,C12,F12 castle:0,0")
    white, black = evaluate_chances(ahead, nodes=300)
    assert white + black == pytest.approx(1)
    assert white > 0.7


@pytest.mark.parametrize("nodes", [1_000, 3_000, 4_000, 12_000])
def test_when_nodes_run_out_within_a_depth_the_last_whole_one_counts(nodes: int) -> None:
    position = parse_position(  # the championship of 2009, after four moves of each side: the game is even
        "camelot White White:NH6,ND7,NI7,NG8,E6,F6,G6,I6,E7,F7,G7,H7,F8,H8"
        " Black:ND10,NI10,NE11,NH11,F9,G9,E10,F10,G10,H10,D11,F11,G11,I11 castle:0,0"
    )
    assert evaluate_chances(position, nodes=nodes) == pytest.approx((0.5, 0.5), abs=0.1)


def test_chances_are_certain_in_a_finished_game_and_shared_in_draws() -> None:
    assert evaluate_chances(parse_position("cam White White:D13,C5 Black:C9")) == (1, 0)
    assert evaluate_chances(parse_position("camelot White White:C5 Black:C9 castle:0,0")) == (0.5, 0.5)


def test_nothing_is_chosen_where_the_game_is_over() -> None:
    with pytest.raises(GameOver):
        choose_move(parse_position("cam White White:D13,C5 Black:C9"), "easy", 1)


@pytest.mark.long
@pytest.mark.timeout(36_000)
@pytest.mark.parametrize("key", TWO)
def test_each_level_beats_the_one_below_in_two_of_three_games(key: str, at_most: AtMost) -> None:
    games = at_most(8, 2)
    scores = [
        played.score_of(higher)
        for lower, higher in pairwise(levels_of(key))
        for played in play_match(VARIANTS[key], find_players((higher, lower)), games)
    ]
    low, high = interval_of(scores)
    assert low <= 0.75
    assert high >= 0.60


# Three players


TRI = VARIANTS["tri-camelot"]


def plainly(search: SearchPosition, depth: int, seat: int, race: RaceEvaluation) -> int:
    """The score by exhaustive search, without table, bounds or ordering."""
    thinking = Search(search, 10**9, evaluation=race)
    if search.result is not None:
        return 10**5 if seat in search.result else -(10**5)
    if depth == 0 or not search.legal_hops():
        thinking.seat = seat
        return thinking._quiescence(-(10**6), 10**6, 50)
    mine = search.turn == seat
    found = []
    for hop in search.legal_hops():
        search.make(hop)
        found.append(plainly(search, depth - 1, seat, race))
        search.unmake()
    return max(found) if mine else min(found)


def test_bounds_and_tables_change_no_score() -> None:
    compared = 0
    for position in unfinished(TRI, 150, 31):
        search = SearchPosition(position)
        if not 3 < len(search.legal_hops()) < 25 or sum(map(len, search.army)) > 14:
            continue
        score = Search(search, 10**9).rank_moves(2)[0][0]
        plain = plainly(search, 2, search.turn, race_evaluation_of(TRI))
        if abs(score) < CERTAIN_SCORE and abs(plain) < CERTAIN_SCORE and not lines_of_one(search):
            compared += 1
            assert score == plain, position
    assert compared > 2


def lines_of_one(search: SearchPosition) -> bool:
    """Whether some answer has no alternative, where the search looks a ply further."""
    found = False
    for hop in search.legal_hops():
        search.make(hop)
        found = found or len(search.legal_hops()) == 1
        search.unmake()
    return found


def test_even_easy_does_not_let_the_next_seat_win_at_once() -> None:
    checked = 0
    for position in unfinished(TRI, 260, 34):
        if position.steward_to_move or len(legal_moves(position)) < 2:
            continue
        safe = [move for move in legal_moves(position) if not loses(position, move)]
        if safe and len(safe) < len(legal_moves(position)):
            checked += 1
            assert choose_at_level(position, replace(THREE_PLAYER_LEVELS["easy"], nodes=200), checked) in safe
    assert checked > 5


@pytest.mark.parametrize(
    "text",
    [
        "Blue Blue:NE4,D5,E6 Red:ND11,NE14,NE16,C12,D13,D15,D17,E18 Green:NG2,NI10,NJ13,J9,H11,H13,H15,H17",
        "Blue Blue:NG6,E6,F7 Red:ND11,NE14,NE16,C12,D13,B17 Green:NG2,NJ13,J9,I10,H13,H15,H17",
        "Red Blue:NF5,NE8,NA14,C6,G6,D7,C8,J13 Red:NF13,NE18,G12,G14,E16 Green:NJ9,NI14,NH15,I10,J11,G18",
    ],
)
def test_even_easy_never_lets_the_seat_after_next_win_by_force(text: str) -> None:
    position = parse_position(f"tri-camelot {text}")
    for seed in range(5):
        after, outcome, _ = resolve_passes(position.after_move(choose_move(position, "easy", seed)))
        assert outcome is None
        assert not all(loses(after, answer) for answer in legal_moves(after))


def test_the_search_does_not_believe_that_a_steward_enters_a_castle() -> None:
    """Blue's, on G8, would stand beside it."""
    text = "Red Blue:NG4,NB17,D5,H7,E8,E10 Red:D13,G14,F15,H15,G16 Green:NG8,NJ9,I6,H9,J11 steward:Blue"
    assert Search(SearchPosition(parse_position(f"tri-camelot {text}")), 1_500).rank_moves(2)[0][0] >= CERTAIN_SCORE


def loses(position: Position, move: object) -> bool:
    """Whether another seat has won after that move or can win with the next one."""
    after, outcome, _ = resolve_passes(position.after_move(move))  # type: ignore[arg-type]
    if outcome:
        return bool(outcome.winners) and position.turn not in outcome.winners
    return after.turn != position.turn and solve(after, 1) is not None


def test_chances_add_up_favour_the_foremost_and_give_a_leaver_none() -> None:
    ahead = parse_position("tri-camelot Blue Blue:NC12,F7,E6 Red:NE12,C16 Green:NI14,I12,H13")
    found = evaluate_chances(ahead, nodes=300)
    assert sum(found) == pytest.approx(1)
    assert found[0] > 0.5
    for word in ("out:Green", "steward:Green"):
        left = parse_position(f"tri-camelot Blue Blue:NC10,F7,E6 Red:NE12,C16 Green:NI14,I12 {word}")
        without = evaluate_chances(left, nodes=300)
        assert sum(without) == pytest.approx(1)
        assert without[2] < 0.01


def test_a_win_by_compelling_is_found_and_certain() -> None:
    position = parse_position(
        "tri-camelot Green Blue:NG4,NC10,F3,H5,E6,C8,H9 Red:NC12,NB15,NC16,F15,E16 Green:NJ13,NJ15,NI16,I10,J11,H15,I18"
    )
    assert format_move(choose_move(position, "hard", 1), TRI.board) == "J13-J9-H11xH7xH3xF5xF1"
    assert evaluate_chances(position, nodes=300) == (0, 0, 1)


def test_the_search_counts_on_a_stewards_capture() -> None:
    """A piece that the steward must capture is lost; a piece that it could only step next to is not."""
    found = 0
    for position in unfinished(TRI, 300, 35):
        if not position.stewards or position.steward_to_move:
            continue
        for move in legal_moves(position):
            after, ended, _ = resolve_passes(position.after_move(move))
            if not ended and after.steward_to_move:
                found += 1
                search = SearchPosition(after)
                expected = steward_move(after)
                assert expected is not None
                assert [hop[:2] for hop in search.legal_hops()] == [(expected.start, expected.end)]
                break
    assert found


def rational(search: ValuedPosition, seat: int, plies: int) -> int:
    """The score after so many plies with rational others, without bounds."""
    thinking = RationalSearch(search.to_position(), cell_evaluation_of(TRI), 10**9, (), 1e9)
    thinking.seat, thinking.position, legal = seat, search, search.legal_hops()
    due = search.forcing_hops()
    if search.result is not None or not plies or (not due and search.can_enter_castle()):
        return thinking._settle()[seat]
    turn, left, tried = search.turn, plies - (not due), []
    for hop in due or legal:
        search.make(hop)
        after = thinking._settle()
        tried.append((after[turn], after[seat], hop, rational(search, seat, left) if left else after[seat]))
        search.unmake()
    if turn == seat:
        return max(score for *_, score in tried)
    near = sorted((harm, own, hop, score) for own, harm, hop, score in tried if own >= max(tried)[0] - MARGIN)
    return min(score for *_, score in near[: None if due else MAX_ANSWERS])


def test_others_harm_the_searching_seat_by_moves_near_their_best() -> None:
    compared = 0
    for position in unfinished(TRI, 120, 37):
        search = ValuedPosition(position, cell_evaluation_of(TRI))
        if position.stewards or not 3 < len(search.legal_hops()) < 20 or sum(map(len, search.army)) > 14:
            continue
        ranked = RationalSearch(position, cell_evaluation_of(TRI), 10**9, (), 1e9).rank_moves(4)
        score, hop = ranked[0]
        if abs(score) >= CERTAIN_SCORE:
            continue
        search.make(hop)
        compared += 1
        assert score == rational(search, position.turn, 3)
    assert compared > 2


def test_when_nodes_run_out_the_moves_searched_so_far_come_first() -> None:
    for nodes in (1, 30, 200, 1_000):
        search = RationalSearch(TRI.start_position, cell_evaluation_of(TRI), nodes, (), 1e9)
        legal = search.position.legal_hops()
        ranked = search.rank_moves(4)
        assert sorted(hop for _, hop in ranked) == sorted(legal)
        assert [score for score, _ in ranked] == sorted((score for score, _ in ranked), reverse=True)


def test_every_move_keeps_what_the_pieces_are_worth() -> None:
    for position in positions(TRI, 40, 38):
        search = ValuedPosition(position, cell_evaluation_of(TRI))
        before = search.worth
        for hop in search.legal_hops():
            search.make(hop)
            assert search.worth == ValuedPosition(search.to_position(), cell_evaluation_of(TRI)).worth
            search.unmake()
        assert search.worth == before


def test_each_seat_sees_the_board_of_the_tables_from_its_own_place() -> None:
    for seat, turned in enumerate(read_weights(TRI, part="-cells")["turned"]):
        assert sorted(turned) == list(range(len(TRI.board.names)))
        for one, other in zip(TRI.armies[seat:] + TRI.armies[:seat], TRI.armies, strict=True):
            assert {turned[cell] for cell in one.castle} == set(other.castle)
            assert {turned[cell] for cell in one.goal} == set(other.goal)
        for cell, near in enumerate(TRI.board.neighbours):
            assert {turned[at] for at in near} == set(TRI.board.neighbours[turned[cell]])


def test_repetition_is_worth_less_than_an_even_game() -> None:
    assert log_odds_of([0, 0, 0], 0) > race_evaluation_of(TRI).draw
    assert chances_from_worth([0, 0, 0]) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


@pytest.mark.parametrize("weights", [RaceWeights(30, 35, -35, -20, -15, -5, 20, 25, 12), cell_tables_of(TRI)])
def test_what_is_fitted_is_what_is_judged(weights: RaceWeights | CellTables) -> None:
    """The features that the fit uses, times the weights, equal the evaluation of a position."""
    evaluation, row = evaluation_with_weights(TRI, weights), row_from(weights)
    assert isinstance(evaluation, RaceEvaluation)
    for position in unfinished(TRI, 80, 36):
        search = ValuedPosition(position, cell_evaluation_of(TRI))
        worth = evaluation.worth_by_seat(search)
        for seat, features in rows_of(search, evaluation).items():
            assert worth[seat] == pytest.approx(100 * sum(row[i] * count for i, count in features.items()))


@pytest.mark.long
@pytest.mark.timeout(36_000)
@pytest.mark.parametrize(
    ("alone", "others", "least"),
    [("5", "random", 0.85), ("7", "greedy", 0.85), ("hard", "7", 0.36), ("hard", "greedy", 0.85)],
)
def test_levels_win_alone_against_two(alone: str, others: str, least: float, at_most: AtMost) -> None:
    """The table of strength; the interval must reach what is promised. Hard was to win 0.45: see docs/engine.md."""
    games = at_most(8, 4)
    players = find_players((alone, others, others))
    scores = [played.score_of(alone) for played in play_match(TRI, players, games)]
    assert interval_of(scores)[1] >= least, f"{alone} alone against two {others}: {sum(scores) / games:.3f}"


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("level", ["medium", "hard"])
def test_a_greedy_player_wins_no_game_of_camelot(level: str, at_most: AtMost) -> None:
    played = play_match(VARIANTS["camelot"], find_players((level, "greedy")), at_most(20, 2))
    assert all(game.score_of(level) >= 0.5 for game in played)
