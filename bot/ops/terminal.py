"""The subcommands of the terminal besides running the bot: `python -m bot NAME`.

To add a subcommand, write its function, whose docstring is its help, and name it in `_add_subcommands` below.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import json
import logging
import os
import re
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from getpass import getpass
from io import StringIO
from pathlib import Path
from typing import NoReturn, TypeVar

import aiohttp
import discord
import structlog
from dotenv import dotenv_values, set_key

from bot.config import DOTENV, Settings, UnfitValue, parse_database, parse_file_argument, parse_typed_token
from bot.discordkit.permissions import install_problems, invite_link
from bot.features import FEATURES, TABLES
from bot.ops import sentences
from bot.ops.backup import back_up, dated_path, prune_backups, restore_backup
from bot.ops.rebuild import rebuild_all
from bot.play.service import Service
from bot.play.service.games import export_games, import_records
from bot.store import Store, database_tables
from bot.store.connection import Address
from bot.texts.markup import one_line
from bot.texts.records import record_line, record_text
from bot.thoughts.service import export_annotated
from rules import RecordError
from rules.terminal import add_output, open_text, read_text
from rules.terminal_words import mistake_in_words

log = structlog.get_logger()

ActResultT = TypeVar("ActResultT")
ParsedT = TypeVar("ParsedT")
RunSubcommand = Callable[[Settings, argparse.Namespace], int]
"""Prints and returns the exit status; the caller prints its StoreErrors."""

_ADDRESS = re.compile(r"\S*:\S*@\S*|\S*password\s*=\s*\S*", re.IGNORECASE)


def _number(text: str, shortest: int, longest: int, sentence: str) -> int:
    if not (text.isascii() and text.isdecimal() and shortest <= len(text) <= longest and 0 < int(text) < 1 << 63):
        raise argparse.ArgumentTypeError(sentence)
    return int(text)


_discord_number = partial(_number, shortest=15, longest=19, sentence=sentences.NO_NUMBER)
"""Parses the id of a person or server; the database holds signed 64-bit numbers."""
_game_number = partial(_number, shortest=1, longest=18, sentence=sentences.NO_GAME_NUMBER)
"""Parses the number of a game."""


def _parsed(text: str, parse: Callable[[str], ParsedT]) -> ParsedT:
    try:
        return parse(text)
    except UnfitValue as error:
        raise argparse.ArgumentTypeError(f"must be {error}") from None


_file = partial(_parsed, parse=parse_file_argument)
"""Parses a file's path. Rejects an address, which may contain a password."""


def warn_of_new_database(settings: Settings) -> None:
    """Logs that the database file does not exist yet: its disk or volume may be missing."""
    if isinstance(settings.database, Path) and not os.path.exists(settings.database):
        log.warning("a new database is made", file=str(settings.database), do="If there was one, is its disk mounted?")


def run_on_store(settings: Settings, act: Callable[[Service], Awaitable[ActResultT]]) -> ActResultT:
    """Runs an act on the database and returns its result. Fails if a bot is running: the store is locked."""

    async def act_on_store() -> ActResultT:
        async with Store.open(settings.database, no_timeouts=True) as store:
            return await act(Service(store, FEATURES))

    warn_of_new_database(settings)
    return asyncio.run(act_on_store())


def _refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


def set_up_token(settings: Settings, arguments: argparse.Namespace) -> int:
    """Asks for the bot's token, checks it with Discord, and writes it into .env.

    The token is not shown. Prints the link that adds the bot to a server. Changes nothing if the token is refused or
    cannot be checked.
    """
    before = read_text(DOTENV) if DOTENV.exists() else ""
    question = "There is a token in .env already. Replace it? [y/N] "
    stored = dotenv_values(stream=StringIO(before), interpolate=False)
    if stored.get("DISCORD_TOKEN") and _ask(input, question).lower() not in ("y", "yes"):
        print(sentences.SETUP_KEPT)
        return 0
    try:
        token = parse_typed_token(_ask(getpass if sys.stdin.isatty() else input, sentences.SETUP_QUESTION))
    except UnfitValue as error:
        return _refuse(f"That is no token: it must be {error}. Nothing has been changed.")
    logging.disable(logging.WARNING)  # discord.py warns of what a login by REST does not need
    if settings.sandbox_url:
        from sandbox import point_discord_at  # which every start would wait for

        point_discord_at(settings.sandbox_url)
    try:
        application = asyncio.run(_ask_application(token))
    except discord.LoginFailure:
        return _refuse(sentences.REFUSED)
    except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
        return _refuse(f"Discord cannot be asked: {error or type(error).__name__}. Nothing has been changed.")
    print(f"Discord knows the bot as {one_line(application.name)}.")
    why = _write_token(token)
    if why:
        print(f"{DOTENV} {why}. Write this line there yourself, with the token for the dots: DISCORD_TOKEN=…")
    else:
        print(f"Its token is in {DOTENV}, which only you may read.")
    for problem in install_problems(application):
        print(problem)
    if os.environ.get("DISCORD_TOKEN", token) != token:
        print(sentences.SETUP_OUTRANKED)
    print(f"Add the bot to your server: {invite_link(application.id)}")
    print("Then start it by the same command without `setup`.")
    return 1 if why else 0


def _write_token(token: str) -> str:
    """Writes the token into `.env`; returns what keeps it from that, or nothing."""
    try:
        DOTENV.touch()
        DOTENV.chmod(0o600)  # `set_key` keeps the mode
        set_key(DOTENV, "DISCORD_TOKEN", token, quote_mode="never", follow_symlinks=True)
    except ValueError:
        return "is not in UTF-8"
    except OSError as error:
        return f"cannot be written ({error.strerror})"
    return ""


def _ask(read: Callable[[str], str], question: str) -> str:
    """Returns the answer; empty if the input has ended."""
    try:
        return read(question).strip()
    except EOFError:
        return ""


async def _ask_application(token: str) -> discord.AppInfo:
    """Logs in by REST alone, which costs no session."""
    async with discord.Client(intents=discord.Intents.none()) as client:
        await client.login(token)
        return await client.application_info()


def _back_up(settings: Settings, arguments: argparse.Namespace) -> int:
    """Writes a copy of the database and checks it; the bot may keep running."""
    if isinstance(settings.database, Address):
        return _refuse(sentences.NOT_OURS_TO_COPY.format(path=settings.database))
    if arguments.file and arguments.file.exists():
        return _refuse(f"{arguments.file} is there already, and has been left alone. Give another name.")
    target = arguments.file or dated_path(settings.backups, settings.database, datetime.now(UTC))
    back_up(settings.database, target)
    print(f"{target}: a copy of the database, read back and found whole.")
    if arguments.keep:
        for path in prune_backups(settings.backups, settings.database, arguments.keep, datetime.now(UTC)):
            print(f"Removed as older than the latest {arguments.keep}: {path}")
    return 0


def _restore(settings: Settings, arguments: argparse.Namespace) -> int:
    """Puts a backup in the place of the database, which is kept beside it; the bot must be stopped."""
    if isinstance(settings.database, Address):
        return _refuse(sentences.NOT_OURS_TO_COPY.format(path=settings.database))
    aside = restore_backup(arguments.file, settings.database, datetime.now(UTC))
    print(f"The database is {arguments.file} again. Start the bot, and the games go on from there.")
    if aside:
        print(f"The one before is kept as {aside}.")
    return 0


def _print_progress(table: str, rows: int) -> None:
    print(f"{table}: {rows} rows", flush=True)


def _move(settings: Settings, arguments: argparse.Namespace) -> int:
    """Copies the whole database to PostgreSQL, or from there into a file; the bot must be stopped.

    Compares both row by row, and computes the ratings of the copy again. The target must be empty. If it is
    interrupted, it copies nothing; run it again. Afterwards set ROUNDTABLE_DB to the target.
    """
    source, target = settings.database, arguments.target
    warn_of_new_database(settings)
    moved = asyncio.run(database_tables.copy_all_tables(source, target, TABLES, _print_progress))
    print(f"{source} is copied to {target}: {sum(moved.values())} rows, {moved['events']} of them events.")
    print("All rows were read back, and are the same. Set ROUNDTABLE_DB to the target before the next start.")
    return _compute_ratings(replace(settings, database=target), argparse.Namespace(rebuild=False))


def _forget(settings: Settings, arguments: argparse.Namespace) -> int:
    """Deletes everything stored about a person; finished games stay, without the name; the bot must be stopped.

    As /me data does. The person leaves the games in progress; those that are over keep an anonymous player. The bot
    tells the other players at its next start. Backups made before still have everything: delete those as well.
    """
    from bot.privacy.service import forget_person  # a bot without the feature has the other commands

    match_ids = run_on_store(settings, lambda service: forget_person(service, arguments.user, int(time.time())))
    print(sentences.FORGOTTEN.format(user=arguments.user, count=len(match_ids)))
    return 0


def _write_data(settings: Settings, arguments: argparse.Namespace) -> int:
    """Writes everything stored about a person to the standard output; the bot must be stopped.

    JSON with the records of their games: what /me data hands over, for somebody who cannot use the bot any more.
    """
    from bot.privacy.service import export_person  # as above

    exported = run_on_store(settings, lambda service: export_person(service, arguments.user))
    print(json.dumps(exported, indent=2, ensure_ascii=False))
    return 0


def _compute_ratings(settings: Settings, arguments: argparse.Namespace) -> int:
    """Computes all ratings and ladders again from the finished games; the bot must be stopped.

    Says whether that is what is stored, to the last digit. Nothing is changed without --rebuild; the exit status is 1
    then if anything differs.
    """
    report = run_on_store(settings, lambda service: rebuild_all(service, write=arguments.rebuild))
    print(f"Computed again from {report.games} finished games: {report.ratings} ratings, {report.ladders} ladders.")
    if not report.differing:
        print(sentences.AGREES)
        return 0
    for table, rows in sorted(report.differing.items()):
        print(f"{table}: {rows} rows differ.")
    if arguments.rebuild:
        print("What came out is stored now.")
        return 0
    print("Nothing has been changed. --rebuild puts what came out in its place.")
    return 1


def _examine(settings: Settings, _: argparse.Namespace) -> int:
    """Looks at settings, database, backups, clock and permissions, and says what to do.

    The bot may keep running. The exit status is 1 if something keeps the bot from working, else 0.
    """
    from bot.ops.doctor import Severity, run_checks  # imports the sandbox, which every start would wait for

    findings = asyncio.run(run_checks(settings))
    for finding in findings:
        print(finding)
    return 1 if any(finding.level is Severity.FAULT for finding in findings) else 0


def _export(settings: Settings, arguments: argparse.Namespace) -> int:
    """Writes all games that have begun to the standard output; the bot must be stopped.

    As text that `python -m rules check` replays. Players appear as their Discord ids.
    """
    number, guild = arguments.game, arguments.guild
    if arguments.annotated:
        annotated = run_on_store(settings, lambda service: export_annotated(service, guild, number))
        if number is not None and not annotated:
            return _refuse(sentences.NOT_ANNOTATED.format(number=number))
        sys.stdout.write("\n".join(record_text(game.match, comments=game.record_comments()) for game in annotated))
        return 0
    games = run_on_store(settings, lambda service: export_games(service, guild, match_id=number))
    if number is not None and not games:
        return _refuse(sentences.NO_GAME.format(number=number))
    if arguments.json:
        sys.stdout.writelines(record_line(game) for game in games)
    else:
        sys.stdout.write("\n".join(record_text(game) for game in games))
    return 0


def _import(settings: Settings, arguments: argparse.Namespace) -> int:
    """Takes records of games played elsewhere into the archive; the bot must be stopped.

    They are not rated. Each is replayed first; one illegal move, and nothing is taken.
    """
    path, guild = arguments.file, arguments.guild
    try:
        with open_text(path) as records:
            counts = run_on_store(settings, lambda service: import_records(service, records, guild))
    except UnicodeDecodeError:
        return _refuse(f"{path} is not text in UTF-8. Nothing has been taken.")
    except RecordError as error:
        return _refuse(f"{path}:{error.line}: {mistake_in_words(error)}. Nothing has been taken.")
    print(f"Games taken into the archive: {counts.new}. Those that were there already: {counts.known}.")
    return 0


def _add_subcommands(add: Callable[[str, RunSubcommand], argparse.ArgumentParser]) -> None:
    """Adds the subcommands by calls of `add`, and to each its arguments."""
    add("setup", set_up_token)
    add("doctor", _examine)
    choice = add("backup", _back_up).add_mutually_exclusive_group()
    choice.add_argument(
        "--keep", metavar="N", type=_game_number, help="afterwards remove all dated copies but the latest N"
    )
    choice.add_argument(
        "file", metavar="FILE", nargs="?", type=_file, help="where to; without it a dated file in ROUNDTABLE_BACKUPS"
    )
    restore = add("restore", _restore)
    restore.add_argument("file", metavar="FILE", type=_file, help="the copy; it is checked first, and stays there")
    move = add("move-to", _move)
    target = partial(_parsed, parse=parse_database)
    move.add_argument("target", metavar="URL|FILE", type=target, help="a new database: empty, or not there yet")
    data, forget = add("data", _write_data), add("forget", _forget)
    add_output(data)
    number = "the person's number: in Discord, switch on the developer mode and choose Copy User ID"
    for parser in (data, forget):
        parser.add_argument("user", metavar="USER", type=_discord_number, help=number)
    ratings = add("ratings", _compute_ratings)
    ratings.add_argument("--rebuild", action="store_true", help="put what comes out in the place of what is stored")
    export = add("export", _export)
    export.add_argument(
        "--guild", metavar="N", type=_discord_number, help="only games of that server: its number in Discord"
    )
    export.add_argument("--game", metavar="N", type=_game_number, help="only the game of that number")
    form = export.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="a line of JSON for each game instead of text")
    annotated = "only finished games with shared thoughts, which stand in braces after the moves"
    form.add_argument("--annotated", action="store_true", help=annotated)
    add_output(export)
    records = add("import", _import)
    records.add_argument("file", metavar="FILE", type=_file, help="records as text, or a line of JSON each")
    records.add_argument(
        "--guild", metavar="N", type=_discord_number, help="only for that server; without it for every one"
    )


class _Parser(argparse.ArgumentParser):
    """Complains without repeating an address, which may contain a password."""

    def error(self, message: str) -> NoReturn:
        """Prints what is wrong, and exits."""
        super().error(_ADDRESS.sub("[hidden]", message))


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Returns the arguments; their `run` is the function of the subcommand, None for running the bot. Prints and exits
    for `--help` and for bad arguments."""
    parser = _Parser(
        prog="python -m bot",
        description="Runs Round Table: in Discord with DISCORD_TOKEN, in a sandbox in your browser without it.",
        epilog="Settings come from the environment and from a file .env; .env.example explains them all.",
    )
    parser.set_defaults(run=None)
    named = parser.add_subparsers(metavar="COMMAND", title="instead of running the bot")

    def add_subcommand(name: str, run: RunSubcommand) -> argparse.ArgumentParser:
        description = inspect.getdoc(run) or ""
        added = named.add_parser(name, help=description.partition("\n")[0], description=description)
        added.set_defaults(run=run)
        return added

    _add_subcommands(add_subcommand)
    return parser.parse_args(arguments)
