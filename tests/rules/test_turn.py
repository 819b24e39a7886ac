"""One test for each sentence of the rulebooks about moves, on every board where it applies."""

from __future__ import annotations

import pytest

from rules import VARIANTS, IllegalMove, Position, Reason, legal_moves, parse_move, parse_position
from tests.rules.scenes import accepted, cells, drawn, listed, refusal, scene

every_variant = pytest.mark.parametrize("key", VARIANTS)
either_kind = pytest.mark.parametrize("kind", ["", "N"], ids=["man", "knight"])


def legal(position: Position, key: str, text: str) -> bool:
    """Whether the parser accepts the text and keeps its route."""
    try:
        return accepted(position, cells(key, text)) == cells(key, text)
    except IllegalMove:
        return False


def reason(position: Position, key: str, text: str) -> Reason:
    return refusal(position, cells(key, text)).reason


# The plain move


@every_variant
@either_kind
def test_a_piece_may_move_one_cell_in_any_direction(key: str, kind: str) -> None:
    position = scene(key, f"{kind}c")
    start = VARIANTS[key].board.find_cell(cells(key, "c"))
    ends = {move.end for move in legal_moves(position) if move.start == start}
    vectors = VARIANTS[key].board.vectors
    if key == "tri-camelot":
        around = {(0, 2), (0, -2), (1, 1), (1, -1), (-1, 1), (-1, -1)}
        assert {tuple(a - b for a, b in zip(vectors[e], vectors[start], strict=True)) for e in ends} == around
    else:
        assert len(ends) == (26 if key == "cam-3d" else 8)
        assert all(max(abs(a - b) for a, b in zip(vectors[e], vectors[start], strict=True)) == 1 for e in ends)


@every_variant
def test_only_to_an_adjoining_cell(key: str) -> None:
    assert reason(scene(key, "a"), key, "a-e") is Reason.NOT_ADJACENT


@every_variant
def test_only_to_an_unoccupied_cell(key: str) -> None:
    assert reason(scene(key, "a,b"), key, "a-b") is Reason.OCCUPIED


@every_variant
def test_a_plain_move_does_not_go_on(key: str) -> None:
    assert reason(scene(key, "a"), key, "a-b-c") is Reason.PLAIN_MOVE_ENDS


# The canter


@every_variant
@either_kind
def test_a_piece_may_leap_a_friendly_piece_which_stays(key: str, kind: str) -> None:
    position = scene(key, f"{kind}a,b")
    assert legal(position, key, "a-c")
    after = position.after_move(parse_move(position, cells(key, "a-c")))
    assert sum(bool(byte) for byte in after.cells) == sum(bool(byte) for byte in position.cells)


@every_variant
def test_the_cell_beyond_must_be_unoccupied_and_a_piece_be_leapt(key: str) -> None:
    assert reason(scene(key, "a,b,c"), key, "a-c") is Reason.OCCUPIED
    assert reason(scene(key, "a"), key, "a-c") is Reason.NOTHING_TO_LEAP


@every_variant
def test_cantering_over_several_pieces_may_change_direction_and_stop_anywhere(key: str) -> None:
    position = scene(key, "a,b,p")
    assert legal(position, key, "a-c-q")
    assert legal(position, key, "a-c")  # never compelled to canter as far as possible


@every_variant
def test_a_canter_may_not_end_where_it_began(key: str) -> None:
    assert reason(scene(key, "a,b"), key, "a-c-a") is Reason.CANTER_RETURNS


@every_variant
def test_a_canter_may_pass_a_cell_twice_and_its_start(key: str) -> None:
    assert accepted(scene(key, "a,b"), cells(key, "a-c-a-c")) == cells(key, "a-c")  # it reaches nothing more


@every_variant
def test_nobody_canters_over_an_enemy(key: str) -> None:
    assert reason(scene(key, "a", "b,d"), key, "a-c-e") is Reason.CANTER_OVER_ENEMY


# The jump


@every_variant
@either_kind
def test_a_piece_jumped_over_is_removed_from_the_board(key: str, kind: str) -> None:
    position = scene(key, f"{kind}a", "b")
    assert legal(position, key, "axc")
    after = position.after_move(parse_move(position, cells(key, "axc")))
    assert after.cells[VARIANTS[key].board.find_cell(cells(key, "b"))] == 0


@every_variant
def test_a_player_is_obliged_to_jump_with_any_one_of_their_pieces(key: str) -> None:
    position = scene(key, "a,q", "b")
    assert listed(position) == {cells(key, "axc")}
    refused = refusal(position, cells(key, "q-t"))
    assert refused.reason is Reason.MUST_CAPTURE
    assert isinstance(refused, IllegalMove)
    assert refused.captures == ((cells(key, "a"), cells(key, "b")),)


@every_variant
def test_the_jumping_must_go_on_while_it_can(key: str) -> None:
    position = scene(key, "a", "b,d")
    assert reason(position, key, "axc") is Reason.MUST_GO_ON
    assert listed(position) == {cells(key, "axcxe")}


@every_variant
def test_jumps_may_change_direction(key: str) -> None:
    assert legal(scene(key, "a", "b,p"), key, "axcxq")


@every_variant
def test_of_several_captures_the_player_chooses_and_need_not_take_the_most(key: str) -> None:
    position = scene(key, "a,q", "b,d,t")
    assert listed(position) == {cells(key, "axcxe"), cells(key, "qxu")}


@every_variant
def test_nobody_jumps_their_own_piece(key: str) -> None:
    assert reason(scene(key, "a,b,d"), key, "axcxe") is Reason.JUMP_OVER_OWN


@pytest.mark.parametrize("key", ["camelot", "chivalry"])
def test_a_series_of_jumps_may_end_where_it_began(key: str) -> None:
    ring = """
        8  . b .
        7  b . b
        6  w b .
           E F G
    """
    assert accepted(drawn(key, "White", ring, elsewhere="Black:L12"), "E6xE8xG8xG6xE6") == "E6xE8xG8xG6xE6"


def test_also_around_hexagons_and_through_levels() -> None:
    ring = """
        11  .   .
        10    g
         9  r   .
         8    r
         7  b   .
            F G H
    """
    assert accepted(drawn("tri-camelot", "Blue", ring, elsewhere="Green:J15"), "F7xF11xH9xF7") == "F7xF11xH9xF7"
    level = parse_position("cam-3d White White:2B3 Black:2B4,2C5,2D4,2C3,1A6")
    assert accepted(level, "2B3x2B5x2D5x2D3x2B3") == "2B3x2B5x2D5x2D3x2B3"
    levels = parse_position("cam-3d White White:1B4 Black:2C4,3D5,2C5,1A6")
    assert accepted(levels, "1B4x3D4x3D6x1B4") == "1B4x3D4x3D6x1B4"


def test_in_tri_camelot_both_others_are_opponents_and_canters_need_own_pieces() -> None:
    position = parse_position("tri-camelot Blue Blue:F5,G2 Red:F7,B15 Green:F11,J15")
    assert listed(position) == {"F5xF9xF13"}
    assert refusal(position, "F5-F9-F13").reason is Reason.CANTER_OVER_ENEMY


# The Knight's charge


@every_variant
def test_a_knight_only_may_combine_canter_and_jump(key: str) -> None:
    assert legal(scene(key, "Na,b", "d"), key, "a-cxe")
    assert reason(scene(key, "a,b", "d"), key, "a-cxe") is Reason.ONLY_KNIGHTS_CHARGE


@every_variant
def test_canters_come_first_and_jumps_last(key: str) -> None:
    assert reason(scene(key, "Na,d", "b"), key, "axc-e") is Reason.CANTER_AFTER_JUMP


@every_variant
def test_the_first_jump_may_change_the_direction_of_the_last_canter(key: str) -> None:
    assert legal(scene(key, "Na,b", "v"), key, "a-cxw")


@every_variant
def test_a_charge_must_go_on_jumping_while_it_can(key: str) -> None:
    position = scene(key, "Na,b", "d,r")
    assert reason(position, key, "a-cxe") is Reason.MUST_GO_ON
    assert legal(position, key, "a-cxexs")


@every_variant
def test_a_knight_is_never_obliged_to_charge(key: str) -> None:
    assert legal(scene(key, "Na,b,t", "d"), key, "t-u")


@every_variant
def test_a_knight_whose_canter_lands_beside_a_jumpable_enemy_must_capture(key: str) -> None:
    position = scene(key, "Na,b", "v")
    assert reason(position, key, "a-c") is Reason.KNIGHT_MUST_CAPTURE
    assert legal(scene(key, "a,b", "v"), key, "a-c")  # men cannot charge and are exempt


@every_variant
def test_unless_by_another_route_later_it_captures_elsewhere(key: str) -> None:
    position = scene(key, "Na,b,p", "v,t")
    assert legal(position, key, "a-cxw")
    assert legal(position, key, "a-c-qxu")
    assert reason(position, key, "a-c-q") is Reason.KNIGHT_MUST_CAPTURE


@every_variant
def test_every_landing_of_the_canter_counts_also_those_in_the_middle(key: str) -> None:
    position = scene(key, "Na,b,p", "v")
    assert reason(position, key, "a-c-q") is Reason.KNIGHT_MUST_CAPTURE
    assert legal(scene(key, "a,b,p", "v"), key, "a-c-q")


@every_variant
def test_a_charge_fulfils_the_duty_to_capture_also_by_another_piece(key: str) -> None:
    position = scene(key, "Na,b,q", "d,t")
    assert listed(position) == {cells(key, "qxu"), cells(key, "a-cxe")}
    assert reason(position, key, "a-c") is Reason.MUST_CAPTURE


@every_variant
def test_a_charge_alone_never_creates_the_duty(key: str) -> None:
    position = scene(key, "Na,b", "d")
    assert legal(position, key, "a-cxe")
    assert not all(move.captures for move in legal_moves(position))


@every_variant
def test_a_turn_needs_a_piece_of_ones_own(key: str) -> None:
    position = scene(key, "a", "d")
    assert reason(position, key, "c-d") is Reason.EMPTY_START
    assert reason(position, key, "d-e") is Reason.NOT_YOUR_PIECE


def test_misprinted_cam_3d_examples_are_refused_as_no_straight_leaps() -> None:
    canter = parse_position("cam-3d White White:1D6,1D5,2C3,3A3 Black:1A6,3E3")
    assert refusal(canter, "1D6-2D4-3B2").reason is Reason.NOT_STRAIGHT
    assert accepted(canter, "1D6-1D4") == "1D6-1D4"
    jump = parse_position("cam-3d White White:2D3,3A3 Black:2D4,1A6")
    assert refusal(jump, "2D3x3B5x1B5").reason is Reason.NOT_STRAIGHT
