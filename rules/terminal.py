"""Input and output of the `python -m …` commands: reads UTF-8 and UTF-16, and writes UTF-8."""

from __future__ import annotations

import argparse
import codecs
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, or in UTF-16 with a byte order mark, as PowerShell's `>` writes it.

    Line ends become "\\n". Raises OSError, and UnicodeDecodeError for any other encoding.
    """
    content = path.read_bytes()
    has_mark = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return io.StringIO(content.decode("utf-16" if has_mark else "utf-8-sig"), newline=None).read()


def add_output(parser: argparse.ArgumentParser) -> None:
    """Adds the option `--output`, which writes the output of a command to a file."""
    parser.add_argument(
        "--output", metavar="FILE", type=Path, help="write to that file, in UTF-8, instead of the standard output"
    )


@contextmanager
def printing_to(file: Path | None) -> Iterator[None]:
    """Writes everything printed in the `with` block in UTF-8: to the file at the end, or to standard output if None.

    Without it, Windows limits redirected output to the letters of its code page. Leaves the file unchanged if the block
    raises. Raises OSError if the file cannot be written.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if file is None:
        yield
        return
    printed = io.StringIO()
    with redirect_stdout(printed):
        yield
    file.write_text(printed.getvalue(), encoding="utf-8", errors="backslashreplace", newline="\n")
