"""`python -m bot export` and `python -m bot import FILE`: games as portable records."""

from __future__ import annotations

import argparse
import sys
import time

from bot.config import Settings
from bot.ops import sentences
from bot.ops.command import command_argument, discord_number, file, game_number, run_on_store, subcommand
from bot.texts.records import record_line, record_text
from rules import RecordError
from rules.terminal import add_output, open_text
from rules.terminal_words import mistake_in_words

_EXCLUSIVE = (
    ("json", "annotated"),
    ("json", "csv"),
    ("annotated", "csv"),
    ("league", "annotated"),
    ("league", "game"),
    ("league", "guild"),
)
"""Options of an export that exclude each other: its forms, and a league with any other choice of games."""


def _find_export_mistake(arguments: argparse.Namespace) -> str | None:
    """Returns which options of an export cannot be used together; None if all can."""
    given = {name for name, value in vars(arguments).items() if value is not None and value is not False}
    for other, option in _EXCLUSIVE:
        if {other, option} <= given:
            return sentences.NOT_WITH.format(option=f"--{option}", other=f"--{other}")
    if "csv" in given and "league" not in given:
        return sentences.ONLY_WITH.format(option="--csv", other="--league")
    return None


@subcommand(
    "export",
    "write all games that have begun to the standard output; the bot must be stopped",
    command_argument(
        "--guild", metavar="N", type=discord_number, help="only the games of that server: its number in Discord"
    ),
    command_argument("--json", action="store_true", help="a line of JSON for each game instead of text"),
    command_argument(
        "--annotated",
        action="store_true",
        help="only finished games with shared thoughts, which stand in braces after the moves",
    ),
    command_argument("--game", metavar="N", type=game_number, help="only the game of that number"),
    command_argument("--league", metavar="N", type=game_number, help="only the games of that league's latest season"),
    command_argument("--csv", action="store_true", help="with --league: its tables instead of its games"),
    add_output,
    find_mistake=_find_export_mistake,
    description="Writes all games that have begun to the standard output, as text that `python -m rules check` replays."
    " Players appear as their Discord ids. The bot must be stopped.",
)
def export_command(settings: Settings, arguments: argparse.Namespace) -> int:
    """Writes games to the standard output."""
    if arguments.annotated:
        from bot.thoughts.service import Thoughts  # a bot without the feature has the other commands

        annotated = run_on_store(
            settings, lambda service: service.part(Thoughts).export_annotated(arguments.guild, arguments.game)
        )
        if arguments.game is not None and not annotated:
            print(sentences.NOT_ANNOTATED.format(number=arguments.game), file=sys.stderr)
            return 1
        sys.stdout.write("\n".join(record_text(game, comments=shared.record_comments()) for game, shared in annotated))
        return 0
    if arguments.league is not None:
        from bot.leagues.files import export_season  # as above

        season = run_on_store(settings, lambda service: export_season(service, arguments.league))
        if season is None:
            print(sentences.NO_LEAGUE.format(number=arguments.league), file=sys.stderr)
            return 1
        if arguments.csv:
            sys.stdout.write(season.tables)
            return 0
        games = tuple(season.games)
    else:
        number = arguments.game
        games = run_on_store(settings, lambda service: service.archive.export_games(arguments.guild, match_id=number))
        if number is not None and not games:
            print(sentences.NO_GAME.format(number=number), file=sys.stderr)
            return 1
    if arguments.json:
        sys.stdout.writelines(record_line(game) for game in games)
    else:
        sys.stdout.write("\n".join(record_text(game) for game in games))
    return 0


@subcommand(
    "import",
    "take records of games played elsewhere into the archive; the bot must be stopped",
    command_argument("file", metavar="FILE", type=file, help="records as text, or a line of JSON each"),
    command_argument(
        "--guild", metavar="N", type=discord_number, help="only for that server; without it for every one"
    ),
    description="Takes records of games played elsewhere into the archive, where they are not rated. Each is replayed"
    " first; one illegal move, and nothing is taken. The bot must be stopped.",
)
def import_command(settings: Settings, arguments: argparse.Namespace) -> int:
    """Adds the records of a file to the archive."""
    path, guild = arguments.file, arguments.guild
    try:
        with open_text(path) as records:
            now = int(time.time())
            counts = run_on_store(settings, lambda service: service.archive.import_records(records, now, guild))
    except UnicodeDecodeError:
        print(sentences.NOT_TEXT.format(path=path), file=sys.stderr)
        return 1
    except RecordError as error:
        message = sentences.BAD_RECORD.format(path=path, line=error.line, reason=mistake_in_words(error))
        print(message, file=sys.stderr)
        return 1
    print(sentences.IMPORTED.format(new=counts.new, known=counts.known))
    return 0
