"""`python -m bot backup`, `restore`, `forget`, `ratings` and `doctor`: what the operator does beside the bot."""

from __future__ import annotations

import argparse
import asyncio
import time
from datetime import UTC, datetime
from pathlib import Path

from bot.config import Settings
from bot.ops import sentences as words
from bot.ops.backup import back_up, dated, prune, restore
from bot.ops.command import Command
from bot.ops.doctor import Level, look_around
from bot.service import Service
from bot.service.results import Rebuilt
from bot.store import Store


def _backup_arguments(parser: argparse.ArgumentParser) -> None:
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


def _backup(settings: Settings, arguments: argparse.Namespace) -> int:
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


BACKUP = Command(
    "backup", "write a copy of the database and check it; the bot may run meanwhile", _backup, _backup_arguments
)


def _restore_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="the copy; it is checked first, and stays where it is")


def _restore(settings: Settings, arguments: argparse.Namespace) -> int:
    aside = restore(arguments.file, settings.database, datetime.now(UTC))
    print(words.RESTORED.format(file=arguments.file))
    if aside:
        print(words.SET_ASIDE.format(path=aside))
    return 0


RESTORE = Command(
    "restore",
    "put a backup in the place of the database, which is kept beside it; the bot must be stopped",
    _restore,
    _restore_arguments,
)


def _user(text: str) -> int:
    """A person's number in Discord. Raises ValueError, which argparse tells."""
    if not (text.isascii() and text.isdecimal() and 15 <= len(text) <= 20):
        raise ValueError(text)
    return int(text)


def _forget_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "user",
        metavar="USER",
        type=_user,
        help="the person's number: in Discord, switch on the developer mode and choose Copy User ID",
    )


def _run_forget(settings: Settings, arguments: argparse.Namespace) -> int:
    named = asyncio.run(_forget(settings, arguments.user))
    print(words.FORGOTTEN.format(user=arguments.user, count=named))
    return 0


async def _forget(settings: Settings, user: int) -> int:
    """How many games named that person. The store's lock keeps a running bot from being worked under."""
    async with Store.open(settings.database) as store:
        return len(await Service(store).privacy.forget(user, int(time.time())))


FORGET = Command(
    "forget",
    "delete what is kept of a person; finished games stay, without the name; the bot must be stopped",
    _run_forget,
    _forget_arguments,
    "Deletes what is kept of a person, as /data delete does. Games that are on, the person leaves; those that are"
    " over keep an anonymous player. The bot must be stopped, and tells the other players at its next start."
    " Backups made before still have everything: delete those as well.",
)


def _ratings_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rebuild", action="store_true", help="put what comes out in the place of what is stored")


def _ratings(settings: Settings, arguments: argparse.Namespace) -> int:
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
        return await Service(store).results.rebuild(write=write)


RATINGS = Command(
    "ratings",
    "compute all ratings and ladders again from the finished games; the bot must be stopped",
    _ratings,
    _ratings_arguments,
    "Computes all ratings, results and ladders again from the stories of the games, and says whether that is what is"
    " stored, to the last digit. Nothing is changed without --rebuild; the exit status is 1 then if anything differs."
    " The bot must be stopped.",
)


def _doctor(settings: Settings, arguments: argparse.Namespace) -> int:
    from bot.ops.doctor_discord import ask_discord  # brings the sandbox in, which every start would wait for

    findings = [*look_around(settings), *asyncio.run(ask_discord(settings))]
    for finding in findings:
        print(finding)
    return 1 if any(finding.level is Level.FAULT for finding in findings) else 0


DOCTOR = Command(
    "doctor",
    "look at settings, database, backups, clock, commands and permissions, and say what to do",
    _doctor,
    description="Looks at everything that can be wrong, and says what to do. The bot may run meanwhile. The exit status"
    " is 1 if something keeps the bot from working, else 0.",
)
