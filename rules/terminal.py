"""Input and output of the `python -m …` commands: reads UTF-8 and UTF-16, and writes UTF-8."""

from __future__ import annotations

import argparse
import codecs
import errno
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TextIO

MAX_TEXT_LENGTH = 1_000_000
"""The most characters of a file that is read whole."""


def open_text(path: Path) -> TextIO:
    """Opens a file in UTF-8, or in UTF-16 with a byte order mark, as PowerShell's `>` writes it.

    Line ends become "\\n". Raises OSError, also for a pipe or a device, which might never end; reading raises
    UnicodeDecodeError for any other encoding.
    """
    require_plain_file(path)
    with path.open("rb") as file:
        has_mark = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return path.open(encoding="utf-16" if has_mark else "utf-8-sig")


def require_plain_file(path: Path) -> None:
    """Raises OSError unless the path leads to a plain file: to open a pipe may take forever."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "Not a plain file", str(path))


def read_text(path: Path) -> str:
    """The text of a file that `open_text` opens. Raises its errors, and OSError if it has over MAX_TEXT_LENGTH."""
    with open_text(path) as file:
        text = file.read(MAX_TEXT_LENGTH + 1)
    if len(text) > MAX_TEXT_LENGTH:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return text


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
