"""`python -m bot forget USER`: what is kept of a person is deleted, for those who ask outside of Discord."""

from __future__ import annotations

import argparse
import asyncio
import time

from bot.config import Settings
from bot.service import Service
from bot.store import Store
from bot.terminal import words
from bot.terminal.command import Command


def _user(text: str) -> int:
    """A person's number in Discord. Raises ValueError, which argparse tells."""
    if not (text.isascii() and text.isdecimal() and 15 <= len(text) <= 20):
        raise ValueError(text)
    return int(text)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "user",
        metavar="USER",
        type=_user,
        help="the person's number: in Discord, switch on the developer mode and choose Copy User ID",
    )


def _run(settings: Settings, arguments: argparse.Namespace) -> int:
    named = asyncio.run(_forget(settings, arguments.user))
    print(words.FORGOTTEN.format(user=arguments.user, count=named))
    return 0


async def _forget(settings: Settings, user: int) -> int:
    """How many games named that person. The store's lock keeps a running bot from being worked under."""
    async with Store.open(settings.database) as store:
        return len(await Service(store).forget(user, int(time.time())))


COMMAND = Command(
    "forget",
    "delete what is kept of a person; finished games stay, without the name; the bot must be stopped",
    _run,
    _arguments,
    "Deletes what is kept of a person, as /data delete does. Games that are on, the person leaves; those that are"
    " over keep an anonymous player. The bot must be stopped, and tells the other players at its next start."
    " Backups made before still have everything: delete those as well.",
)
