"""`python -m bot import FILE`: games played elsewhere into the archive."""

from __future__ import annotations

import argparse
import asyncio
import time
from pathlib import Path

from bot.config import Settings
from bot.service import Service
from bot.services.archive import Imported
from bot.store import Store
from bot.terminal import words
from bot.terminal.command import Command
from rules import RecordError


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="records as text, or a line of JSON each")
    parser.add_argument("--guild", metavar="N", type=int, help="only for that server; without it for every one")


def _run(settings: Settings, arguments: argparse.Namespace) -> int:
    path: Path = arguments.file
    try:
        text = path.read_text(encoding="utf-8")
        brought = asyncio.run(_import(settings, text, arguments.guild))
    except UnicodeDecodeError:
        print(words.NOT_TEXT.format(path=path))
        return 1
    except RecordError as error:
        move = error.entry.move if error.entry and error.entry.move else error.text
        print(words.BAD_RECORD.format(path=path, line=error.line, move=move, reason=error.reason.value))
        return 1
    print(words.IMPORTED.format(new=brought.new, known=brought.known))
    return 0


async def _import(settings: Settings, text: str, guild: int | None) -> Imported:
    async with Store.open(settings.database) as store:
        return await Service(store).import_records(text, int(time.time()), guild)


COMMAND = Command(
    "import",
    "take records of games played elsewhere into the archive; the bot must be stopped",
    _run,
    _arguments,
    "Takes records of games played elsewhere into the archive, where they are not rated. Each is replayed first; one"
    " illegal move, and nothing is taken. The bot must be stopped.",
)
