"""The subcommands of the terminal besides running the bot: `python -m bot NAME`.

To add a subcommand, write a `@subcommand` beside similar ones, and name it in the table below. Its sentences go into
`sentences.py`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from bot.ops import maintenance, records, setup
from bot.ops.command import Subcommand

_ADDRESS = re.compile(r"\S*:\S*@\S*|\S*password\s*=\s*\S*", re.IGNORECASE)

SUBCOMMANDS: tuple[Subcommand, ...] = (
    setup.setup_command,
    maintenance.backup_command,
    maintenance.restore_command,
    maintenance.begin_anew,
    maintenance.move_command,
    maintenance.doctor_command,
    maintenance.data_command,
    maintenance.forget_command,
    maintenance.ratings_command,
    records.export_command,
    records.import_command,
)


class _Parser(argparse.ArgumentParser):
    """Complains without repeating an address, which may contain a password."""

    def error(self, message: str) -> NoReturn:
        """Prints what is wrong, and exits."""
        super().error(_ADDRESS.sub("[hidden]", message))


def _typed_name() -> str:
    """The program's name as the operator typed it: the installed command, or the module."""
    installed = Path(sys.argv[0]).stem
    return installed if installed == "round-table" else "python -m bot"


def parse_arguments(arguments: Sequence[str] | None = None) -> tuple[Subcommand | None, argparse.Namespace]:
    """Returns the subcommand, None for running the bot, and its arguments. Prints and exits for `--help` and bad
    arguments."""
    parser = _Parser(
        prog=_typed_name(),
        description="Runs Round Table: in Discord with DISCORD_TOKEN, in a sandbox in your browser without it.",
        epilog="Settings come from the environment and from a file .env; .env.example explains them all.",
    )
    named = parser.add_subparsers(dest="command", metavar="COMMAND", title="instead of running the bot")
    subparsers = dict[str, argparse.ArgumentParser]()
    for command in SUBCOMMANDS:
        subparser = subparsers[command.name] = named.add_parser(
            command.name, help=command.summary, description=command.description
        )
        for add_argument in command.arguments:
            add_argument(subparser)
    parsed = parser.parse_args(arguments)
    chosen = next((command for command in SUBCOMMANDS if command.name == parsed.command), None)
    if chosen and chosen.find_mistake and (mistake := chosen.find_mistake(parsed)):
        subparsers[chosen.name].error(mistake)
    return chosen, parsed
