"""`python -m bot export` and `python -m bot import FILE`: games as portable records, to elsewhere and from there."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path

from bot.config import Settings
from bot.match.results import Exported
from bot.ops import sentences as words
from bot.ops.command import Command
from bot.service import Service
from bot.service.archive import Imported
from bot.store import Store
from bot.texts.records import record_line, record_text
from rules import RecordError


def _export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--guild", metavar="N", type=int, help="only the games of that server: its number in Discord")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each game instead of text")


def _export(settings: Settings, arguments: argparse.Namespace) -> int:
    games = asyncio.run(_games(settings, arguments.guild))
    if arguments.json:
        sys.stdout.writelines(record_line(game) for game in games)
    else:
        sys.stdout.write("\n".join(record_text(game) for game in games))
    return 0


async def _games(settings: Settings, guild: int | None) -> tuple[Exported, ...]:
    async with Store.open(settings.database) as store:
        return await Service(store).archive.export_games(guild)


EXPORT = Command(
    "export",
    "write all games that have begun to the standard output; the bot must be stopped",
    _export,
    _export_arguments,
    "Writes all games that have begun to the standard output, as text that `python -m rules check` replays. Players are"
    " told by their numbers in Discord. The bot must be stopped.",
)


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="records as text, or a line of JSON each")
    parser.add_argument("--guild", metavar="N", type=int, help="only for that server; without it for every one")


def _run_import(settings: Settings, arguments: argparse.Namespace) -> int:
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
        return await Service(store).archive.import_records(text, int(time.time()), guild)


IMPORT = Command(
    "import",
    "take records of games played elsewhere into the archive; the bot must be stopped",
    _run_import,
    _import_arguments,
    "Takes records of games played elsewhere into the archive, where they are not rated. Each is replayed first; one"
    " illegal move, and nothing is taken. The bot must be stopped.",
)
