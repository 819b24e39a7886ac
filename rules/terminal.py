"""What each `python -m …` needs of files and terminals: text is read whatever has written it, and written in UTF-8."""

from __future__ import annotations

import argparse
import codecs
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, or in UTF-16 with its byte order mark, as PowerShell's `>` writes it.

    Lines end in "\\n". Raises OSError, and UnicodeDecodeError where it is neither.
    """
    content = path.read_bytes()
    has_mark = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return io.StringIO(content.decode("utf-16" if has_mark else "utf-8-sig"), newline=None).read()


def add_output(parser: argparse.ArgumentParser) -> None:
    """Lets a command write what it prints to a file instead."""
    parser.add_argument(
        "--output", metavar="FILE", type=Path, help="write to that file, in UTF-8, instead of the standard output"
    )


@contextmanager
def printing_to(file: Path | None) -> Iterator[None]:
    """Writes in UTF-8 what is printed meanwhile: to the file, at the end; None: to the standard output.

    Without this, Windows has only the letters of its code page for output that goes to a file or a pipe. The file is
    left as it was where anything is raised. Raises OSError where it cannot be written.
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
