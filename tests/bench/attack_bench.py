"""How long everybody else waits while ten people press the most expensive buttons without pause.

Each attacker presses with several hands at once, and again after each answer and a round trip to Discord. The
others are members of other servers who ask for small things at a steady rate, and who move in their games.

It takes about five minutes on an idle machine, a minute of it for the longest steps; with `--short` about two.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from bot.core.draft import format_path
from bot.explore.panel import EXPLORE_FAMILY, ExploreState
from bot.play.context import ACTIONS, COMPOSER, Action, ComposerState
from bot.play.sheets import TURN_BUTTONS, Sheet
from bot.review.commands import REVIEW_SHEET
from bot.store import Store
from bot.thoughts import service as thought_rows
from bot.thoughts.commands import PAGER, PageState
from bot.thoughts.service import MAX_THOUGHT_LENGTH, Thought
from rules import VARIANTS
from tests import bench
from tests.bench import Figure
from tests.bench.crowd import Running, add_bot_games, add_finished, build
from tests.bench.discord_stub import Asked, DiscordStub, channel_id, user_id
from tests.bench.load_bench import Process, at_work, paced
from tests.bench.steps import slowest_steps

CROWDED = (
    "cam-3d White White:1B5,1B6,1B7,2B3,2D4,N2C6,2D6,3B2,N3A3,N3D3,3A5,3B6"
    " Black:1C2,1D2,1D3,1B4,1C4,N1D4,N2C1,N2B2,2C2,2D2,2D3,2B4"
)
"""A position found by hill climbing, and its Knight with more routes than the menus examine."""
KNIGHT = format_path([VARIANTS["cam-3d"].board.find_cell("3A3")])

PEOPLE, HANDS = 10, 3
"""The attackers, and the concurrent presses of each."""
TRIP = 0.1
"""Seconds of a round trip to Discord, from an answer to the next press."""
WITHIN, BOARD_WITHIN, STEP_WITHIN = 100, 1000, 50
"""Milliseconds: the first answer of 99 of 100 other people, every public board, and each step in the thread."""
STOPPED_WITHIN = 5
"""Seconds from SIGTERM to the end of the process, during the attack."""
LEFT_OVER = 20
"""Megabytes that memory may have grown by afterwards."""
REST = 20
"""Seconds from the end of the attack to the measurement of memory."""
GUILDS = 20
HINTED_GAMES = 60
PLIES, LONG_GAMES = 200, 6
BOARDS_EVERY = 0.5
"""Seconds from one move in another server to the next."""


Press = Callable[[DiscordStub, int, int], Awaitable[Asked]]
"""A press, given the person and the number of presses before."""


class Attack(NamedTuple):
    """A kind of press."""

    name: str
    press: Press


def figures() -> Iterator[Figure]:
    """Yields the slowest step of each question, a figure for each kind of press, and memory and stop after them."""
    for name, milliseconds, detail in slowest_steps():
        yield Figure(f"the longest step: {name}, ms", milliseconds, STEP_WITHIN, detail)
    with TemporaryDirectory(prefix="bench", dir=Path.cwd()) as name:
        folder = Path(name)
        running = build(folder / "roundtable.db", finished=20, live=400, guilds=GUILDS)
        games = asyncio.run(add_finished(folder / "roundtable.db", "camelot", PLIES, LONG_GAMES))
        asyncio.run(_annotate(folder / "roundtable.db", games))
        hinted = asyncio.run(add_bot_games(folder / "roundtable.db", "tri-camelot", PEOPLE, HINTED_GAMES))
        yield from asyncio.run(_attacked(folder, games, hinted, running))


async def _annotate(database: Path, games: list[int]) -> None:
    """Writes the widest thoughts about every move of these games, and shares them."""
    async with Store.open(database) as store, store.write_transaction() as tx:
        for game in games:
            for user in (user_id(0, 0), user_id(0, 1)):
                for board in range(PLIES):
                    await thought_rows.store_thought(tx, game, Thought(user, board, "W" * MAX_THOUGHT_LENGTH))
                await thought_rows.set_choice(tx, game, user, shared=True)


async def _attacked(folder: Path, games: list[int], hinted: list[int], running: list[Running]) -> list[Figure]:
    seconds, found = 3 if bench.short else 10, list[Figure]()
    moves = iter([game for game in running if game.guild != 0])
    load = f"{os.getloadavg()[0]:.0f} processes ran before"
    async with DiscordStub.serve(GUILDS) as discord:
        settings = {"ROUNDTABLE_DB": str(folder / "roundtable.db"), "ROUNDTABLE_SANDBOX_URL": discord.url}
        async with at_work(discord, "tests.bench.full_speed", **settings) as process:
            attacks = await _attacks(discord, games, hinted)
            for attack in attacks:  # what is read or drawn once for everybody
                await (await attack.press(discord, 0, 0)).last
            found += await _waited(discord, process, seconds, Attack("nothing", attacks[0].press), 0, moves)
            before = process.memory
            for attack in attacks:
                found += await _waited(discord, process, seconds, attack, PEOPLE, moves)
            await asyncio.sleep(REST)
            left = process.memory - before
            found.append(Figure("attacks: memory left over, MB", left, LEFT_OVER, f"{before:.0f} MB before; {load}"))
            pressing = _press(discord, attacks[-1], PEOPLE, [])
            await asyncio.sleep(seconds)
            begun = perf_counter()
        stopped = perf_counter() - begun
        for task in pressing:
            task.cancel()
        found.append(Figure("attacks: stop, s", stopped, STOPPED_WITHIN, ""))
    return found


async def _attacks(discord: DiscordStub, games: list[int], hinted: list[int]) -> list[Attack]:
    """Returns the most expensive presses. Opens each person's board of `explore` first.

    `hinted`: games against bots where the person is to move, as many for each person.
    """
    for person in range(PEOPLE):
        await (await discord.command(0, person, "game explore", position=CROWDED)).last

    def press(custom_id: Callable[[int, int], str], *values: str) -> Press:
        return lambda discord, person, number: discord.press(0, person, custom_id(person, number), *values)

    def command(name: str) -> Press:
        return lambda discord, person, number: discord.command(0, person, name, game=str(game(number)))

    def game(number: int) -> int:
        return games[number % len(games)]

    def turning_point(_: int, number: int) -> str:
        return TURN_BUTTONS.format_id("", Sheet(REVIEW_SHEET, "camelot", games[0], page=number % 3))

    def annotated(name: str, _: int, number: int) -> str:
        return PAGER.format_id(name, PageState(game(number), number % PLIES))

    def hint(person: int, number: int) -> str:
        match = hinted[(person + PEOPLE * number) % len(hinted)]
        return COMPOSER.format_id("hint", ComposerState(match, 0))

    presses: dict[str, Press] = {
        "explore": press(lambda one, _: EXPLORE_FAMILY.format_id("piece", ExploreState(str(one + 1), "p0")), KNIGHT),
        "openings in Chivalry": press(lambda *_: EXPLORE_FAMILY.format_id("look", ExploreState("chivalry", "p0"))),
        "pages of annotated games": press(partial(annotated, "on")),
        "records of annotated games": press(partial(annotated, "record")),
        "review": command("game review"),
        "review, a turning point": press(turning_point),
        "puzzle": lambda discord, person, _: discord.command(0, person, "puzzle"),
        "replay": press(lambda _, number: ACTIONS.format_id("replay", Action(match=game(number)))),
        "export of data": press(lambda *_: ACTIONS.format_id("data-export", Action())),
        "history": command("game history"),
        "house game": press(lambda *_: ACTIONS.format_id("first-game", Action(variant="tri-camelot"))),
        "hints": press(hint),
    }

    async def mixed(discord: DiscordStub, person: int, number: int) -> Asked:
        return await [*presses.values()][number % len(presses)](discord, person, number)

    return [Attack(*one) for one in {**presses, "all of them": mixed}.items()]


def _press(discord: DiscordStub, attack: Attack, people: int, answered: list[Asked]) -> list[asyncio.Task[None]]:
    """Lets so many people press until they are cancelled."""
    numbers = count()

    async def press_on(person: int) -> None:
        while True:
            asked = await attack.press(discord, person, next(numbers))
            await asked.last
            answered.append(asked)
            await asyncio.sleep(TRIP)

    return [asyncio.create_task(press_on(person)) for person in range(people) for _ in range(HANDS)]


async def _waited(
    discord: DiscordStub, process: Process, seconds: int, attack: Attack, people: int, moves: Iterator[Running]
) -> list[Figure]:
    """Returns how long the others wait during the attack, for their first answer and for their boards."""
    answered, waits, before = list[Asked](), list[float](), process.memory
    pressing = _press(discord, attack, people, answered)
    moving = asyncio.create_task(_move_on(discord, moves, waits))
    try:
        asked = await paced(seconds, lambda number: _small(discord, number))
        async with asyncio.timeout(60):
            waited = [1000 * (await one.first - one.sent) for one in asked]
            moving.cancel()
            await asyncio.gather(moving, return_exceptions=True)
    finally:
        for task in pressing:
            task.cancel()
        await asyncio.gather(*pressing, return_exceptions=True)
    cuts = quantiles(waited, n=100)
    last = [await one.last - one.sent for one in answered]
    detail = f"p50 {cuts[49]:.0f}, max {max(waited):.0f}; memory {before:.0f} to {process.memory:.0f} MB"
    if last:
        detail += f"; {len(last) / seconds:.1f} presses a second, the slowest answered after {max(last):.1f} s"
    return [
        Figure(f"{attack.name}, by {people}: others' first answer, p99, ms", cuts[98], WITHIN, detail),
        Figure(f"{attack.name}: the longest wait of a board, ms", max(waits), BOARD_WITHIN, f"{len(waits)} boards"),
    ]


async def _move_on(discord: DiscordStub, moves: Iterator[Running], waits: list[float]) -> None:
    """Moves in other servers, and notes for how many milliseconds the board of each move is awaited.

    Counts the wait of a board for which it waits when it is cancelled, too.
    """
    for game in moves:
        following = game.next()
        if following is None:
            continue
        user, move = following
        place = channel_id(game.guild)
        posted, begun = discord.uploads[place], perf_counter()
        await discord.command(game.guild, user, "move", move=move, game=str(game.id))
        try:
            await discord.until(lambda place=place, posted=posted: discord.uploads[place] > posted)  # type: ignore[misc]
        finally:
            waits.append(1000 * (perf_counter() - begun))
        await asyncio.sleep(BOARDS_EVERY)


async def _small(discord: DiscordStub, number: int) -> Asked:
    """Has a member of another server ask for something cheap."""
    guild, member = 1 + number % (GUILDS - 1), number
    return await discord.command(guild, member, ("games", "help", "board", "me data")[number % 4])
