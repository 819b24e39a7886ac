"""Text files and output as Windows makes them: code pages, UTF-16 and byte order marks."""

from __future__ import annotations

import codecs
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from engine.__main__ import main as engine
from rules.__main__ import main
from rules.terminal import printing_to, read_text

BRANCHED = """# variant: camelot
1. D6-F8 H11-F9
# variation Żółw ♞ after 1: 1... C11-C10
"""


@pytest.mark.parametrize(
    "content",
    [
        "Ærlig\n♞\n".encode(),
        "Ærlig\r\n♞\r\n".encode(),
        "Ærlig\n♞\n".encode("utf-8-sig"),
        codecs.BOM_UTF16_LE + "Ærlig\r\n♞\r\n".encode("utf-16-le"),  # PowerShell's `>`
        codecs.BOM_UTF16_BE + "Ærlig\n♞\n".encode("utf-16-be"),
    ],
)
def test_a_file_is_read_whatever_has_written_it(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    assert read_text(path) == "Ærlig\n♞\n"


@pytest.mark.parametrize("content", [b"\xe6rlig", codecs.BOM_UTF16_LE + b"a", codecs.BOM_UTF16_LE + b"\x00\xd8"])
def test_other_bytes_are_no_text(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    with pytest.raises(UnicodeDecodeError):
        read_text(path)


def test_printed_text_goes_to_the_file_as_utf_8_wherever_possible(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.txt"
    with printing_to(path):
        print("♞")
    assert path.read_bytes() == "♞\n".encode()
    with suppress(KeyError), printing_to(path):
        print("half")
        raise KeyError
    assert path.read_bytes() == "♞\n".encode()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_the_standard_output_is_utf_8_whatever_the_code_page(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "game.txt"
    path.write_text(BRANCHED, encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run([sys.executable, "-m", "rules", "check", path], capture_output=True, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "variation Żółw ♞ after 1: 2 moves" in done.stdout.decode("utf-8")


def test_each_command_writes_to_a_file_instead(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "game.txt"
    record.write_text(BRANCHED, encoding="utf-8")
    few = "camelot White White:NE6,E7 Black:E9,L12"
    for run, words in (
        (main, ["variants"]),
        (main, ["moves", few]),
        (main, ["perft", "camelot", "1"]),
        (main, ["show", "cam-3d"]),
        (main, ["check", str(record)]),
        (engine, ["move", "--level", "easy", "camette"]),
        (engine, ["solve", "1", few]),
    ):
        assert run(words) == 0
        printed, path = capsys.readouterr().out, tmp_path / "out.txt"
        assert run([*words, "--output", str(path)]) == 0
        assert capsys.readouterr().out == ""
        assert path.read_text("utf-8") == printed


@pytest.mark.parametrize("run", [main, engine])
def test_a_file_that_cannot_be_written_is_named(
    tmp_path: Path, run: Callable[[list[str]], int], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["moves", "camette"] if run is main else ["move", "--level", "easy", "camette"]
    assert run([*words, "--output", str(tmp_path)]) == 1
    assert str(tmp_path) in capsys.readouterr().err
