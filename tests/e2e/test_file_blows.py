"""Blows to the database's files while people play: removed, replaced, overwritten. Nothing is lost silently.

After each blow the bot must report that its database is away. Then the operator does what the log says, and
everything that was announced is there again, and is announced only once.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest

from bot.ops.backup import list_rescued
from sandbox import HARD
from sandbox.limits import ANSWER_WITHIN
from tests.e2e.database import check
from tests.e2e.restless import Company
from tests.e2e.watched import WatchedHouse, becomes_away, operate
from tests.examples import AtMost

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.sqlite]

A_LIFE = 2
"""Blows beside the file before one in it."""
PLAYING = 6.0
"""Seconds of play before a blow, at most."""


def remove(*endings: str) -> Callable[[Path, random.Random], None]:
    """Removes the files with those endings."""

    def strike(database: Path, _: random.Random) -> None:
        for ending in endings:
            database.with_name(f"{database.name}{ending}").unlink()

    return strike


def replace(database: Path, _: random.Random) -> None:
    """Replaces the file by a copy, as tools do that rewrite a file to change it."""
    shutil.copyfile(database, draft := database.with_name("draft"))
    draft.replace(database)


def overwrite(database: Path, chance: random.Random) -> None:
    """Overwrites some pages in the middle."""
    pages = database.stat().st_size // 4096
    first = chance.randrange(1, pages)
    with database.open("r+b") as file:
        file.seek(first * 4096)
        file.write(chance.randbytes(4096 * chance.randint(1, pages - first)))


def put_back(database: Path, _: random.Random) -> None:
    """Copies an earlier backup over the open file."""
    shutil.copyfile(earlier_copy(database), database)


def empty(database: Path, _: random.Random) -> None:
    """Empties the file."""
    os.truncate(database, 0)


BLOWS: dict[str, Callable[[Path, random.Random], None]] = {
    "database removed": remove(""),
    "journal removed": remove("-wal"),
    "index of the journal removed": remove("-shm"),
    "lock removed": remove(".lock"),
    "all removed": remove("", "-wal", "-shm", ".lock"),
    "replaced": replace,
    "overwritten": overwrite,
    "backup copied over it": put_back,
    "emptied": empty,
}
MAY_BE_HARMLESS = ("overwritten", "backup copied over it")
"""Blows without effect if the journal has all the changed pages."""
IN_THE_FILE = ("overwritten", "backup copied over it", "emptied")
"""Blows that change the open file itself, so that the rescued copy may be damaged."""


def earlier_copy(database: Path) -> Path:
    """Returns the backup made before each blow."""
    return database.with_name("earlier.db")


class WornHouse(WatchedHouse):
    """A house whose bot starts quickly, with a Discord at `HARD`."""

    warm = True
    hardness = HARD
    answer_within = ANSWER_WITHIN


async def strike_again_and_again(folder: Path, kinds: list[str], chance: random.Random) -> str:
    """Strikes those blows in turn; returns a summary. Raises AssertionError if something is lost."""
    ends = Counter[str]()
    async with AsyncExitStack() as stack:
        house = await stack.enter_async_context(WornHouse(folder, "tests.e2e.hasty", HASTY_PACE="40"))
        stack.callback(lambda: print(house.bot.log[-20000:]))
        company = await Company.gather(house, chance, stack)
        for kind in kinds:
            print("blow:", kind)
            ends[f"{kind}: {await _one(house, company, kind, chance)}"] += 1
        await house.stop_bot()
        check(house.bot.database)
        ((plies,),) = house.bot.query("SELECT sum(ply) FROM matches")
    return f"{dict(ends)}; {plies} plies; {dict(company.pressed)}"


def lives(blows: int, chance: random.Random) -> list[list[str]]:
    """Strikes so many blows, divided among houses. The last one in each is in the file, after which moves may be
    missing."""
    beside = [kind for kind in BLOWS if kind not in IN_THE_FILE]
    found = list[list[str]]()
    while (left := blows - sum(map(len, found))) > 0:
        first, last = len(found) * A_LIFE, IN_THE_FILE[len(found) % len(IN_THE_FILE)]
        several = [beside[(first + number) % len(beside)] for number in range(min(A_LIFE, left - 1))]
        chance.shuffle(several)
        found.append([*several, last])
    return found


async def _one(house: WornHouse, company: Company, name: str, chance: random.Random) -> str:
    """Strikes one blow and recovers from it; returns the restored copy."""
    database = house.bot.database
    assert isinstance(database, Path)
    struck = asyncio.Event()
    earlier_copy(database).unlink(missing_ok=True)
    code, said = await operate(house, "backup", str(earlier_copy(database)))
    assert code == 0, said
    known = list_rescued(database.with_name("backups"), database)
    seen = len(house.bot.log)
    playing = asyncio.create_task(company.play(struck))
    await asyncio.wait([playing], timeout=chance.uniform(0, PLAYING))
    BLOWS[name](database, chance)
    await asyncio.wait([playing], timeout=chance.uniform(0, 0.5))
    struck.set()
    with suppress(sqlite3.Error):  # they look for the next event in the file, and find none
        await playing
    try:
        said = await becomes_away(house)
    except AssertionError:
        if name not in MAY_BE_HARMLESS:
            raise
        return await _nothing_lost(house, company)
    assert said.startswith("the database is away: "), said
    await house.until(lambda: bool(re.search("event=.*rescued", house.bot.log[seen:])), "rescued, or tried to")
    code = await house.bot.end(chance.choice((signal.SIGTERM, signal.SIGKILL)))
    assert code in (0, -signal.SIGKILL)
    await house.until(lambda: not house.server.gateway.online, "offline")
    copies = [copy for copy in list_rescued(database.with_name("backups"), database) if copy not in known]
    for copy in (*copies, earlier_copy(database)):
        code, said = await operate(house, "restore", str(copy))
        if code == 0:
            break
    assert code == 0, said
    assert copy in copies or name in IN_THE_FILE, f"not rescued after: {name}"
    await house.start_bot()
    if copy in copies:
        company.check_promises()
        await company.settle()
        return "rescued"
    return "backup"


async def _nothing_lost(house: WornHouse, company: Company) -> str:
    """Asserts that everything is there after another start."""
    await house.stop_bot()
    await house.start_bot()
    company.check_promises()
    return "nothing lost"


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
async def test_no_blow_against_the_files_loses_what_was_promised(tmp_path: Path, at_most: AtMost) -> None:
    seed = int(os.environ.get("KILL_SEED", random.SystemRandom().randrange(10**9)))
    print(f"KILL_SEED={seed}")
    chance = random.Random(seed)
    for number, kinds in enumerate(lives(at_most(300, 9), chance)):
        (folder := tmp_path / str(number)).mkdir()
        print(await strike_again_and_again(folder, kinds, chance))
