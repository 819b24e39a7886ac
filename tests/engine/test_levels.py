"""The moves of the house: deterministic, never silly, and worse at lower levels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import LEVELS, choose_move, evaluate_chances, solve
from engine.levels import choose_at_level
from rules import VARIANTS, Game, GameOver, format_move, legal_moves, parse_move, parse_position
from rules.game import resolve_passes
from tests.engine.positions import positions

TWO = [key for key, variant in VARIANTS.items() if len(variant.armies) == 2]


def test_there_are_three_levels_weakest_first() -> None:
    assert list(LEVELS) == ["easy", "medium", "hard"]
    assert [level.depth for level in LEVELS.values()] == sorted(level.depth for level in LEVELS.values())


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("key", TWO)
def test_the_same_question_has_the_same_answer_which_is_a_legal_move(key: str, level: str) -> None:
    quick = replace(LEVELS[level], nodes=min(LEVELS[level].nodes, 300))
    for position in positions(VARIANTS[key], 4, 8):
        position, outcome, _ = resolve_passes(position)
        if outcome is None:
            move = choose_at_level(position, quick, 7)
            assert move in legal_moves(position)
            assert choose_at_level(position, quick, 7) == move


def test_another_seed_may_play_another_move() -> None:
    start = VARIANTS["camelot"].start_position
    assert len({choose_move(start, "easy", seed) for seed in range(6)}) > 1


@pytest.mark.parametrize("level", ["medium", "hard"])
def test_a_win_in_one_is_never_passed_by(level: str) -> None:
    found = 0
    for key in TWO:
        for position in positions(VARIANTS[key], 50, 9):
            position, outcome, _ = resolve_passes(position)
            solution = None if outcome else solve(position, 1)
            if solution and len(legal_moves(position)) > 1:
                found += 1
                quick = replace(LEVELS[level], nodes=100)
                assert choose_at_level(position, quick, found) in solution.first
    assert found > 10


@pytest.mark.parametrize(("key", "level"), [("cam-3d", "hard"), *(("camette", level) for level in LEVELS)])
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


def test_easy_does_not_leave_its_castle_open_to_a_step() -> None:
    position = parse_position("cam White White:C2,E2,F5 Black:C4,NE9,D9")
    for seed in range(5):
        after = Game.from_position(position).play(choose_move(position, "easy", seed)).position
        assert not solve(after, 1), format_move(choose_move(position, "easy", seed), position.variant.board)


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


def test_chances_of_a_forced_win_are_certain() -> None:
    assert evaluate_chances(
        parse_position("camelot White White:NE7,NF16,E3,H6,I6,E8,A10,I14 Black:NC13 castle:0,0")
    ) == (1, 0)


def test_nothing_is_chosen_where_the_game_is_over() -> None:
    with pytest.raises(GameOver):
        choose_move(parse_position("cam White White:D13,C5 Black:C9"), "easy", 1)
