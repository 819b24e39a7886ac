"""The variants as the rulebook has them, and the symmetries of their boards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import VARIANTS, Game, Position, Variant, legal_moves, parse_position
from rules.board import Board
from rules.symmetry import Symmetry, symmetries
from tests.rules.positions import built_positions

RANKS = {
    # For every rank the first and last file, or the files; ranks in board order.
    "camelot": {1: "F-G", 2: "C-J", 3: "B-K", **dict.fromkeys(range(4, 14), "A-L"), 14: "B-K", 15: "C-J", 16: "F-G"},
    "chivalry": {
        1: "G-H",
        2: "D-K",
        3: "C-L",
        4: "B-M",
        **dict.fromkeys(range(5, 13), "A-N"),
        13: "B-M",
        14: "C-L",
        15: "D-K",
        16: "G-H",
    },
    "cam": {1: "D-D", 2: "C-E", 3: "B-F", **dict.fromkeys(range(4, 11), "A-G"), 11: "B-F", 12: "C-E", 13: "D-D"},
    "camette": {1: "C-C", 2: "B-D", 3: "A-E", 4: "A-E", 5: "A-E", 6: "B-D", 7: "C-C"},
    "cam-3d": {1: "C-C", 2: "B-D", 3: "A-E", 4: "A-E", 5: "A-E", 6: "A-E", 7: "B-D", 8: "C-C"},
}
HEXAGONS = """
    F1 E2 G2 D3 F3 H3 E4 G4 D5 F5 H5 C6 E6 G6 I6 D7 F7 H7 C8 E8 G8 I8 B9 D9 F9 H9 J9 C10 E10 G10 I10 B11 D11 F11 H11 J11
    A12 C12 E12 G12 I12 K12 B13 D13 F13 H13 J13 A14 C14 E14 G14 I14 K14 B15 D15 F15 H15 J15 A16 C16 E16 G16 I16 K16
    B17 D17 F17 H17 J17 C18 E18 G18 I18
"""
STARTS = {
    "camelot": "camelot White White:NC6,ND7,NI7,NJ6,D6,E6,E7,F6,F7,G6,G7,H6,H7,I6"
    " Black:NC11,ND10,NI10,NJ11,D11,E10,E11,F10,F11,G10,G11,H10,H11,I11 castle:0,0",
    "chivalry": "chivalry White White:NC6,ND6,NK6,NL6,NC7,ND7,NK7,NL7,E6,E7,F6,F7,G6,G7,H6,H7,I6,I7,J6,J7"
    " Black:NC10,ND10,NK10,NL10,NC11,ND11,NK11,NL11,E10,E11,F10,F11,G10,G11,H10,H11,I10,I11,J10,J11 castle:0,0",
    "cam": "cam White White:NC4,NE4,B5,C5,D5,E5,F5 Black:NC10,NE10,B9,C9,D9,E9,F9",
    "camette": "camette White White:NC2,B3,C3,D3 Black:NC6,B5,C5,D5",
    "cam-3d": "cam-3d White White:N1B2,N1C2,N1D2,1B3,1C3,1D3,2B2,2C2,2D2,2B3,2C3,2D3"
    " Black:N3B7,N3C7,N3D7,2B6,2C6,2D6,2B7,2C7,2D7,3B6,3C6,3D6",
    "tri-camelot": "tri-camelot Blue Blue:NE4,NF5,NG4,D5,H5,E6,G6,F7 Red:NB13,NC14,NC16,B11,C12,D13,D15,D17"
    " Green:NJ13,NI14,NI16,J11,I12,H13,H15,H17",
}
CASTLES = {
    "camelot": {"White": "F1 G1", "Black": "F16 G16"},
    "chivalry": {"White": "G1 H1", "Black": "G16 H16"},
    "cam-3d": {"White": "1C1", "Black": "3C8"},
    "cam": {"White": "D1", "Black": "D13"},
    "camette": {"White": "C1", "Black": "C7"},
    "tri-camelot": {"Blue": "F1", "Red": "A16", "Green": "K16"},
}
SIZES = {"camelot": 160, "chivalry": 176, "cam-3d": 84, "tri-camelot": 73, "cam": 67, "camette": 23}


def names(key: str) -> list[str]:
    """The cells in the rulebook's order: level, rank, file."""
    if key == "tri-camelot":
        return HEXAGONS.split()
    rows = [f"{chr(file)}{rank}" for rank, span in RANKS[key].items() for file in range(ord(span[0]), ord(span[2]) + 1)]
    return [f"{level}{row}" for level in "123" for row in rows] if key == "cam-3d" else rows


def test_every_variant_is_in_these_tables() -> None:
    assert set(VARIANTS) == set(STARTS) == set(CASTLES) == set(SIZES)
    assert all(variant.key == key for key, variant in VARIANTS.items())


@pytest.mark.parametrize("key", VARIANTS)
def test_the_cells_are_those_of_the_rulebook_in_its_order(key: str) -> None:
    assert list(VARIANTS[key].board.names) == names(key)
    assert len(VARIANTS[key].board.names) == SIZES[key]


@pytest.mark.parametrize("key", VARIANTS)
def test_the_pieces_and_castles_are_those_of_the_rulebook(key: str) -> None:
    variant = VARIANTS[key]
    assert variant.start_position == parse_position(STARTS[key])
    castles = {army.colour: {variant.board.names[cell] for cell in army.castle} for army in variant.armies}
    assert castles == {colour: set(cells.split()) for colour, cells in CASTLES[key].items()}
    assert list(castles) == list(CASTLES[key]), "the order in which they move"
    if len(castles) == 2:
        white, black = variant.armies
        assert (white.goal, black.goal, white.barred | black.barred) == (black.castle, white.castle, set())


def test_in_tri_camelot_the_left_castle_is_attacked_the_right_one_barred() -> None:
    blue, red, green = VARIANTS["tri-camelot"].armies
    assert (blue.goal, red.goal, green.goal) == (red.castle, green.castle, blue.castle)
    assert (blue.barred, red.barred, green.barred) == (green.castle, blue.castle, red.castle)


@pytest.mark.parametrize("key", VARIANTS)
def test_neighbours_are_mutual_and_leaps_straight(key: str) -> None:
    board: Board = VARIANTS[key].board
    for cell, nears in enumerate(board.neighbours):
        assert all(cell in board.neighbours[near] for near in nears)
        for over, to, *_ in board.leaps[cell]:
            assert [2 * o - s for o, s in zip(board.vectors[over], board.vectors[cell], strict=True)] == list(
                board.vectors[to]
            )
            assert board.between[cell, to] == over


# Symmetries


def turned_by(variant: Variant) -> st.SearchStrategy[Symmetry]:
    return st.sampled_from(symmetries(variant))


@pytest.mark.parametrize("key", VARIANTS)
def test_each_variant_has_the_symmetries_of_its_board(key: str) -> None:
    """Games of two allow reflections, and rotations that exchange the sides; Tri-Camelot allows rotations only.

    In a reflected Tri-Camelot each army would attack the castle that it may not enter.
    """
    variant = VARIANTS[key]
    two = len(variant.armies) == 2
    assert len(symmetries(variant)) == (4 if two else 3)
    assert Symmetry(tuple(range(len(variant.board.names))), tuple(variant.seats)) in symmetries(variant)
    assert {one.turn_pieces(variant.setup) for one in symmetries(variant)} == {variant.setup}


@given(built_positions(), st.data())
def test_a_symmetric_position_has_the_symmetric_legal_moves(position: Position, data: st.DataObject) -> None:
    symmetry = data.draw(turned_by(position.variant))
    expected = {symmetry.turn_move(move).outcome for move in legal_moves(position)}
    assert {move.outcome for move in legal_moves(symmetry.turn_position(position))} == expected


@given(built_positions(), st.data())
def test_a_symmetric_position_ends_for_the_symmetric_seats(position: Position, data: st.DataObject) -> None:
    symmetry = data.draw(turned_by(position.variant))
    here = Game.from_position(position).outcome
    there = Game.from_position(symmetry.turn_position(position)).outcome
    assert (here and here.cause) == (there and there.cause)
    assert (here and {symmetry.seats[seat] for seat in here.winners}) == (there and set(there.winners))
