"""`python -m rules`, as a person would use it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rules import VARIANTS
from rules.__main__ import main

RECORDS = Path(__file__).parent / "records"
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
