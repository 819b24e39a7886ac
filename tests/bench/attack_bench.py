"""How long everybody else waits while one person, and then ten, press the most expensive buttons without pause.

Each attacker presses with several hands at once, and again after each answer and a round trip to Discord. The
others are members of other servers who ask for small things at a steady rate.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bot.core.draft import format_path
from bot.explore.panel import EXPLORE_FAMILY, ExploreState
from bot.play.shared_components import ACTIONS, Action
from bot.play.sheets import TURN_BUTTONS, Sheet
from bot.review.commands import REVIEW_SHEET
from rules import VARIANTS
from tests import bench
from tests.bench import Figure
from tests.bench.crowd import add_finished, build
from tests.bench.hollow import Asked, Hollow
from tests.bench.load_bench import at_work, paced

CROWDED = (
    "cam-3d White White:1B5,1B6,1B7,2B3,2D4,N2C6,2D6,3B2,N3A3,N3D3,3A5,3B6"
    " Black:1C2,1D2,1D3,1B4,1C4,N1D4,N2C1,N2B2,2C2,2D2,2D3,2B4"
)
"""A position found by hill climbing, and its Knight with more routes than the menus examine."""
KNIGHT = format_path([VARIANTS["cam-3d"].board.find_cell("3A3")])

HANDS = 3
"""Concurrent presses of one person."""
TRIP = 0.1
"""Seconds of a round trip to Discord, from an answer to the next press."""
WITHIN = 100
"""Milliseconds within which 99 of 100 other people must have their first answer."""
LEFT_OVER = 20
"""Megabytes that memory may have grown by afterwards."""
REST = 20
"""Seconds from the end of the attack to the measurement of memory."""
GUILDS = 20
PLIES, LONG_GAMES = 200, 6


class Attack(NamedTuple):
    """A kind of press: a function of the person and the number of presses before."""

    name: str
    press: Callable[[Hollow, int, int], Awaitable[Asked]]


def figures() -> Iterator[Figure]:
    """Yields a figure for each kind of press and number of people, and the memory after all of them."""
    with TemporaryDirectory(prefix="bench", dir=Path.cwd()) as name:
        folder = Path(name)
        build(folder / "roundtable.db", finished=20, live=500, guilds=GUILDS)
        games = asyncio.run(add_finished(folder / "roundtable.db", "camelot", PLIES, LONG_GAMES))
        yield from asyncio.run(_attacked(folder, games))


async def _attacked(folder: Path, games: list[int]) -> list[Figure]:
    seconds, found = 3 if bench.short else 20, list[Figure]()
    async with Hollow.serve(GUILDS) as hollow:
        settings = {"ROUNDTABLE_DB": str(folder / "roundtable.db"), "ROUNDTABLE_SANDBOX_URL": hollow.url}
        async with at_work(hollow, "tests.bench.watched", **settings) as process:
            attacks = await _attacks(hollow, games)
            for attack in attacks:  # what is read or drawn once for everybody
                await (await attack.press(hollow, 0, 0)).last
            found.append(await _waited(hollow, seconds, Attack("nothing", attacks[0].press), 0))
            before = process.memory
            for attack in attacks:
                for people in (1, 10):
                    row = await _waited(hollow, seconds, attack, people)
                    found.append(row._replace(detail=f"{row.detail}; {process.memory - before:+.0f} MB"))
            await asyncio.sleep(REST)
            after = process.memory
            found.append(Figure("attacks: memory left over, MB", after - before, LEFT_OVER, f"{before:.0f} MB before"))
    return found


async def _attacks(hollow: Hollow, games: list[int]) -> list[Attack]:
    """Returns the most expensive presses. Opens each person's board of `explore` first."""
    for person in range(10):
        await (await hollow.command(0, person, "game explore", position=CROWDED)).last

    def board(person: int) -> str:
        return EXPLORE_FAMILY.format_id("piece", ExploreState(person + 1, "p0"))

    def action(name: str, **values: Any) -> str:
        return ACTIONS.format_id(name, Action(**values))

    def game(number: int) -> str:
        return str(games[number % len(games)])

    async def mixed(hollow: Hollow, person: int, number: int) -> Asked:
        return await attacks[number % (len(attacks) - 1)].press(hollow, person, number)

    attacks = [
        Attack("explore", lambda hollow, person, number: hollow.press(0, person, board(person), KNIGHT)),
        Attack("review", lambda hollow, person, number: hollow.command(0, person, "game review", game=game(number))),
        Attack(
            "review, a turning point",
            lambda hollow, person, number: hollow.press(
                0, person, TURN_BUTTONS.format_id("", Sheet(REVIEW_SHEET, "camelot", games[0], page=number % 3))
            ),
        ),
        Attack("puzzle", lambda hollow, person, number: hollow.command(0, person, "puzzle")),
        Attack(
            "replay",
            lambda hollow, person, number: hollow.press(0, person, action("replay", match=games[number % len(games)])),
        ),
        Attack("export of games", lambda hollow, person, number: hollow.command(0, person, "game export")),
        Attack("export of data", lambda hollow, person, number: hollow.command(0, person, "me data export")),
        Attack("history", lambda hollow, person, number: hollow.command(0, person, "game history", game=game(number))),
        Attack(
            "house game",
            lambda hollow, person, number: hollow.press(0, person, action("first-game", variant="tri-camelot")),
        ),
        Attack("all of them", mixed),
    ]
    return attacks


async def _waited(hollow: Hollow, seconds: int, attack: Attack, people: int) -> Figure:
    """Returns how long the others wait during the attack."""
    numbers, answered = count(), list[Asked]()

    async def press_on(person: int) -> None:
        while True:
            asked = await attack.press(hollow, person, next(numbers))
            await asked.last
            answered.append(asked)
            await asyncio.sleep(TRIP)

    pressing = [asyncio.create_task(press_on(person)) for person in range(people) for _ in range(HANDS)]
    try:
        asked = await paced(seconds, lambda number: _small(hollow, number))
        async with asyncio.timeout(60):
            waited = [1000 * (await one.first - one.sent) for one in asked]
    finally:
        for task in pressing:
            task.cancel()
        await asyncio.gather(*pressing, return_exceptions=True)
    cuts = quantiles(waited, n=100)
    last = [await one.last - one.sent for one in answered]
    detail = f"p50 {cuts[49]:.0f} ms, the slowest {max(waited):.0f} ms"
    if last:
        detail += f"; {len(last) / seconds:.1f} presses a second, the slowest answered after {max(last):.1f} s"
    return Figure(f"{attack.name}, by {people}: first answer of others, p99, ms", cuts[98], WITHIN, detail)


async def _small(hollow: Hollow, number: int) -> Asked:
    """Has a member of another server ask for something cheap."""
    guild, member = 1 + number % (GUILDS - 1), number
    return await hollow.command(guild, member, ("games", "help", "board", "me privacy")[number % 4])
