"""`python -m bot backup`: a verified copy of the database, also while the bot runs."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from bot.config import Settings
from bot.operations.backup import back_up, dated, prune
from bot.terminal import words
from bot.terminal.command import Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--keep", metavar="N", type=_positive, help="afterwards remove all dated copies but the latest N"
    )
    choice.add_argument(
        "file", metavar="FILE", nargs="?", type=Path, help="where to; without it a dated file in ROUNDTABLE_BACKUPS"
    )


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError("a number from 1")
    return int(text)


def _run(settings: Settings, arguments: argparse.Namespace) -> int:
    if arguments.file and arguments.file.exists():
        print(words.EXISTS.format(path=arguments.file))
        return 1
    target = arguments.file or dated(settings.backups, settings.database, datetime.now(UTC))
    back_up(settings.database, target)
    print(words.BACKED_UP.format(path=target))
    if arguments.keep:
        for path in prune(settings.backups, settings.database, arguments.keep):
            print(words.PRUNED.format(keep=arguments.keep, path=path))
    return 0


COMMAND = Command(
    "backup",
    "write a copy of the database and check it; the bot may run meanwhile",
    _run,
    _arguments,
)
