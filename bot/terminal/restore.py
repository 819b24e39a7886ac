"""`python -m bot restore FILE`: a backup in the place of the database."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from bot.config import Settings
from bot.operations.backup import restore
from bot.terminal import words
from bot.terminal.command import Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="the copy; it is checked first, and stays where it is")


def _run(settings: Settings, arguments: argparse.Namespace) -> int:
    aside = restore(arguments.file, settings.database, datetime.now(UTC))
    print(words.RESTORED.format(file=arguments.file))
    if aside:
        print(words.SET_ASIDE.format(path=aside))
    return 0


COMMAND = Command(
    "restore",
    "put a backup in the place of the database, which is kept beside it; the bot must be stopped",
    _run,
    _arguments,
)
