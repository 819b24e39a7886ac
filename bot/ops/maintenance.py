"""The operator's subcommands for the database: `python -m bot backup`, `restore`, `move-to`, `data`, `forget` …"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime

from environs import ValidationError

from bot.config import Settings, parse_database
from bot.features import TABLES
from bot.ops import sentences
from bot.ops.backup import back_up, create_empty_database, dated_path, prune_backups, restore_backup
from bot.ops.command import command_argument, discord_number, file, require_database, run_on_store, subcommand
from bot.ops.doctor import check_machine
from bot.ops.doctor_checks import Severity
from bot.store import copying
from bot.store.address import Address, Database
from rules.terminal import add_output


def _keep_or_file(parser: argparse.ArgumentParser) -> None:
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--keep", metavar="N", type=_positive_number, help="afterwards remove all dated copies but the latest N"
    )
    choice.add_argument(
        "file", metavar="FILE", nargs="?", type=file, help="where to; without it a dated file in ROUNDTABLE_BACKUPS"
    )


def _positive_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError("a number from 1")
    return int(text)


@subcommand("backup", "write a copy of the database and check it; the bot may keep running", _keep_or_file)
def backup_command(settings: Settings, arguments: argparse.Namespace) -> int:
    """Backs up the database, and prunes old backups."""
    if isinstance(settings.database, Address):
        print(sentences.NOT_OURS_TO_COPY.format(path=settings.database), file=sys.stderr)
        return 1
    if arguments.file and arguments.file.exists():
        print(sentences.EXISTS.format(path=arguments.file), file=sys.stderr)
        return 1
    now = datetime.now(UTC)
    target = arguments.file or dated_path(settings.backups, settings.database, now)
    back_up(settings.database, target)
    print(sentences.BACKED_UP.format(path=target))
    if arguments.keep:
        for path in prune_backups(settings.backups, settings.database, arguments.keep, now):
            print(sentences.PRUNED.format(keep=arguments.keep, path=path))
    return 0


@subcommand(
    "restore",
    "put a backup in the place of the database, which is kept beside it; the bot must be stopped",
    command_argument("file", metavar="FILE", type=file, help="the copy; it is checked first, and stays where it is"),
)
def restore_command(settings: Settings, arguments: argparse.Namespace) -> int:
    """Replaces the database by a backup."""
    if isinstance(settings.database, Address):
        print(sentences.NOT_OURS_TO_COPY.format(path=settings.database), file=sys.stderr)
        return 1
    aside = restore_backup(arguments.file, settings.database, datetime.now(UTC))
    print(sentences.RESTORED.format(file=arguments.file))
    if aside:
        print(sentences.SET_ASIDE.format(path=aside))
    return 0


@subcommand(
    "begin",
    "begin an empty database where an earlier one is missing; the bot must be stopped",
    description="Begins an empty database where the file named by ROUNDTABLE_DB is missing. A start does so by itself"
    " only where there has never been one: else the file may only be away, with all games in it.",
)
def begin_anew(settings: Settings, arguments: argparse.Namespace) -> int:
    """Creates an empty database if there is none."""
    if isinstance(settings.database, Address):
        print(sentences.NOT_OURS_TO_COPY.format(path=settings.database), file=sys.stderr)
        return 1
    if settings.database.exists():
        print(sentences.EXISTS.format(path=settings.database), file=sys.stderr)
        return 1
    create_empty_database(settings.database, datetime.now(UTC))
    print(sentences.BEGUN.format(path=settings.database))
    return 0


def _parse_database(text: str) -> Database:
    try:
        return parse_database(text)
    except ValidationError as error:
        raise argparse.ArgumentTypeError(f"must be {error}") from None


def _print_progress(table: str, rows: int) -> None:
    print(sentences.MOVING.format(table=table, rows=rows), flush=True)


@subcommand(
    "move-to",
    "copy the whole database to PostgreSQL, or from there into a file; the bot must be stopped",
    command_argument(
        "target", metavar="URL|FILE", type=_parse_database, help="a new database: empty, or not there yet"
    ),
    description="Copies the whole database to another one, of PostgreSQL's by its address or of SQLite's by its file,"
    " compares both row by row, and computes the ratings of the copy again. The target must be empty. If it is"
    " interrupted, it copies nothing; run it again. Afterwards set ROUNDTABLE_DB to the target.",
)
def move_command(settings: Settings, arguments: argparse.Namespace) -> int:
    """Copies the database to another one, of either engine."""
    source, target = settings.database, arguments.target
    require_database(settings)
    try:
        moved = asyncio.run(copying.copy_all_tables(source, target, TABLES, _print_progress))
    except copying.NotEmptyError:
        print(sentences.NOT_EMPTY.format(path=target), file=sys.stderr)
        return 1
    except copying.DiffersError as error:
        print(sentences.NOT_THE_SAME.format(table=error.table), file=sys.stderr)
        return 1
    print(
        sentences.DATABASE_MOVED.format(source=source, target=target, rows=sum(moved.values()), events=moved["events"])
    )
    print(sentences.COMPARED)
    return ratings_command.run(replace(settings, database=target), argparse.Namespace(rebuild=False))


_USER_ARGUMENT = command_argument(
    "user",
    metavar="USER",
    type=discord_number,
    help="the person's number: in Discord, switch on the developer mode and choose Copy User ID",
)


@subcommand(
    "forget",
    "delete everything stored about a person; finished games stay, without the name; the bot must be stopped",
    _USER_ARGUMENT,
    description="Deletes everything stored about a person, as /me data does. The person leaves the games in"
    " progress; those that are over keep an anonymous player. The bot must be stopped, and tells the other players"
    " at its next start. Backups made before still have everything: delete those as well.",
)
def forget_command(settings: Settings, arguments: argparse.Namespace) -> int:
    """Forgets a person."""
    from bot.privacy.service import Privacy  # a bot without the feature has the other commands

    match_ids = run_on_store(
        settings, lambda service: service.part(Privacy).forget_person(arguments.user, int(time.time()))
    )
    print(sentences.FORGOTTEN.format(user=arguments.user, count=len(match_ids)))
    return 0


@subcommand(
    "data",
    "write everything stored about a person to the standard output; the bot must be stopped",
    _USER_ARGUMENT,
    add_output,
    description="Writes everything stored about a person to the standard output, as JSON with the records of their"
    " games: what /me data hands over, for somebody who cannot use the bot any more. The bot must be stopped.",
)
def data_command(settings: Settings, arguments: argparse.Namespace) -> int:
    """Writes everything stored about a person."""
    from bot.privacy.service import Privacy  # a bot without the feature has the other commands

    exported = run_on_store(settings, lambda service: service.part(Privacy).export_person(arguments.user))
    print(json.dumps(exported, indent=2, ensure_ascii=False))
    return 0


@subcommand(
    "ratings",
    "compute all ratings and ladders again from the finished games; the bot must be stopped",
    command_argument("--rebuild", action="store_true", help="put what comes out in the place of what is stored"),
    description="Computes all ratings, results and ladders again from the stories of the games, and says whether that"
    " is what is stored, to the last digit. Nothing is changed without --rebuild; the exit status is 1 then if anything"
    " differs. The bot must be stopped.",
)
def ratings_command(settings: Settings, arguments: argparse.Namespace) -> int:
    """Rebuilds everything derived from finished games."""
    report = run_on_store(settings, lambda service: service.results.rebuild_all(write=arguments.rebuild))
    print(sentences.REBUILT.format(games=report.games, ratings=report.ratings, ladders=report.others.get("ladders", 0)))
    if not report.differing:
        print(sentences.AGREES)
        return 0
    for table, rows in sorted(report.differing.items()):
        print(sentences.DIFFERS.format(table=table, rows=rows))
    print(sentences.REPLACED if arguments.rebuild else sentences.NOT_REPLACED)
    return 0 if arguments.rebuild else 1


@subcommand(
    "doctor",
    "look at settings, database, backups, clock, commands and permissions, and say what to do",
    description="Looks at everything that can be wrong, and says what to do. The bot may keep running. The exit status"
    " is 1 if something keeps the bot from working, else 0.",
)
def doctor_command(settings: Settings, arguments: argparse.Namespace) -> int:
    """Prints the findings of the doctor."""
    from bot.ops.doctor_database import ask_postgresql, check_stored_names  # imports the games, as below
    from bot.ops.doctor_discord import ask_discord  # imports the sandbox, which every start would wait for

    findings = [*check_machine(settings)]
    if isinstance(settings.database, Address):
        findings += asyncio.run(ask_postgresql(settings.database))
    findings += asyncio.run(check_stored_names(settings.database))
    findings += asyncio.run(ask_discord(settings))
    for finding in findings:
        print(finding)
    return 1 if any(finding.level is Severity.FAULT for finding in findings) else 0
