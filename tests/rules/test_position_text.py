"""Positions as one line of text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from rules import VARIANTS, NotationError, PieceKind, Position, Reason, format_position, parse_position, read_position
from rules.position import piece_code
from tests.examples import examples
from tests.rules.positions import built_positions, random_game, within_armies


@given(built_positions(most=30))
@examples(2)
def test_a_position_printed_is_read_back(position: Position) -> None:
    assert read_position(format_position(position)) == position


@pytest.mark.parametrize("key", VARIANTS)
def test_every_position_of_a_game_to_its_end_is_read_back(key: str) -> None:
    for game in random_game(VARIANTS[key], 77):
        assert parse_position(format_position(game.position)) == game.position


@pytest.mark.parametrize("key", VARIANTS)
@pytest.mark.parametrize("kind", PieceKind)
def test_a_side_has_at_most_the_knights_and_men_of_its_army(key: str, kind: PieceKind) -> None:
    start = VARIANTS[key].start_position
    assert parse_position(format_position(start)) == start
    for seat, army in enumerate(start.variant.armies):
        cells = bytearray(start.cells)
        cells[next(cell for cell, byte in enumerate(cells) if not byte)] = piece_code(seat, kind)
        crowded = replace(start, cells=bytes(cells))
        with pytest.raises(NotationError) as error:
            parse_position(format_position(crowded))
        assert (error.value.reason, error.value.text) == (Reason.TOO_MANY_PIECES, army.colour)
        assert read_position(format_position(crowded)) == crowded, "a stored one can be opened all the same"


@given(built_positions(most=30))
@examples(0.5)
def test_a_position_is_typed_exactly_when_it_is_within_the_armies(position: Position) -> None:
    typed = format_position(position)
    assert parse_position(format_position(within_armies(position))) == within_armies(position)
    if position != within_armies(position):
        with pytest.raises(NotationError):
            parse_position(typed)


def test_leavers_are_told() -> None:
    text = "tri-camelot Blue Blue:NE4,F7 Red:NB13,NC14 Green:J11 out:Red"
    assert parse_position(text).out == {1}
    assert format_position(parse_position(text.lower())) == text


def test_a_knight_on_file_n_is_told_from_a_man() -> None:
    position = parse_position("chivalry White White:NN5,N6 Black:A5")
    board = position.variant.board
    assert position.pieces[board.find_cell("N5")].kind is PieceKind.KNIGHT
    assert position.pieces[board.find_cell("N6")].kind is PieceKind.MAN


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", ""),
        ("camelot", "camelot"),
        ("chess White White:E2 Black:E7", "chess"),
        ("camelot Blue White:E6 Black:E7", "Blue"),
        ("camelot White White:E6", "camelot White White:E6"),
        ("camelot White White:E6 White:E7 Black:E8", "White:E7"),
        ("camelot White White:E6,E6 Black:E7", "E6"),
        ("camelot White White:E6 Black:E6", "E6"),
        ("camelot White White:E66 Black:E7", "E66"),
        ("camelot White White:E6 Black:E7 castle:3,0", "3,0"),
        ("camelot White White:E6 Black:E7 castle:01,0", "01,0"),
        ("camelot White White:E6 Black:E7 castle:0", "0"),
        ("camelot White White:E6 Black:E7 castle:0,0 castle:1,1", "castle:1,1"),
        ("camelot White White:E6 Black:E7 nonsense", "nonsense"),
        ("camelot White White:- Black:E7", "White"),
        ("tri-camelot Blue Blue:F1 Red:- Green:- out:Purple", "Purple"),
        ("tri-camelot Blue Blue:F1 Red:F3 Green:- out:Blue", "Blue"),
    ],
)
def test_the_part_that_is_wrong_is_named(text: str, wrong: str) -> None:
    with pytest.raises(NotationError) as error:
        parse_position(text)
    assert (error.value.reason, error.value.text) == (Reason.BAD_POSITION, wrong)
