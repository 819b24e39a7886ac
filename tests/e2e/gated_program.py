"""`python -m tests.e2e.gated_program`: the program at the house's clock, with a store that tests can hold up and watch.

While the file GATE exists in the clock's folder, every statement waits. The file COSTS gets a line for each statement:
its cost, and its SQL. The cost does not depend on how busy the machine is: SQLite's is in steps of its virtual machine,
PostgreSQL's in rows visited.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from bot.store.postgresql import PostgresSession
from bot.store.sqlite import SqliteConnection
from tests.e2e.clock import FOLDER, Clock
from tests.e2e.clock.__main__ import rule, run

GATE, COSTS = "gate", "costs"
STEPS_AT_ONCE = 1000
Run = Callable[..., Coroutine[Any, Any, Any]]


def hold_up(gate: Path) -> None:
    """Makes every statement wait while the file exists."""

    def held(once: Run) -> Run:
        async def run_later(*values: Any) -> Any:
            while gate.exists():  # noqa: ASYNC110, ASYNC240 - nobody tells
                await asyncio.sleep(0.01)
            return await once(*values)

        return run_later

    for kind in (SqliteConnection, PostgresSession):
        for name in ("run_sql", "run_batch"):
            setattr(kind, name, held(getattr(kind, name)))


def rows_visited(node: dict[str, Any]) -> int:
    """Returns the rows that this node of a plan, and those below it, have looked at."""
    removed = sum(int(number) for name, number in node.items() if name.startswith("Rows Removed by"))
    own = (node["Actual Rows"] + removed) * node["Actual Loops"]
    return int(own) + sum(map(rows_visited, node.get("Plans", ())))


def watch_costs(costs: Path) -> None:
    """Notes what every statement with values costs that is read or run alone."""
    in_sqlite, in_postgresql = SqliteConnection.run_sql, PostgresSession.run_sql
    locks = dict[int, asyncio.Lock]()

    def note(cost: int, sql: str) -> None:
        with costs.open("a") as lines:
            lines.write(f"{cost} {' '.join(sql.split())}\n")

    async def count_steps(connection: SqliteConnection, sql: str, values: Any = ()) -> Any:
        counted = 0

        def count() -> int:
            nonlocal counted
            counted += 1
            return 0

        async with locks.setdefault(id(connection), asyncio.Lock()):
            await connection.base.set_progress_handler(count, STEPS_AT_ONCE)
            try:
                return await in_sqlite(connection, sql, values)
            finally:
                note(counted * STEPS_AT_ONCE, sql)

    async def count_rows(session: PostgresSession, sql: str, values: Any = ()) -> Any:
        if sql.startswith(("SELECT", "WITH")):
            ((plan,),) = await in_postgresql(session, f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}", values)
            note(rows_visited(json.loads(plan)[0]["Plan"]), sql)
        return await in_postgresql(session, sql, values)

    SqliteConnection.run_sql = count_steps  # type: ignore[method-assign, assignment]  # the one way to run it
    PostgresSession.run_sql = count_rows  # type: ignore[method-assign, assignment]  # the one way to run it


if __name__ == "__main__":
    folder = Path(os.environ[FOLDER])
    if os.environ.get("WATCH_COSTS"):
        watch_costs(folder / COSTS)
    hold_up(folder / GATE)
    rule(Clock(folder))
    sys.exit(run())
