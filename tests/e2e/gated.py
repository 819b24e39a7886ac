"""`python -m tests.e2e.gated`: the program at the clock of the house, with a store that stands still while told to."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from bot.store.postgresql_session import PostgresSession
from bot.store.sqlite import SqliteConnection
from tests.e2e.clock import FOLDER, Clock
from tests.e2e.clock.__main__ import rule, run

GATE = "gate"
"""The file in the clock's folder that holds up every statement while it exists."""


def hold_up(gate: Path) -> None:
    """Makes every statement wait while the file exists."""

    def held(once: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Coroutine[Any, Any, Any]]:
        async def run_later(*values: Any) -> Any:
            while gate.exists():  # noqa: ASYNC110, ASYNC240 - nobody tells
                await asyncio.sleep(0.01)
            return await once(*values)

        return run_later

    for kind in (SqliteConnection, PostgresSession):
        for name in ("run_sql", "run_batch", "insert_rows"):
            setattr(kind, name, held(getattr(kind, name)))


if __name__ == "__main__":
    folder = Path(os.environ[FOLDER])
    hold_up(folder / GATE)
    rule(Clock(folder))
    sys.exit(run())
