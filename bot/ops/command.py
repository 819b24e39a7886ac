"""The type of a subcommand, and functions that several subcommands share."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from environs import ValidationError

from bot.config import Settings, parse_file_argument
from bot.features import make_service
from bot.ops import sentences
from bot.ops.backup import find_earlier_trace
from bot.play.service import Service
from bot.store import Fault, Store, StoreError

ActResultT = TypeVar("ActResultT")
RunSubcommand = Callable[[Settings, argparse.Namespace], int]
"""Prints and returns the exit status; the caller prints its StoreErrors."""
AddArgument = Callable[[argparse.ArgumentParser], object]
FindMistake = Callable[[argparse.Namespace], str | None]
"""Returns what is wrong with arguments of which each is right by itself; None if nothing is."""


@dataclass(frozen=True, slots=True)
class Subcommand:
    """One subcommand."""

    name: str
    summary: str
    arguments: tuple[AddArgument, ...]
    description: str
    run: RunSubcommand
    needs_token: bool = True
    """Whether a missing or wrong DISCORD_TOKEN keeps it from running, as it keeps the bot."""
    find_mistake: FindMistake | None = None
    """None if all combinations of its arguments make sense."""


def subcommand(
    name: str,
    summary: str,
    *arguments: AddArgument,
    description: str = "",
    needs_token: bool = True,
    find_mistake: FindMistake | None = None,
) -> Callable[[RunSubcommand], Subcommand]:
    """Makes a subcommand of the function that runs it."""
    return lambda run: Subcommand(name, summary, arguments, description or summary, run, needs_token, find_mistake)


def command_argument(*names: str, **options: Any) -> AddArgument:
    """Declares an argument as `ArgumentParser.add_argument` does."""
    return lambda parser: parser.add_argument(*names, **options)


def discord_number(text: str) -> int:
    """Parses the id of a person or server; the database holds signed 64-bit numbers."""
    if not (text.isascii() and text.isdecimal() and 15 <= len(text) <= 19 and int(text) < 1 << 63):
        raise argparse.ArgumentTypeError(sentences.NO_NUMBER)
    return int(text)


def game_number(text: str) -> int:
    """Parses the number of a game or a league, which the database must be able to hold."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 18 and int(text)):
        raise argparse.ArgumentTypeError(sentences.NO_GAME_NUMBER)
    return int(text)


def file(text: str) -> Path:
    """Parses a file's path. Rejects an address, which may contain a password."""
    try:
        return parse_file_argument(text)
    except ValidationError as error:
        raise argparse.ArgumentTypeError(f"must be {error}") from None


def require_database(settings: Settings) -> None:
    """Raises StoreError, MISSING, if the database file is missing although an earlier one has left a trace."""
    path = settings.database
    if isinstance(path, Path) and not os.path.exists(path) and (trace := find_earlier_trace(path, settings.backups)):
        raise StoreError(Fault.MISSING, path, str(trace))


def run_on_store(settings: Settings, act: Callable[[Service], Awaitable[ActResultT]]) -> ActResultT:
    """Runs an act on the database and returns its result. Fails if a bot is running: the store is locked."""

    async def act_on_store() -> ActResultT:
        async with Store.open(settings.database, no_timeouts=True) as store:
            return await act(make_service(store))

    require_database(settings)
    return asyncio.run(act_on_store())
