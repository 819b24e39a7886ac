"""`python -m tests.e2e.sharded`: the hasty program as docs/scaling.md has it sharded, by the class that it names."""

from __future__ import annotations

import sys

from discord.ext import commands

from bot import __main__ as program
from bot.client import RoundTable
from tests.e2e.hasty import hurry

if __name__ == "__main__":
    RoundTable.__bases__ = (commands.AutoShardedBot,)  # before there is any
    hurry()
    sys.exit(program.main())
