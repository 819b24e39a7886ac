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


REFUSED = {
    "only to an adjoining cell": ("a", "", "a-e", Reason.NOT_ADJACENT),
    "only to an unoccupied cell": ("a,b", "", "a-b", Reason.OCCUPIED),
    "a plain move does not go on": ("a", "", "a-b-c", Reason.PLAIN_MOVE_ENDS),
    "the cell beyond a canter must be unoccupied": ("a,b,c", "", "a-c", Reason.OCCUPIED),
    "a canter needs a piece to leap": ("a", "", "a-c", Reason.NOTHING_TO_LEAP),
    "a canter may not end where it began": ("a,b", "", "a-c-a", Reason.CANTER_RETURNS),
    "nobody canters over an enemy": ("a", "b,d", "a-c-e", Reason.CANTER_OVER_ENEMY),
    "nobody jumps their own piece": ("a,b,d", "", "axcxe", Reason.JUMP_OVER_OWN),
    "only a Knight may combine canter and jump": ("a,b", "d", "a-cxe", Reason.ONLY_KNIGHTS_CHARGE),
    "canters come first and jumps last": ("Na,d", "b", "axc-e", Reason.CANTER_AFTER_JUMP),
    "a turn needs a piece": ("a", "d", "c-d", Reason.EMPTY_START),
    "a turn needs a piece of one's own": ("a", "d", "d-e", Reason.NOT_YOUR_PIECE),
}
LEGAL = {
    "a piece need not canter as far as possible": ("a,b,p", "", "a-c"),
    "a canter may change direction": ("a,b,p", "", "a-c-q"),
    "jumps may change direction": ("a", "b,p", "axcxq"),
    "a Knight may combine canter and jump": ("Na,b", "d", "a-cxe"),
    "the first jump may change the direction of the last canter": ("Na,b", "v", "a-cxw"),
    "a Knight is never obliged to charge": ("Na,b,t", "d", "t-u"),
}


@every_variant
@pytest.mark.parametrize(("own", "foes", "typed", "why"), REFUSED.values(), ids=REFUSED)
def test_this_is_refused(key: str, own: str, foes: str, typed: str, why: Reason) -> None:
    assert reason(scene(key, own, foes), key, typed) is why


@every_variant
@pytest.mark.parametrize(("own", "foes", "typed"), LEGAL.values(), ids=LEGAL)
def test_this_is_legal(key: str, own: str, foes: str, typed: str) -> None:
    assert legal(scene(key, own, foes), key, typed)


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


# The canter


@every_variant
@either_kind
def test_a_piece_may_leap_a_friendly_piece_which_stays(key: str, kind: str) -> None:
    position = scene(key, f"{kind}a,b")
    assert legal(position, key, "a-c")
    after = position.after_move(parse_move(position, cells(key, "a-c")))
    assert sum(bool(byte) for byte in after.cells) == sum(bool(byte) for byte in position.cells)


@every_variant
def test_a_canter_may_pass_a_cell_twice_and_its_start(key: str) -> None:
    assert accepted(scene(key, "a,b"), cells(key, "a-c-a-c")) == cells(key, "a-c")  # it reaches nothing more


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
def test_of_several_captures_the_player_chooses_and_need_not_take_the_most(key: str) -> None:
    position = scene(key, "a,q", "b,d,t")
    assert listed(position) == {cells(key, "axcxe"), cells(key, "qxu")}


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
def test_a_charge_must_go_on_jumping_while_it_can(key: str) -> None:
    position = scene(key, "Na,b", "d,r")
    assert reason(position, key, "a-cxe") is Reason.MUST_GO_ON
    assert legal(position, key, "a-cxexs")


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


def test_misprinted_cam_3d_examples_are_refused_as_no_straight_leaps() -> None:
    canter = parse_position("cam-3d White White:1D6,1D5,2C3,3A3 Black:1A6,3E3")
    assert refusal(canter, "1D6-2D4-3B2").reason is Reason.NOT_STRAIGHT
    assert accepted(canter, "1D6-1D4") == "1D6-1D4"
    jump = parse_position("cam-3d White White:2D3,3A3 Black:2D4,1A6")
    assert refusal(jump, "2D3x3B5x1B5").reason is Reason.NOT_STRAIGHT
