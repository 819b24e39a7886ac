"""`python -m bot export`: games as portable records, for other programs and for `python -m rules check`."""

from __future__ import annotations

import argparse
import asyncio
import sys

from bot.config import Settings
from bot.records import Exported, record_line, record_text
from bot.service import Service
from bot.store import Store
from bot.terminal.command import Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--guild", metavar="N", type=int, help="only the games of that server: its number in Discord")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each game instead of text")


def _run(settings: Settings, arguments: argparse.Namespace) -> int:
    games = asyncio.run(_games(settings, arguments.guild))
    if arguments.json:
        sys.stdout.writelines(record_line(game) for game in games)
    else:
        sys.stdout.write("\n".join(record_text(game) for game in games))
    return 0


async def _games(settings: Settings, guild: int | None) -> tuple[Exported, ...]:
    async with Store.open(settings.database) as store:
        return await Service(store).export_games(guild)


COMMAND = Command(
    "export",
    "write all games that have begun to the standard output; the bot must be stopped",
    _run,
    _arguments,
    "Writes all games that have begun to the standard output, as text that `python -m rules check` replays. Players are"
    " told by their numbers in Discord. The bot must be stopped.",
)
