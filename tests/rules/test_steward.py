"""Stewards: one test for each sentence of the rule, and properties of every position."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rules import (
    VARIANTS,
    Cause,
    Game,
    IllegalMove,
    Move,
    NotationError,
    Position,
    Reason,
    Side,
    find_move_into_castle,
    format_move,
    format_position,
    format_record,
    has_legal_move,
    iter_moves,
    legal_moves,
    parse_move,
    parse_position,
    parse_record,
    read_position,
    some_moves,
    steward_move,
    suggest_move_texts,
)
from rules.basics import Outcome
from tests.bench.heaviest import kept
from tests.examples import examples
from tests.rules.positions import built_positions, within_armies

TRI = VARIANTS["tri-camelot"]
CASTLES = frozenset(cell for army in TRI.armies for cell in army.castle)


def at(text: str) -> Position:
    """Red's steward to move, with those pieces."""
    return parse_position(f"tri-camelot Red {text} steward:Red")


def does(text: str) -> str | None:
    """The move of Red's steward in that position; None if it passes."""
    position = at(text)
    move = steward_move(position)
    assert legal_moves(position) == ((move,) if move else ())
    return format_move(move, TRI.board) if move else None


@st.composite
def stewarded(draw: st.DrawFn) -> Position:
    """Built positions of Tri-Camelot in which the side to move has a steward."""
    position = draw(built_positions(st.just(TRI), 20))
    seats = frozenset({position.turn})
    return replace(position, out=seats, stewards=seats)


def unbound(position: Position) -> Position:
    """The same position with a player in each seat."""
    return replace(position, out=frozenset(), stewards=frozenset())


def test_a_steward_passes() -> None:
    assert does("Blue:F5,G2 Red:NB13,C10 Green:J15") is None
    game = Game.from_position(at("Blue:F5,G2 Red:NB13,C10 Green:J15"))
    assert (game.position.turn, game.quiet_counts) == (2, (0, 1, 0)), "it is Green's turn, and Red's pass counts"


def test_it_passes_also_from_its_own_castle() -> None:
    assert does("Blue:F5,G2 Red:A16,B13 Green:J15") is None
    assert legal_moves(unbound(at("Blue:F5,G2 Red:A16,B13 Green:J15"))), "a player would have to leave it"


def test_a_charge_alone_makes_no_capture_due() -> None:
    # The Knight on F11 could canter over F9 to F7 and take F5; no piece could jump at once.
    position = at("Blue:F5,G2 Red:NF11,F9 Green:J15")
    assert steward_move(position) is None
    assert "F11-F7xF3" in {format_move(move, TRI.board) for move in legal_moves(unbound(position))}


def test_the_capture_that_takes_the_fewest_pieces_is_made() -> None:
    # F5 could take F7 and F11, the later piece J11 only I12.
    position = at("Blue:F7,F11,I12 Red:F5,J11 Green:I18")
    taken = sorted(len(move.captures) for move in legal_moves(unbound(position)))
    assert (taken[0], taken[-1]) == (1, 2)
    assert does("Blue:F7,F11,I12 Red:F5,J11 Green:I18") == "J11xH13"


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("Blue:F5,G2 Red:F7,C10 Green:J15", "F7xF3"),  # a capture that is due
        ("Blue:B15,G2 Red:A16,E6 Green:J15", "A16xC14"),  # a jump out of its own castle
        ("Blue:F7,G2 Red:A16,F9 Green:J15", None),  # none is due: leaving the own castle comes before another jump
        ("Blue:G2,E6 Red:K12,E8 Green:K14", "E8xE4"),  # in place of one that enters a castle
        ("Blue:E6,G12 Red:E4,G10 Green:I18", "E4xE8"),  # of several, the start on the lower rank
        ("Blue:D7,H7 Red:D5,H5 Green:I18", "D5xD9"),  # of the same rank, the start on the left
        ("Blue:E8,F9 Red:F7 Green:I18", "F7xD9"),  # of one piece, the end that comes first
    ],
)
def test_a_capture_that_is_due_is_made_by_board_order(text: str, move: str | None) -> None:
    assert does(text) == move


def test_no_castle_is_entered() -> None:
    goal, own = TRI.armies[1].goal, TRI.armies[1].castle
    into_goal = at("Blue:G2 Red:K12 Green:K14")
    assert {move.end for move in legal_moves(unbound(into_goal))} == goal
    assert steward_move(into_goal) is None, "nothing else is left, so it passes"
    into_own = at("Blue:A14,G2 Red:A12 Green:I18")
    assert {move.end for move in legal_moves(unbound(into_own))} == own
    assert steward_move(into_own) is None


def test_a_capture_through_a_castle_enters_it_too() -> None:
    position = at("Blue:A14,B15,G2 Red:A12 Green:I18")
    assert [len(move.path) for move in legal_moves(unbound(position))] == [3]
    assert steward_move(position) is None


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("Blue:B15,G2 Red:A12,D13 Green:I18", "A12-B13"),
        ("Blue:C18,B17,G2 Red:NA14,D15 Green:I18", "A14-B15"),  # by offering a capture, which would be due
        ("Blue:C18,C12,G2 Red:NA14,D15 Green:I18", None),  # nobody is in reach
        ("Blue:B15,G2 Red:NA12,ND13 Green:I18", "A12-B13"),  # a Knight keeps it, too
        ("Blue:B15,C14,G2 Red:A16,D13 Green:I18", None),  # it is kept by the piece in it
        ("Blue:B15,B17,G2 Red:C10 Green:I18", None),  # there is no such move
    ],
)
def test_it_keeps_its_castle_where_it_is_in_reach(text: str, move: str | None) -> None:
    assert does(text) == move


def test_a_steward_does_not_win() -> None:
    filled = parse_position("tri-camelot Blue Blue:F5,G2 Red:K16 Green:J15 steward:Red")
    assert Game.from_position(filled).outcome is None
    assert Game.from_position(unbound(filled)).outcome == (Cause.CASTLE, (1,))


def test_it_is_not_still_in_so_the_last_other_player_wins() -> None:
    game = Game.start(TRI).resign(1, steward=True)
    assert [game.position.is_playing(seat) for seat in TRI.seats] == [True, False, True]
    assert game.resign(2).outcome == Outcome(Cause.RESIGNATION, (0,))
    last = Game.from_position(at("Blue:F5 Red:F7,C10 Green:J15"))
    assert last.apply(last_of(legal_moves(last.position))).outcome == Outcome(Cause.RESIGNATION, (2,))


def last_of(moves: tuple[Move, ...]) -> Move:
    (move,) = moves
    return move


def test_a_steward_that_takes_the_last_pieces_of_both_leaves_a_draw() -> None:
    game = Game.from_position(at("Blue:F7 Red:F5 Green:F11"))
    assert game.apply(last_of(legal_moves(game.position))).outcome == Outcome(Cause.NOBODY_MOVES, ())


def test_when_nobody_can_move_and_the_steward_passes_the_game_is_drawn() -> None:
    cells = TRI.board.names
    red = ",".join(cell for cell in cells if cell not in ("F1", "I18", "K16"))
    position = read_position(f"tri-camelot Blue Blue:F1 Red:{red} Green:I18,K16 steward:Red")
    assert Game.from_position(position).outcome == (Cause.NOBODY_MOVES, ())


def test_a_steward_without_pieces_has_no_turn() -> None:
    game = Game.from_position(parse_position("tri-camelot Blue Blue:F7,G2 Red:F9 Green:J15,J11 steward:Red"))
    assert game.play("F7xF11").play("J11-J9").position.turn == 0


def test_who_leaves_in_their_turn_leaves_it_to_the_steward() -> None:
    game = Game.from_position(parse_position("tri-camelot Red Blue:F5,G2 Red:F7,C10 Green:J15"))
    assert game.resign(1).position.turn == 2
    sat = game.resign(1, steward=True)
    assert (sat.position.turn, sat.leavers) == (1, ((0, 1),))
    assert sat.apply_recorded_resignation(1) is sat
    assert game.apply_recorded_resignation(1, steward=True) == sat


def test_a_game_of_two_ends_and_nobody_sits_down() -> None:
    game = Game.start(VARIANTS["camelot"]).resign(0, steward=True)
    assert (game.outcome, game.position.stewards) == ((Cause.RESIGNATION, (1,)), frozenset())


def test_its_moves_do_not_count_among_the_quiet_ones_of_the_players() -> None:
    game = Game.from_position(parse_position("tri-camelot Blue Blue:F5,G2 Red:NB13 Green:J15 steward:Red"))
    for text in ("F5-F7", "J15-J13", "F7-F5", "J13-J15"):
        game = game.play(text)
    assert (game.quiet_counts, game.quiet_moves, game.repetitions) == ((2, 2, 2), 2, 2)


def test_the_same_pieces_with_a_steward_and_without_are_two_positions() -> None:
    text = "tri-camelot Blue Blue:NE4,F7 Red:NB13,NC14 Green:J11 {}:Red"
    sat, out = (parse_position(text.format(word)) for word in ("steward", "out"))
    assert sat.repetition_key() != out.repetition_key()
    assert (sat.out, sat.stewards, out.out, out.stewards) == ({1}, {1}, {1}, frozenset())
    assert [format_position(one) for one in (sat, out)] == [text.format("steward"), text.format("out")]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("tri-camelot Blue Blue:F1 Red:- Green:- steward:Purple", "Purple"),
        ("tri-camelot Red Blue:F1 Red:- Green:- steward:Red", "Red"),
        ("camelot White White:E6 Black:E7 steward:Black", "steward"),
    ],
)
def test_a_steward_that_cannot_be_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(NotationError) as error:
        parse_position(text)
    assert error.value.text == wrong


def test_nothing_else_than_what_a_steward_does_may_be_played() -> None:
    position = at("Blue:F7,F11,I12 Red:F5,J11 Green:I18")
    assert parse_move(position, "j11 h13") == steward_move(position)
    with pytest.raises(IllegalMove) as refused:
        parse_move(position, "F5xF9xF13")
    assert (refused.value.reason, refused.value.cells) == (Reason.STEWARD, ("F5",))
    with pytest.raises(IllegalMove) as refused:
        parse_move(at("Blue:F5,G2 Red:C10 Green:J15"), "C10-C12")
    assert refused.value.reason is Reason.STEWARD
    assert suggest_move_texts(position, "") == suggest_move_texts(position, "j11") == ["J11xH13"]
    assert suggest_move_texts(position, "F5") == []


def test_a_record_tells_where_a_steward_sits_and_what_it_does() -> None:
    game = Game.from_position(parse_position("tri-camelot Blue Blue:F3,C6 Red:F7,C10 Green:J15,J11"))
    game = game.play("F3-F5").resign(1, steward=True)
    game = game.apply(last_of(legal_moves(game.position))).play("J11-J9").play("C6-D5").play("J9-I8")
    text = format_record(game)
    assert text.splitlines()[3:] == ["1. F3-F5 steward:Red F7xF3 J11-J9", "2. C6-D5 ... J9-I8"]
    assert parse_record(text).replay() == game


def guards(position: Position, move: Move) -> None:
    """Asserts that the move puts a castle out of reach that was within reach."""
    (castle,) = TRI.armies[position.turn].castle
    (attacker,) = (seat for seat in TRI.seats if castle in TRI.armies[seat].goal)
    for stage, within in ((position, True), (position.after_move(move), False)):
        view = replace(stage, turn=attacker, out=frozenset(), stewards=frozenset())
        assert any(one.end == castle for one in legal_moves(view)) == within


@given(stewarded())
@examples(1)
def test_it_has_one_legal_move_or_none_as_players_would(position: Position) -> None:
    moves = legal_moves(position)
    over = position.variant.ending(position)
    assert moves == (() if over else tuple(filter(None, [steward_move(position)])))
    assert tuple(iter_moves(position)) == moves
    assert tuple(move for cell in range(73) for move in some_moves(position, start=cell).moves) == moves
    assert over or has_legal_move(position) == bool(moves)
    assume(not position.variant.ending(unbound(position)))  # a player would have won
    free = legal_moves(unbound(position))
    safe = [one for one in free if one.captures and CASTLES.isdisjoint(one.path[1:])]
    assert moves or over or not Side(position).must_capture or not safe
    for move in moves:
        assert move.outcome in {one.outcome for one in free}
        assert CASTLES.isdisjoint(move.path[1:])
        if not move.captures:
            guards(position, move)
            continue
        assert all(one.captures for one in free), "a capture is due"
        assert len(move.captures) <= min(len(one.captures) for one in safe)
        assert parse_move(position, format_move(move, TRI.board)).outcome == move.outcome


@given(built_positions(most=24))
@examples(2)
def test_a_move_into_the_castle_is_found_where_the_list_has_one(position: Position) -> None:
    goal = position.variant.armies[position.turn].goal
    listed = {move.outcome for move in legal_moves(position) if move.end in goal and move.start not in goal}
    found = find_move_into_castle(position)
    assert found.outcome in listed if found else not listed


@pytest.mark.parametrize("key", VARIANTS)
def test_the_heaviest_positions_have_moves_into_castles_as_listed(key: str) -> None:
    for position in kept():
        if position.variant.key == key:
            goal = position.variant.armies[position.turn].goal
            listed = islice(iter_moves(position), 5000)
            assert find_move_into_castle(position) or all(one.start in goal for one in listed if one.end in goal)


@given(stewarded())
@examples(1)
def test_a_position_with_a_steward_is_read_back_and_never_won(position: Position) -> None:
    position = within_armies(position)
    assert parse_position(format_position(position)) == position
    game = Game.from_position(position)
    for _ in range(12):
        if game.outcome or not (moves := legal_moves(game.position)):
            break
        game = game.apply(moves[len(game.moves) % len(moves)])
    assert not game.outcome or not position.stewards.intersection(game.outcome.winners)
    again = parse_record(format_record(game)).replay()
    assert (again.position, again.moves, again.outcome) == (game.position, game.moves, game.outcome)
