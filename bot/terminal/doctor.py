"""`python -m bot doctor`: looks at everything that can be wrong from outside, and says what to do about it.

It needs no lock and no gateway, so that it can be asked while the bot runs, and while it does not.
"""

from __future__ import annotations

import argparse
import asyncio

from bot.config import Settings
from bot.terminal._findings import Level
from bot.terminal._local_checks import look_around
from bot.terminal.command import Command


def _run(settings: Settings, arguments: argparse.Namespace) -> int:
    from bot.terminal._discord_checks import ask_discord  # brings the sandbox in, which every start would wait for

    findings = [*look_around(settings), *asyncio.run(ask_discord(settings))]
    for finding in findings:
        print(finding)
    return 1 if any(finding.level is Level.FAULT for finding in findings) else 0


COMMAND = Command(
    "doctor",
    "look at settings, database, backups, clock, commands and permissions, and say what to do",
    _run,
    description="Looks at everything that can be wrong, and says what to do. The bot may run meanwhile. The exit status"
    " is 1 if something keeps the bot from working, else 0.",
)
