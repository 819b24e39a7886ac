"""Records of games, the terminal, and positions as text."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

import rules.record
from rules import (
    VARIANTS,
    Cause,
    Game,
    NotationError,
    PieceKind,
    Position,
    Reason,
    RecordComment,
    RecordError,
    format_move,
    format_position,
    format_record,
    legal_moves,
    parse_position,
    parse_record,
    read_position,
)
from rules.__main__ import main
from rules.plain_text import clean_text
from rules.position import piece_code
from rules.record import MAX_LINE_LENGTH
from tests.examples import examples
from tests.rules.positions import built_positions, random_game, within_armies
from tests.rules.scenes import refusal

RECORDS = Path(__file__).parent / "records"
CHAMPIONSHIP = RECORDS / "camelot-2009-championship-1.txt"
NOLAN = RECORDS / "cam-2009-nolan-ending.txt"
SHORTEST = RECORDS / "camette-shortest.txt"


def test_the_championship_game_of_2009_replays_with_all_its_variations() -> None:
    record = parse_record(CHAMPIONSHIP.read_text(encoding="utf-8"))
    game = record.replay()
    assert (len(game.moves), game.position.turn) == (23, 1)
    assert [len(line.moves) for _, line in record.replay_variations()] == [17, 22, 23, 26, 24]


def test_the_example_of_the_module_is_a_record() -> None:
    doc = rules.record.__doc__
    assert doc is not None
    example = "\n".join(line.strip() for line in doc.splitlines() if line.startswith("    "))
    game = parse_record(example).replay()
    assert (len(game.moves), game.leavers) == (5, ((4, 1),))


@pytest.mark.parametrize("key", VARIANTS)
def test_a_record_written_is_read_back(key: str) -> None:
    for seed in range(4):
        *_, game = random_game(VARIANTS[key], seed, plies=120)
        again = parse_record(format_record(game, {"players": "Ann, Bob"})).replay()
        assert (again.moves, again.position, again.outcome) == (game.moves, game.position, game.outcome)


def test_passed_turns_and_leavers_are_told() -> None:
    game = Game.from_position(parse_position("tri-camelot Red Blue:F1 Red:NF3,NE2,G2,F5,D3,H3,C18 Green:J11,J9"))
    game = game.play("C18-D17").play("J11-J13").play("D17-C18").resign(1).play("J13-J11")
    text = format_record(game)
    assert text.splitlines()[1:] == [
        "# position: tri-camelot Red Blue:F1 Red:NE2,NF3,G2,D3,H3,F5,C18 Green:J9,J11",
        "# result: unfinished",
        "1. ... C18-D17 J11-J13",
        "2. ... D17-C18 out:Red J13-J11",
    ]
    assert parse_record(text).replay() == game


def test_a_game_that_begins_with_another_side_begins_after_dots() -> None:
    game = Game.from_position(parse_position("camelot Black White:A5,A6 Black:L12,K13")).play("L12-L11").play("A5-A4")
    assert format_record(game).splitlines()[-2:] == ["1. ... L12-L11", "2. A5-A4"]
    assert parse_record(format_record(game)).replay() == game


@pytest.mark.parametrize(
    ("body", "moves"),
    [
        ("1. D6-F8 H11-F9 2. c6-e8-g8", 3),
        ("1. D6-F8\n1... H11-F9\n2. C6-E8-G8 1/2-1/2", 3),
        ("D6-F8 H11-F9", 2),
        ("1.D6-F8, 1...H11-F9; 2.C6–E8–G8", 3),
        ("1. D6-F8  # a comment H11-F9", 1),
        ("", 0),
    ],
)
def test_records_are_read_leniently(body: str, moves: int) -> None:
    assert len(parse_record(f"# variant: Camelot\n{body}").replay().moves) == moves


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("1. D6-F8", 1, Reason.NO_VARIANT),
        ("# variant: chess\n1. e2-e4", 1, Reason.NO_VARIANT),
        ("", 1, Reason.NO_VARIANT),
        ("# variant: camelot\n1. D6-F8 H11-F9\n2. D6-D7", 3, Reason.EMPTY_START),
        ("# variant: camelot\n\n1. D6-F8 D7-D8", 3, Reason.NOT_YOUR_PIECE),
        ("# variant: camelot\n1. D6-zebra", 2, Reason.UNREADABLE),
        ("# variant: tri-camelot\n1. F5-F9 out:Purple", 2, Reason.UNREADABLE),
        ("# variant: cam-3d\n1. 1C3-1C4 3C7-1C5x1C3x1A3x1C1 2. 1B3-1B4", 2, Reason.GAME_OVER),
        ("# variant: camelot\n# variation after 1: 9... H11-F9\n1. D6-F8", 2, Reason.UNREADABLE),
        ("# variant: camelot\n# variation after 1: 1... H11-F9, 2. D6-F8\n1. D6-F8", 2, Reason.EMPTY_START),
    ],
)
def test_the_first_mistake_is_named_with_its_line(text: str, line: int, reason: Reason) -> None:
    def check() -> None:
        record = parse_record(text)
        record.replay()
        list(record.replay_variations())

    with pytest.raises(RecordError) as error:
        check()
    assert (error.value.line, error.value.reason) == (line, reason)


@pytest.mark.parametrize(("key", "expected"), [("cam-3d", 60), ("cam", 0), ("camette", 3)])
def test_so_many_first_moves_lose_at_once(key: str, expected: int) -> None:
    start = Game.start(VARIANTS[key])
    losing = 0
    for move in legal_moves(start.position):
        replies = (start.apply(move).apply(reply) for reply in legal_moves(start.apply(move).position))
        losing += any(game.outcome and game.outcome.winners == (1,) for game in replies)
    assert losing == expected


def test_a_charge_that_wins_at_once_is_written_with_every_landing() -> None:
    game = Game.start(VARIANTS["cam-3d"]).play("1C3-1C4").play("3C7-1C5x1C3x1A3x1C1")
    assert game.outcome is not None
    assert format_move(game.moves[-1], game.variant.board) == "3C7-1C5x1C3x1A3x1C1"


def test_in_nolan_s_ending_black_must_capture_beside_the_castle_and_loses() -> None:
    game = parse_record(NOLAN.read_text(encoding="utf-8")).replay()
    before = Game.from_position(game.origin)
    for move in game.moves[:-2]:
        before = before.apply(move)
    assert refusal(before.position, "E2-D1").reason is Reason.MUST_CAPTURE
    assert game.outcome == (Cause.CAPTURE, (0,))


def test_camette_can_be_over_after_one_move_each() -> None:
    game = parse_record(SHORTEST.read_text(encoding="utf-8")).replay()
    assert (len(game.moves), game.outcome) == (2, (Cause.CASTLE, (1,)))


def test_a_number_that_no_game_reaches_is_no_move_number() -> None:
    with pytest.raises(RecordError) as caught:
        parse_record(f"# variant: camelot\n{'9' * 5000}. F7-F8").replay()
    assert caught.value.line == 2


def test_the_longest_line_of_ours_fits_and_a_longer_is_refused() -> None:
    game = Game.start(VARIANTS["tri-camelot"])
    for _ in range(3):
        game = game.apply(legal_moves(game.position)[0])
    words = [RecordComment(ply, f"{'A' * 32}: {500 * sign}") for ply in range(4) for sign in "{\\\nw" for _ in range(6)]
    text = format_record(game, {"players": "A" * 2000}, words)
    assert 64_000 < max(map(len, text.splitlines())) < MAX_LINE_LENGTH / 2
    assert [comment.words.rstrip() for comment in parse_record(text).comments] == [one.words.rstrip() for one in words]
    with pytest.raises(RecordError) as error:
        parse_record("# variant: camelot\n1. D6-F8 " + "a " * MAX_LINE_LENGTH)
    assert (error.value.reason, error.value.line) == (Reason.TOO_LONG, 2)


def test_a_comment_with_what_nobody_types_is_written_and_read_without_it() -> None:
    game = Game.start(VARIANTS["camelot"])
    text = format_record(game, {}, [RecordComment(0, "A\0da\x1b[2J: \u202eyes\x85 two \ud800\r\nthree")])
    assert parse_record(text).comments == (RecordComment(0, "Ada[2J: yes\n two \nthree"),)
    assert clean_text(text) == text


@pytest.mark.parametrize(
    "kept",
    ["👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ é e\u0301 \u05d0\u200f", "می\u200cخواهم", "two\nlines\tand a tab", "\U00020000 \ufb01 \u2060"],
)
def test_what_people_type_stays_whole(kept: str) -> None:
    assert clean_text(kept) == kept


# The terminal, and positions as text


FEW = "camelot White White:NE6,E7 Black:E9,L12"


def test_variants(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["variants"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(VARIANTS)


@pytest.mark.parametrize("words", [[FEW], FEW.split(), ["camelot", FEW]])
def test_moves(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["moves", *words]) == 0
    *moves, summary = capsys.readouterr().out.splitlines()
    assert "E6-E8xE10" in moves
    assert summary == f"{len(moves)} outcomes. Unfinished; White to move."


def test_perft_counts_each_depth_and_divides_the_last(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "tri-camelot", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("depth 1: 36", "depth 2: 1296", 38)


@pytest.mark.parametrize("key", VARIANTS)
def test_show_prints_the_board(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", key]) == 0
    printed = capsys.readouterr().out
    board = printed.split("to move.")[0]
    assert sum(board.count(mark) for mark in ".WwBbRrGg") >= len(VARIANTS[key].board.names)


def test_check_accepts_a_good_record(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(RECORDS / "camelot-2009-championship-1.txt")]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "23 moves, all legal. Unfinished; Black to move."
    assert len(printed) == 6


def test_check_reads_a_file_that_begins_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text("# variant: camelot\n1. D6-F8 H11-F9\n", encoding="utf-8-sig")
    assert main(["check", str(path)]) == 0


def test_check_names_the_first_illegal_move_and_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.txt"
    path.write_text("# variant: camelot\n1. D6-F8 H11-F9\n2. C6-C9\n", encoding="utf-8")
    assert main(["check", str(path)]) == 1
    assert capsys.readouterr().err == f"{path}:3: move 2, C6-C9: too far for one step or leap: C6, C9\n"


@pytest.mark.parametrize(
    "argv",
    [
        ["moves", "chess"],
        ["moves", ""],
        ["show", "camelot", "nonsense"],
        ["perft", "camelot White White:E6 Black:E66", "1"],
        ["check", "no such file"],
        ["check", "."],
    ],
)
def test_mistakes_are_told_in_one_line_without_a_traceback(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 1
    captured = capsys.readouterr()
    assert (captured.out, len(captured.err.splitlines())) == ("", 1)


@pytest.mark.parametrize("argv", [[], ["dance"], ["perft", "camelot", "0"], ["perft", "camelot", "many"]])
def test_a_wrong_command_line_is_answered_with_its_usage(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    assert stopped.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_it_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "rules", "show", "cam-3d"], capture_output=True, text=True, check=True)
    assert "level 3" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this machine has no device that is always full")
def test_a_full_disk_is_told_in_one_line() -> None:
    words = [sys.executable, "-m", "rules", "perft", "cam", "1"]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith("standard output: ")
    assert "Traceback" not in ran.stderr


# Positions as text


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
