"""Why a move is refused: every reason, and the cells it names."""

from __future__ import annotations

import pytest

from rules import (
    VARIANTS,
    AmbiguousMove,
    Game,
    GameOver,
    IllegalMove,
    NotationError,
    Reason,
    RulesError,
    parse_position,
)
from rules.basics import Cause, Outcome
from rules.terminal_words import ENDINGS, REFUSALS, ending_in_words
from tests.rules.scenes import accepted, refusal

REFUSED: dict[Reason, tuple[str, str]] = {
    Reason.UNREADABLE: ("camelot White White:E6,A5 Black:L12,K13", "E6-"),
    Reason.NO_SUCH_CELL: ("camelot White White:E6,A5 Black:L12,K13", "E6-M20"),
    Reason.EMPTY_START: ("camelot White White:E6,A5 Black:L12,K13", "E7-E8"),
    Reason.NOT_YOUR_PIECE: ("camelot White White:E6,A5 Black:L12,K13", "L12-L11"),
    Reason.MUST_LEAVE_CASTLE: ("camelot White White:F1,A5 Black:L12,K13", "A5-A6"),
    Reason.MUST_JUMP_OUT: ("camelot White White:F1,A5 Black:E2,K13", "F1-F2"),
    Reason.CANNOT_LEAVE_GOAL: ("camelot White White:F16,A5 Black:L12,K13", "F16-F15"),
    Reason.CASTLE_MOVES_USED: ("camelot White White:F16,A5 Black:L12,K13 castle:2,0", "F16-G16"),
    Reason.SHUT_IN: ("camelot White White:A4,A5,A6,B3,B4,B5,C2,C4,C6 Black:L12,K13", "A4"),
    Reason.NOT_ADJACENT: ("camelot White White:E6,A5 Black:L12,K13", "E6-E12"),
    Reason.NOT_STRAIGHT: ("camelot White White:E6,A5 Black:L12,K13", "E6-F8"),
    Reason.OCCUPIED: ("camelot White White:E6,E7 Black:L12,K13", "E6-E7"),
    Reason.NOTHING_TO_LEAP: ("camelot White White:E6,A5 Black:L12,K13", "E6-E8"),
    Reason.CANTER_OVER_ENEMY: ("camelot White White:E6,A5 Black:E7,E9,L12", "E6-E8-E10"),
    Reason.JUMP_OVER_OWN: ("camelot White White:E6,E7,A5 Black:L12,K13", "E6xE8"),
    Reason.OWN_CASTLE: ("camelot White White:F2,A5 Black:L12,K13", "F2-F1"),
    Reason.BARRED_CASTLE: ("tri-camelot Blue Blue:J15,F5 Red:E8 Green:G8", "J15-K16"),
    Reason.PLAIN_MOVE_ENDS: ("camelot White White:E6,A5 Black:L12,K13", "E6-E7-E8"),
    Reason.ONLY_KNIGHTS_CHARGE: ("camelot White White:E6,E7,A5 Black:E9,L12", "E6-E8xE10"),
    Reason.CANTER_AFTER_JUMP: ("camelot White White:NE6,E9,A5 Black:E7,L12", "E6xE8-E10"),
    Reason.MUST_CAPTURE: ("camelot White White:E6,A5 Black:E7,L12", "A5-A6"),
    Reason.MUST_GO_ON: ("camelot White White:E6,A5 Black:E7,E9,L12", "E6xE8"),
    Reason.KNIGHT_MUST_CAPTURE: ("camelot White White:NE6,E7,A5 Black:E9,L12", "E6-E8"),
    Reason.CANTER_RETURNS: ("camelot White White:E6,E7,A5 Black:L12,K13", "E6-E8-E6"),
    Reason.STEWARD: ("tri-camelot Red Blue:F5,G2 Red:C10 Green:J15 steward:Red", "C10-C12"),
    Reason.AMBIGUOUS: ("camelot White White:E6,A5 Black:L12,K13", "E6"),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_every_reason_is_given_for_some_move(reason: Reason) -> None:
    position, text = REFUSED[reason]
    refused = refusal(parse_position(position), text)
    assert refused.reason is reason
    assert refused.cells or refused.text
    assert (
        all(name in VARIANTS[position.split()[0]].board.cell_by_name for name in refused.cells)
        or reason is Reason.AMBIGUOUS
    )


@pytest.mark.parametrize(
    ("position", "text", "cells"),
    [
        ("camelot White White:NE5,F5,G4,A8 Black:H6,NC13", "E5-G5", ("G5", "H6")),
        ("camelot White White:NE5,F5,G4,A8 Black:H6,NC13", "E5-G5-G3", ("G5", "H6")),
        ("camelot White White:NF12,F13,F15,D13,D15 Black:E14,L12", "F12-F14-F16", ("F14", "E14")),
    ],
)
def test_a_knight_is_told_which_capture_its_canter_has_passed(position: str, text: str, cells: tuple[str, ...]) -> None:
    refused = refusal(parse_position(position), text)
    assert (refused.reason, refused.cells) == (Reason.KNIGHT_MUST_CAPTURE, cells)


@pytest.mark.parametrize("text", ["E6 C12", "E6-C12", "G4-G6"])
def test_a_shortened_move_is_refused_for_the_duty_that_forbids_it(text: str) -> None:
    position = parse_position("tri-camelot Blue Blue:NG4,E6,D7,C10,H5 Red:NC16,H7 Green:NI16,J15")
    refused = refusal(position, text)
    assert (refused.reason, refused.captures) == (Reason.MUST_CAPTURE, (("H5", "H7"),))


@pytest.mark.parametrize("text", ["F1-F3", "F1 F3"])
def test_a_knight_passing_captures_out_of_the_castle_need_not_jump(text: str) -> None:
    position = parse_position("camelot White White:NF1,F2,A8 Black:F4,L12")
    assert refusal(position, text).cells == ("F3", "F4")
    assert accepted(position, "F1-E2") == "F1-E2"


def test_a_shortened_move_from_the_castle_is_refused_for_jump_duty() -> None:
    position = parse_position("camelot White White:F1,F2,F4,A8 Black:G2,L12")
    assert refusal(position, "F1 F5").reason is Reason.MUST_JUMP_OUT


def test_no_reason_lacks_its_example_or_its_sentence() -> None:
    elsewhere = {
        Reason.BAD_POSITION,
        Reason.TOO_MANY_PIECES,
        Reason.NO_VARIANT,
        Reason.TOO_LONG,
        Reason.GAME_OVER,
        Reason.UNEXPLAINED,
    }
    assert set(REFUSED) | elsewhere == set(Reason) == set(REFUSALS)
    assert set(ENDINGS) == set(Cause)
    with pytest.raises(GameOver):
        Game.from_position(parse_position("cam-3d White White:3C8 Black:1A6")).play("3C8-3C7")


def test_a_game_that_was_abandoned_is_no_draw() -> None:
    game = Game.start(VARIANTS["camelot"]).end_with(Outcome(Cause.ABANDONED, ()))
    assert ending_in_words(game) == "No result: not played to the end."


def test_a_move_to_where_the_piece_stands_is_refused_as_such() -> None:
    assert refusal(VARIANTS["camelot"].start_position, "D6-D6").reason is Reason.CANTER_RETURNS


def test_the_reasons_are_rules_errors_and_values_for_people_to_catch() -> None:
    assert issubclass(RulesError, ValueError)
    for error in (NotationError, IllegalMove, AmbiguousMove, GameOver):
        assert issubclass(error, RulesError)
