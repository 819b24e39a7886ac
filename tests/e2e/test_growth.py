"""A hundred thousand games beside those of a person who has played thousands: nothing that anybody asks reads them all.

The planner keeps the statistics of the days when there was one game. What a statement costs is counted, not timed.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from bot.features import TABLES
from bot.store.connection import Address
from tests.e2e.clock import ClockHouse
from tests.e2e.conftest import START
from tests.e2e.database import ask
from tests.e2e.gated_program import COSTS
from tests.e2e.permission_acts import do, let_everybody_try, suggesting
from tests.e2e.permissions import ROWS
from tests.e2e.scenes import SCENES, Scene
from tests.postgresql import Cluster

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Size(NamedTuple):
    """The games that a database grows to, those of one person among them, and the scenes in which acts are tried."""

    games: int
    own: int
    scenes: tuple[str, ...]


SIZES = {
    "50,000": Size(50_000, 500, ("ended",)),
    "100,000": Size(100_000, 2_000, ("ended", "turn", "moved", "on ladder", "league on")),
}
OF_ALL_OWN_GAMES = ("rt:data-export", "rt:data-delete")
"""What reads everything about a person, in portions."""
MOST_STEPS, MOST_ROWS = 150_000, 20_000
"""The most that a statement may cost: steps in SQLite, rows in PostgreSQL. Looking at each game costs more."""


class CountingHouse(ClockHouse):
    """A house whose bot notes what each statement costs."""

    module = "tests.e2e.gated_program"

    def __init__(self, folder: Path, address: Address | None) -> None:
        super().__init__(folder, START)
        self._address = address
        self._settings["WATCH_COSTS"] = "1"

    async def open(self, *, start: bool = True) -> None:
        """See `House.open`."""
        await super().open(start=False)
        if self._address:
            self.bot.database = self._address
            self.bot._settings["ROUNDTABLE_DB"] = self._address.url
        if start:
            await self.start_bot()

    def dear(self, most: int) -> dict[str, int]:
        """Returns the statements that have cost more, with the most that each has cost."""
        found = dict[str, int]()
        for line in (self._folder / COSTS).read_text().splitlines():
            cost, _, sql = line.partition(" ")
            if int(cost) > most:
                found[sql] = max(int(cost), found.get(sql, 0))
        return dict(sorted(found.items(), key=lambda one: -one[1]))


def grow(house: CountingHouse, match: int, size: Size) -> None:
    """Adds copies of a finished game, the first of them of the same people, with the statistics of now."""
    database = house.bot.database
    run = [*statements(house, match, size)]
    if isinstance(database, Address):
        for sql in ("ANALYZE", *(f"ALTER TABLE {table.name} SET (autovacuum_enabled = off)" for table in TABLES)):
            ask(database, sql)
        for sql in run:
            ask(database, sql)
        for table in TABLES:
            if table.key == ("id",):  # the next number follows those of the copies
                number = f"pg_get_serial_sequence('{table.name}', 'id')"
                ask(database, f"SELECT setval({number}, coalesce(max(id), 1)) FROM {table.name}")
        return
    with closing(sqlite3.connect(database, isolation_level=None)) as base:
        base.execute("ANALYZE")
        base.execute("PRAGMA foreign_keys = OFF")
        base.execute("BEGIN")
        for sql in run:
            base.execute(sql)
        base.execute("COMMIT")


def statements(house: CountingHouse, match: int, size: Size) -> Iterator[str]:
    """Yields the statements that copy every row about the match."""
    copies = f"WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < {size.games})"
    for table in TABLES:
        columns = columns_of(house, table.name)
        number = "id" if table.name == "matches" else "match"
        if number not in columns or table.name == "jobs":  # jobs do not stay
            continue
        others = f"CASE WHEN n > {size.own} THEN 5000000 + n % 5000 * 10 ELSE 0 END"
        own = {
            number: f"{number} + n",
            "user": f"user + {others}",
            "moved_at": "moved_at - n",
            "ended_at": "ended_at - n",
        }
        if table.key == ("id",) and number != "id":
            own["id"] = "id + n"
        chosen = ", ".join(own.get(name, name) for name in columns)
        source = f"SELECT {chosen} FROM copy, {table.name} WHERE {number} = {match}"
        yield f"{copies} INSERT INTO {table.name} ({', '.join(columns)}) {source}"


def columns_of(house: CountingHouse, table: str) -> list[str]:
    """Returns the names of a table's columns."""
    if isinstance(house.bot.database, Address):
        sql = "SELECT column_name FROM information_schema.columns WHERE table_name = ?"
        return [name for (name,) in house.bot.query(sql, table)]
    return [name for _, name, *_ in house.bot.query(f"PRAGMA table_info({table})")]


@pytest.mark.timeout(0)
@pytest.mark.parametrize(
    ("engine", "size"),
    [("sqlite", "50,000"), *(pytest.param(one, "100,000", marks=pytest.mark.long) for one in ("sqlite", "postgresql"))],
)
async def test_no_statement_grows_with_the_games_that_are_over(
    tmp_path: Path, request: pytest.FixtureRequest, engine: str, size: str
) -> None:
    address: Address | None = None
    if engine == "postgresql":
        cluster: Cluster = request.getfixturevalue("cluster")
        address = cluster.new()
    async with CountingHouse(tmp_path, address).faultless() as house, Scene.opened(house, "ended") as here:
        let_everybody_try(house)
        number = here.number
        await house.stop_bot()
        grow(house, number, SIZES[size])
        (house._folder / COSTS).write_text("")
        await house.start_bot()
        ada = here.people["Ada"]
        for command, option in suggesting():
            with suppress(TimeoutError):
                await ada.autocomplete(here.room.channel, command, {option: ""}, option)
        for scene in SIZES[size].scenes:
            await SCENES[scene](here)
            for act, row in ROWS.items():
                if row.scene == scene and act not in OF_ALL_OWN_GAMES:
                    try:  # what it costs is asked here, not what comes of it
                        await asyncio.wait_for(do(here, act, row, ada, here.room.channel), 20)
                    except TimeoutError:
                        print("no answer to", act)
                    await house.move_clock(3600)
            await here.end()
        await house.tick()
        dear = house.dear(MOST_ROWS if address else MOST_STEPS)
    assert dear == {}
