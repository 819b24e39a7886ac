"""`python -m bot ratings`: whether ratings and ladders are what comes out of the finished games."""

from __future__ import annotations

import argparse
import asyncio

from bot.config import Settings
from bot.service import Service
from bot.services.rebuilding import Rebuilt
from bot.store import Store
from bot.terminal import words
from bot.terminal.command import Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rebuild", action="store_true", help="put what comes out in the place of what is stored")


def _run(settings: Settings, arguments: argparse.Namespace) -> int:
    found = asyncio.run(_rebuild(settings, write=arguments.rebuild))
    print(words.REBUILT.format(games=found.games, ratings=found.ratings, ladders=found.ladders))
    if not found.differing:
        print(words.AGREES)
        return 0
    for table, rows in sorted(found.differing.items()):
        print(words.DIFFERS.format(table=table, rows=rows))
    print(words.REPLACED if arguments.rebuild else words.NOT_REPLACED)
    return 0 if arguments.rebuild else 1


async def _rebuild(settings: Settings, *, write: bool) -> Rebuilt:
    async with Store.open(settings.database) as store:
        return await Service(store).rebuild(write=write)


COMMAND = Command(
    "ratings",
    "compute all ratings and ladders again from the finished games; the bot must be stopped",
    _run,
    _arguments,
    "Computes all ratings, results and ladders again from the stories of the games, and says whether that is what is"
    " stored, to the last digit. Nothing is changed without --rebuild; the exit status is 1 then if anything differs."
    " The bot must be stopped.",
)
