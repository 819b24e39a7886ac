"""How games end: the table of rulings for each game, and the house rulings."""

from __future__ import annotations

import pytest

from rules import VARIANTS, Cause, Game, GameOver, Outcome, legal_moves, read_position
from rules.endings import no_move_loses_to_two
from rules.game import CLAIM_QUIET, END_QUIET
from tests.rules.positions import random_game
from tests.rules.scenes import drawn


def ended(text: str, *moves: str) -> Outcome | None:
    """The outcome after those moves from that position."""
    game = Game.from_position(read_position(text))
    for move in moves:
        game = game.play(move)
    return game.outcome


WHITE_WINS, BLACK_WINS, NOBODY = (0,), (1,), ()
CASTLE, FEW_PIECES, CAPTURE = Cause.CASTLE, Cause.FEW_PIECES, Cause.CAPTURE
SHUT_IN_3D = "1C1 Black:1B2,1D2,2C1,2B2,2D2,1C2,2C2,1A3,1C3,1E3,2A3,2C3,2E3,3A3,3C3,3E3,3C1,3A5"

ENDS = {
    "two in the castle win at Camelot": ("camelot White White:F16,G15,A5 Black:L12,K13", "G15-G16", CASTLE, (0,)),
    "one in the castle does not": ("camelot White White:G15,A5 Black:L12,K13", "G15-G16", None, ()),
    "two in the castle win at Chivalry": ("chivalry Black White:A6,B7 Black:G1,H2,N11", "H2-H1", CASTLE, (1,)),
    "one in the castle wins at Cam 3-D": ("cam-3d White White:3C7,3A3 Black:1A6,1B7", "3C7-3C8", CASTLE, (0,)),
    "one in the left castle wins at Tri": ("tri-camelot Red Blue:G2 Red:J15,F7 Green:H9", "J15-K16", CASTLE, (1,)),
    "one each is a draw at Camelot": ("camelot White White:E6 Black:E7,E9,L12", "E6xE8xE10", FEW_PIECES, ()),
    "neither with two is a draw at Chivalry": ("chivalry White White:E6 Black:E7,N11", "E6xE8", FEW_PIECES, ()),
    "one to none is a draw at Chivalry": ("chivalry White White:E6 Black:E7,E9", "E6xE8xE10", FEW_PIECES, ()),
    "one that captures all wins at Camelot": ("camelot White White:E6 Black:E7,E9", "E6xE8xE10", CAPTURE, (0,)),
    "two that capture all win at Chivalry": ("chivalry White White:E6,A6 Black:E7", "E6xE8", CAPTURE, (0,)),
    "capturing all wins at Cam 3-D": ("cam-3d White White:2C2 Black:2C3", "2C2x2C4", CAPTURE, (0,)),
    "capturing both others wins at Tri": ("tri-camelot Blue Blue:F5 Red:F7 Green:F11", "F5xF9xF13", CAPTURE, (0,)),
    "capturing one of them does not": ("tri-camelot Blue Blue:F5 Red:F7 Green:J15", "F5xF9", None, ()),
    "who cannot move loses at Cam 3-D": (f"cam-3d Black White:{SHUT_IN_3D}", "3A5-3A6", Cause.STALEMATE, (1,)),
}


@pytest.mark.parametrize(("text", "move", "cause", "winners"), ENDS.values(), ids=ENDS)
def test_the_end(text: str, move: str, cause: Cause | None, winners: tuple[int, ...]) -> None:
    assert ended(text, move) == (cause and (cause, winners))


SHUT_IN = {
    "camelot": """
        8  . . . b
        7  b b b .
        6  b b b .
        5  w b b .
        4  w b b .
        3    b b .
        2      b .
           A B C D
        """,
    "chivalry": """
        8  b . b . b
        7  b b b . .
        6  w b b . .
        5  w b b . .
        4    b b . .
        3      b . .
           A B C D E
        """,
}


@pytest.mark.parametrize(("key", "last"), [("camelot", "D8-C8"), ("chivalry", "E8-D8")])
def test_a_blocked_player_loses_at_camelot_and_to_several_at_chivalry(key: str, last: str) -> None:
    game = Game.from_position(drawn(key, "Black", SHUT_IN[key])).play(last)
    assert game.outcome == (Cause.STALEMATE, BLACK_WINS)


def test_a_lone_piece_in_the_castle_without_castle_moves_is_blocked() -> None:
    stuck = "chivalry {turn} White:{white} Black:{black} castle:2,2"
    black_stuck = read_position(stuck.format(turn="Black", white="A6,B7", black="G1"))
    assert Game.from_position(black_stuck).outcome == (Cause.STALEMATE, WHITE_WINS)
    white_stuck = read_position(stuck.format(turn="White", white="G16", black="N11,M12"))
    assert Game.from_position(white_stuck).outcome == (Cause.STALEMATE, BLACK_WINS)


def test_a_stalemate_by_a_lone_piece_is_a_draw_at_chivalry() -> None:
    # House.
    text = "chivalry Black White:{white} Black:E8"
    assert no_move_loses_to_two(read_position(text.format(white="A6"))) == (Cause.STALEMATE, NOBODY)
    assert no_move_loses_to_two(read_position(text.format(white="A6,B7"))) == (Cause.STALEMATE, WHITE_WINS)


def test_in_tri_camelot_the_turn_of_a_player_without_a_move_passes() -> None:
    game = Game.from_position(read_position("tri-camelot Red Blue:F1 Red:NF3,NE2,G2,F5,D3,H3,C18 Green:J11,J9"))
    game = game.play("C18-D17").play("J11-J13")
    assert game.outcome is None
    assert game.position.turn == 1, "Blue's turn passed to Red"
    assert game.quiet_counts[0] == 1, "and counts as a quiet one"


def test_in_tri_camelot_nobody_being_able_to_move_is_a_draw() -> None:
    cells = VARIANTS["tri-camelot"].board.names
    red = ",".join(cell for cell in cells if cell not in ("F1", "I18", "K16"))
    position = read_position(f"tri-camelot Blue Blue:F1 Red:{red} Green:I18,K16")
    assert Game.from_position(position).outcome == (Cause.NOBODY_MOVES, NOBODY)


# A player who leaves


def test_in_a_game_of_two_the_other_wins() -> None:
    game = Game.start(VARIANTS["camelot"]).resign(0)
    assert game.outcome == (Cause.RESIGNATION, BLACK_WINS)
    with pytest.raises(GameOver):
        game.play("D6-F8")


def test_in_tri_camelot_a_leavers_pieces_stay_and_their_turn_is_skipped() -> None:
    game = Game.start(VARIANTS["tri-camelot"]).play("F7-F9").resign(1)
    assert game.outcome is None
    assert game.position.turn == 2
    assert game.position.count_pieces(1) == 8
    assert game.play("J11-J9").position.turn == 0


def test_a_leaver_s_pieces_are_still_opponents_for_the_duty_to_jump() -> None:
    position = read_position("tri-camelot Blue Blue:F5,G2 Red:F7,B15 Green:J15 out:Red")
    assert [move.captures for move in legal_moves(position)] == [(position.variant.board.find_cell("F7"),)]


def test_the_last_player_who_is_in_the_game_and_has_pieces_wins() -> None:
    game = Game.start(VARIANTS["tri-camelot"]).resign(1).resign(2)
    assert game.outcome == (Cause.RESIGNATION, (0,))
    assert ended("tri-camelot Blue Blue:F5,G2 Red:F7 Green:J15 out:Green", "F5xF9") == (Cause.RESIGNATION, (0,))


def test_a_leaver_s_castle_stays_a_target_and_the_neighbour_s_barred() -> None:
    text = "tri-camelot Blue Blue:A14,G2 Red:B11 Green:J11 out:Red"
    assert ended(text, "A14-A16") == (Cause.CASTLE, (0,))


def test_leaving_twice_or_without_pieces_changes_nothing() -> None:
    game = Game.start(VARIANTS["tri-camelot"]).resign(1)
    assert game.resign(1) is game
    without = Game.from_position(read_position("tri-camelot Blue Blue:F5 Red:- Green:J15"))
    assert without.resign(1) is without


def test_a_player_without_pieces_has_no_turn() -> None:
    game = Game.from_position(read_position("tri-camelot Blue Blue:F5 Red:- Green:J15"))
    assert game.play("F5-F7").position.turn == 2


# Repetition and quiet moves

THERE_AND_BACK = ["C6-C5", "C11-C12", "C5-C6", "C12-C11"]


def test_the_third_occurrence_may_be_claimed_and_the_fifth_ends_the_game() -> None:
    game = Game.start(VARIANTS["camelot"])
    occurrences = 1
    while not game.outcome:
        assert (game.claimable_draw is Cause.REPETITION) == (occurrences >= 3 and game.repetitions >= 3)
        for move in THERE_AND_BACK:
            if not game.outcome:
                game = game.play(move)
        occurrences += 1
        assert game.repetitions == occurrences
    assert (occurrences, game.outcome) == (5, (Cause.REPETITION, NOBODY))


def test_another_count_of_castle_moves_is_another_position() -> None:
    one = read_position("camelot White White:F16,A5 Black:L12,K13 castle:0,0")
    other = read_position("camelot White White:F16,A5 Black:L12,K13 castle:2,0")
    assert one.repetition_key() != other.repetition_key()


@pytest.mark.parametrize("key", VARIANTS)
def test_random_games_come_to_an_end(key: str) -> None:
    for seed in range(6):
        *_, last = random_game(VARIANTS[key], seed, plies=5000)
        assert last.outcome is not None
        assert legal_moves(last.position) == () or last.outcome.cause in (Cause.REPETITION, Cause.QUIET)


def test_fifty_moves_by_each_may_be_claimed_and_seventy_five_end_games() -> None:
    # The bug: AbstractPlay counted 50 half-moves.
    game = Game.from_position(read_position("camelot White White:A5,A6 Black:L12,K13"))
    at = game._replace(quiet_counts=(CLAIM_QUIET - 1, CLAIM_QUIET - 1))
    assert at.claimable_draw is None
    at = at.play("A5-A4")
    assert at.claimable_draw is None, "Black has made 49"
    assert at.play("L12-L11").claimable_draw is Cause.QUIET
    at = game._replace(quiet_counts=(END_QUIET - 1, END_QUIET - 1)).play("A5-A4")
    assert at.outcome is None
    assert at.play("L12-L11").outcome == (Cause.QUIET, NOBODY)


def test_captures_and_castle_entries_reset_the_count_but_castle_moves_do_not() -> None:
    game = Game.from_position(read_position("camelot White White:F15,A5 Black:L12,K13"))._replace(quiet_counts=(40, 40))
    entered = game.play("F15-F16")
    assert entered.quiet_counts == (0, 0)
    assert entered.play("L12-L11").play("F16-G16").quiet_counts == (1, 1)
    jumped = Game.from_position(read_position("camelot White White:E6,A5 Black:E7,L12,K13"))._replace(
        quiet_counts=(40, 40)
    )
    assert jumped.play("E6xE8").quiet_counts == (0, 0)
