"""Moves as text, and why others are refused."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rules import (
    VARIANTS,
    AmbiguousMove,
    Game,
    GameOver,
    IllegalMove,
    Move,
    NotationError,
    Position,
    Reason,
    RulesError,
    Side,
    Turn,
    format_move,
    legal_moves,
    parse_move,
    parse_position,
    read_position,
    read_recorded,
    suggest_move_texts,
)
from rules.basics import Cause, Outcome
from rules.landings import iter_completions, iter_landings
from rules.moves import some_moves
from rules.notation import read_move
from rules.terminal_words import ENDINGS, REFUSALS, ending_in_words, mistake_in_words
from tests.examples import examples
from tests.rules.positions import built_positions, random_game, variants
from tests.rules.scenes import accepted, cells, refusal, scene, verdict

CHARGES = parse_position("tri-camelot Blue Blue:NF5,F7,G2 Red:G10,E12 Green:J15")


@pytest.mark.parametrize(
    "text",
    [
        "F5-F9xH11",
        "f5-f9xh11",
        " F5 - F9 x H11 ",
        "F5–F9×H11",
        "F5−F9:H11",
        "f5 f9 h11",
        "F5^F9^H11",
        "f5f9h11",
        "3. F5-F9xH11",
        "3... F5-F9xH11",
        "3… F5-F9xH11",
    ],
)
def test_any_case_blanks_and_signs_are_read_and_one_is_printed(text: str) -> None:
    assert accepted(CHARGES, text) == "F5-F9xH11"


def test_the_canonical_text_writes_every_landing() -> None:
    position = scene("camelot", "Na,b", "d,r")
    assert accepted(position, "E6 E12") == "E6-E8xE10xE12"
    board = VARIANTS["tri-camelot"].board
    assert format_move(
        Move(tuple(map(board.find_cell, ("F5", "F9", "H11", "F13"))), (board.find_cell("G10"),) * 2), board
    ) == ("F5-F9xH11xF13")


@pytest.mark.parametrize("text", ["", "-", "hello", "E6--E7", "E6-", "E6E", "E6-" * 900, "E6>E7", "١٢", "E6-E7-E"])
def test_other_texts_cannot_be_read(text: str) -> None:
    refused = refusal(VARIANTS["camelot"].start_position, text)
    assert isinstance(refused, NotationError)
    assert refused.reason is Reason.UNREADABLE


@pytest.mark.parametrize("write", [str, str.lower])
def test_a_text_that_is_longer_than_any_move_is_not_read(write: Callable[[str], str]) -> None:
    text = write("F7-F9" + "-F7-F9" * 500)
    with pytest.raises(NotationError) as raised:
        parse_move(VARIANTS["camelot"].start_position, text)
    assert raised.value.reason is Reason.UNREADABLE


def test_a_cell_that_the_board_does_not_have_is_named() -> None:
    refused = refusal(VARIANTS["camelot"].start_position, "D6-Z9")
    assert (refused.reason, refused.text) == (Reason.NO_SUCH_CELL, "Z9")


# Shortened moves


def test_start_and_end_are_enough_where_one_outcome_fits() -> None:
    for sign in "- x":
        assert accepted(scene("chivalry", "a", "b,d"), cells("chivalry", f"a{sign}e")) == "E6xE8xE10"


TWO_WAYS = parse_position("camelot White White:F14,A5 Black:F15,G14,G15,L12")


def test_where_several_outcomes_fit_it_says_which() -> None:
    refused = refusal(TWO_WAYS, "F14 F16")
    assert isinstance(refused, AmbiguousMove)
    assert refused.cells == ("F14xF16", "F14xH14xF16")
    assert [format_move(move, TWO_WAYS.variant.board) for move in refused.candidates] == list(refused.cells)


def test_a_start_alone_is_answered_with_what_that_piece_may_do() -> None:
    refused = refusal(VARIANTS["tri-camelot"].start_position, "F7")
    assert isinstance(refused, AmbiguousMove)
    assert set(refused.cells) == {"F7-F9", "F7-G8", "F7-E8", "F7-F3"}
    assert not refused.more


def test_a_fully_typed_move_is_taken_literally_despite_other_moves_ending_there() -> None:
    assert accepted(TWO_WAYS, "F14xF16") == "F14xF16"
    assert accepted(TWO_WAYS, "F14xH14xF16") == "F14xH14xF16"


@given(built_positions(), st.data())
@examples(2)
def test_every_shortened_text_finds_the_only_outcome_or_is_ambiguous(position: Position, data: st.DataObject) -> None:
    moves = legal_moves(position)
    assume(moves and len(moves) < 2000)
    move = data.draw(st.sampled_from(moves))
    fitting = {m.outcome for m in moves if (m.start, m.end) == (move.start, move.end)}
    found = verdict(position, " ".join(position.names((move.start, move.end))))
    if isinstance(found, Move):
        assert {found.outcome} == fitting
    else:
        assert isinstance(found, AmbiguousMove)
        assert len(fitting) > 1
        assert {m.outcome for m in found.candidates} == fitting or found.more


def test_where_a_piece_has_too_many_moves_the_answer_asks_for_more() -> None:
    # Built: D5 alone has 14,185 outcomes.
    position = parse_position(
        "chivalry White White:ND5,NH5,NF8,NF10,NE11,NE12,NC13,ND13,E5,C6,F6,G6,F12,G13"
        " Black:NE6,NI6,NJ6,NI7,NC8,NE8,NG8,NH8,I8,G9,C10,D10,E10,G10,H10,I10,J10,G11,I11,G12 castle:0,0"
    )
    end = some_moves(position, start=position.variant.board.find_cell("D5")).moves[-1].end
    refused = refusal(position, " ".join(("D5", *position.names([end]))))
    assert isinstance(refused, AmbiguousMove)
    assert refused.more


# Properties


@given(built_positions())
@examples(2)
def test_a_move_printed_is_read_back(position: Position) -> None:
    for move in legal_moves(position)[:60]:
        text = format_move(move, position.variant.board)
        assert parse_move(position, text) == move
        assert read_recorded(text, position.variant.board) == move


def mutated(draw: st.DrawFn, position: Position, moves: tuple[Move, ...]) -> str:
    """A text that is almost a move: a legal move with a cell or sign changed, dropped or added, or a random path."""
    names = position.variant.board.names
    if moves and draw(st.booleans()):
        parts = list(draw(st.sampled_from(moves)).path)
        near = [n for cell in parts for n in position.variant.board.neighbours[cell]]
        for _ in range(draw(st.integers(0, 2))):
            at = draw(st.integers(0, len(parts) - 1))
            match draw(st.sampled_from("cda")):
                case "c":
                    parts[at] = draw(st.sampled_from(near))
                case "d" if len(parts) > 1:
                    del parts[at]
                case _:
                    parts.insert(at, draw(st.sampled_from(near)))
    else:
        parts = draw(
            st.lists(st.sampled_from(sorted(position.pieces)) | st.integers(0, len(names) - 1), min_size=1, max_size=5)
        )
    signs = [draw(st.sampled_from(["-", "x", " "])) for _ in parts[1:]]
    return names[parts[0]] + "".join(sign + names[cell] for sign, cell in zip(signs, parts[1:], strict=True))


@st.composite
def near_misses(draw: st.DrawFn) -> tuple[Position, str]:
    position = draw(built_positions())
    assume(not position.variant.ending(position))
    moves = legal_moves(position)
    assume(len(moves) < 1000)
    return position, mutated(draw, position, moves)


@given(near_misses())
@examples(4)
def test_a_text_is_legal_or_explained_and_the_fallback_never_occurs(case: tuple[Position, str]) -> None:
    position, text = case
    outcomes = {move.outcome for move in legal_moves(position)}
    found = verdict(position, text)
    if isinstance(found, Move):
        assert found.outcome in outcomes
    elif isinstance(found, AmbiguousMove):
        assert {move.outcome for move in found.candidates} <= outcomes
    else:
        assert isinstance(found, IllegalMove)
        assert found.reason is not Reason.UNEXPLAINED
        assert mistake_in_words(found)


@given(built_positions(), st.randoms(use_true_random=False))
@examples(2)
def test_every_leg_that_a_turn_offers_leads_to_a_complete_move(position: Position, chance: random.Random) -> None:
    assume(not position.variant.ending(position))
    outcomes = {move.outcome for move in legal_moves(position)}
    side = Side(position)
    for start in side.iter_own_cells():
        turn = Turn.begin(side, start)
        for _ in range(6):
            if not turn.next_legs:
                break
            for leg in turn.next_legs:
                found = next(iter_completions(turn.take(leg)), None)
                assert found is not None, f"{position.names(turn.path)} to {position.names((leg.to,))} leads nowhere"
                assert found.outcome in outcomes
            turn = turn.take(chance.choice(turn.next_legs))
            assert not turn.may_stop or turn.move.outcome in outcomes


@given(variants, st.integers(0, 10_000))
@examples(0.5)
def test_following_a_record_gives_the_game_that_was_played(variant: object, seed: int) -> None:
    *_, played = random_game(variant, seed, plies=60)  # type: ignore[arg-type]  # drawn from VARIANTS
    followed = Game.from_position(played.origin)
    for number, move in enumerate(played.moves):
        judged = followed.apply(move)
        passes = next(n for n in range(4) if followed.apply_recorded(move, n).position == judged.position)
        followed = followed.apply_recorded(
            read_recorded(format_move(move, judged.variant.board), judged.variant.board), passes
        )
        assert followed == judged.end_with(None) or number == len(played.moves) - 1  # type: ignore[arg-type]  # not ended
    assert (followed.position, followed.quiet_counts, followed.occurrences) == (
        played.position,
        played.quiet_counts,
        played.occurrences,
    )


# Suggestions


def test_with_nothing_typed_the_pieces_that_may_move_are_offered() -> None:
    assert suggest_move_texts(VARIANTS["camelot"].start_position, "", limit=3) == ["C6", "D6", "E6"]
    assert suggest_move_texts(scene("camelot", "a,q", "b"), "") == ["E6"]
    assert suggest_move_texts(VARIANTS["camelot"].start_position, "j") == ["J6"]


def test_after_a_cell_the_moves_that_go_on_from_there_are_offered() -> None:
    start = VARIANTS["tri-camelot"].start_position
    assert set(suggest_move_texts(start, "f7")) == {"F7-F9", "F7-G8", "F7-E8", "F7-F3"}
    assert suggest_move_texts(start, "f7-g") == ["F7-G8"]
    assert suggest_move_texts(start, "F7 F9") == ["F7-F9"]


def test_compulsory_and_other_captures_come_first() -> None:
    assert suggest_move_texts(scene("cam-3d", "Na,b", "d"), "2C2")[0] == "2C2-2C4x2C6"


def test_a_route_that_is_not_the_shortest_is_followed() -> None:
    position = scene("camelot", "a,b,p")
    assert suggest_move_texts(position, "E6-E8-E6-E8-G")[0] == "E6-E8-E6-E8-G8"


def test_canters_that_return_on_themselves_are_accepted_and_shortened() -> None:
    position = scene("camelot", "a,b,p")
    for typed in ("E6-E8-E6-E8-G8", "E6-E8-E6-E8-E6-E8-G8"):
        assert format_move(parse_move(position, typed), position.variant.board) == "E6-E8-G8"
    long = "-".join(["E6", "E8"] * 100)
    assert format_move(parse_move(position, long), position.variant.board) == "E6-E8"


def test_a_charge_keeps_its_jumps_whatever_its_canters_did() -> None:
    position = scene("camelot", "Na,b", "d")
    move = parse_move(position, "E6-E8-E6-E8xE10")
    assert format_move(move, position.variant.board) == "E6-E8xE10"
    assert move == parse_move(position, "E6-E8xE10")


def test_an_unfinished_cell_may_become_another() -> None:
    position = parse_position("camelot White White:E9,B3 Black:L12,K13")
    assert "E9-E10" in suggest_move_texts(position, "E9-E1")


def test_long_texts_are_cut_after_a_landing() -> None:
    position = scene("camelot", "Na,b", "d,r")
    assert suggest_move_texts(position, "E6", longest=11)[0] == "E6-E8xE10"


@given(built_positions())
def test_cells_with_nothing_between_them_are_told_apart_on_every_board(position: Position) -> None:
    for move in legal_moves(position)[:20]:
        board = position.variant.board
        path, _ = read_move("".join(board.names[cell].lower() for cell in move.path), board)
        assert path == move.path


def test_a_move_typed_without_signs_is_completed() -> None:
    assert suggest_move_texts(CHARGES, "f5f9") == suggest_move_texts(CHARGES, "F5-F9") != []


@given(built_positions(), st.text(alphabet="ABCDEFGHIJK123456789-x ", max_size=12))
@examples(2)
def test_what_is_suggested_is_legal(position: Position, typed: str) -> None:
    for text in suggest_move_texts(position, typed):
        assert isinstance(verdict(position, text), Move | AmbiguousMove), text


# Reasons


def test_what_is_suggested_is_found_at_once_however_much_can_be_played(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Move | None] = []

    def noted(turn: Turn) -> Iterator[Move | None]:
        for move in iter_landings(turn):
            looked_at.append(move)
            yield move

    monkeypatch.setattr("rules.notation.iter_landings", noted)
    board = VARIANTS["chivalry"].board
    foes = [name for name, (x, y) in zip(board.names, board.vectors, strict=True) if not (x % 2 and y % 2)]
    position = read_position(f"chivalry White White:NC5,A7 Black:{','.join(foes)}")
    assert suggest_move_texts(position, "C5-Z") == []
    assert 0 < len(looked_at) < 2000


# Refusals


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
