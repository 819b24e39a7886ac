"""The symmetries of each variant: a rotated or reflected position has the same moves and outcomes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import VARIANTS, Game, Position, Variant, legal_moves, parse_position, symmetric_key
from rules.symmetry import Symmetry, symmetries
from tests.rules.positions import built_positions


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


@given(built_positions(), st.data())
def test_the_key_is_that_of_every_symmetric_position(position: Position, data: st.DataObject) -> None:
    symmetry = data.draw(turned_by(position.variant))
    assert symmetric_key(symmetry.turn_position(position)) == symmetric_key(position)


@given(built_positions(), built_positions())
def test_positions_have_the_same_key_only_if_one_is_the_other_turned(one: Position, other: Position) -> None:
    images = {(board.turn_pieces(one.cells), board.seats[one.turn]) for board in symmetries(one.variant)}
    same = one.variant is other.variant and (other.cells, other.turn) in images
    assert (symmetric_key(one) == symmetric_key(other)) == same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("camelot White White:NF1,A8 Black:C12", "camelot White White:NG1,L8 Black:J12"),  # mirrored from A to L
        ("camelot White White:NF1,A8 Black:C12", "camelot Black White:C5 Black:NF16,A9"),  # the sides exchanged
        ("cam-3d White White:1A4,N2B2 Black:3E5", "cam-3d White White:1E4,N2D2 Black:3A5"),
        ("tri-camelot Blue Blue:NF3 Red:A14 Green:-", "tri-camelot Red Blue:- Red:NB15 Green:J17"),
    ],
)
def test_what_looks_like_a_mirror_image_has_the_same_key(one: str, other: str) -> None:
    assert symmetric_key(parse_position(one)) == symmetric_key(parse_position(other))


def test_a_mirrored_tri_camelot_has_another_key() -> None:
    one, other = "tri-camelot Blue Blue:F3 Red:A14 Green:-", "tri-camelot Blue Blue:F3 Red:- Green:K14"
    assert symmetric_key(parse_position(one)) != symmetric_key(parse_position(other))
