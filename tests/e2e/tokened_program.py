"""`python -m tests.e2e.tokened_program`: the program with a token, at the Discord that ROUNDTABLE_SANDBOX_URL names.

Nothing else differs from `python -m bot`, but that nothing of discord.py's is kept out of the log for its noise.
"""

from __future__ import annotations

import logging
import os
import sys

from bot import __main__ as program
from sandbox import point_discord_at


def loosen_tongues() -> None:
    """Lets the log have every line of its level, from every module."""
    quieten = program.set_up_logging  # type: ignore[attr-defined]  # as main knows it

    def set_up_logging(level: str, token: str | None = None) -> None:
        quieten(level, token)
        for logger in logging.Logger.manager.loggerDict.values():
            if isinstance(logger, logging.Logger):
                logger.setLevel(logging.NOTSET)

    program.set_up_logging = set_up_logging  # type: ignore[attr-defined]  # likewise


if __name__ == "__main__":
    point_discord_at(os.environ.pop("ROUNDTABLE_SANDBOX_URL"))  # which would be a setting for running without a token
    loosen_tongues()
    sys.exit(program.main())
