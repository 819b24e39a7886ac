"""Whole games against the house, while the bot and the process in which it thinks are killed again and again."""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest

from bot.match.match import Match
from rules import Game
from tests.e2e.house import House, complaints
from tests.e2e.room import Room, public
from tests.e2e.test_against_the_house import number_in, some_move, stored
from tests.examples import AtMost
from tests.sandbox.people import Person, RefusedError
from tests.sentences import label

pytestmark = pytest.mark.asyncio(loop_scope="session")

LATEST = 1.5
"""Seconds after a move within which something is killed: by then the house has answered."""


def thinking(house: House) -> list[int]:
    """The processes in which the bot thinks."""
    children = Path(f"/proc/{house.bot.pid}/task/{house.bot.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"thinking" in Path(f"/proc/{pid}/cmdline").read_bytes()]


async def kill_something(house: House, chance: random.Random) -> bool:
    """At some time, the bot or the process in which it thinks; or nothing. Whether it was the bot."""
    await asyncio.sleep(chance.uniform(0, LATEST))
    what = chance.random()
    if what < 0.25:
        house.bot.kill_now()
    elif what < 0.5:
        with suppress(ProcessLookupError, FileNotFoundError):
            for pid in thinking(house):
                os.kill(pid, signal.SIGKILL if chance.random() < 0.5 else signal.SIGSTOP)
    return what < 0.25


async def move_somehow(
    house: House, room: Room, match: Match, people: dict[int, Person], chance: random.Random
) -> None:
    """Whose turn it is moves, and meanwhile something may be killed; afterwards the bot is there."""
    killing = asyncio.create_task(kill_something(house, chance))
    assert match.to_move is not None
    played = None
    with suppress(RefusedError, TimeoutError, asyncio.TimeoutError):
        async with asyncio.timeout(20):
            text = some_move(match, chance.randrange(10**6))
            played = await people[match.to_move].command(room.channel, "move", move=text, game=str(match.id))
    killed = await killing
    if played is not None and "is played" in played.text:
        assert stored(house, match.id).ply > match.ply  # what somebody has been told, is so
    if killed:
        await house.kill_bot()  # waits until it is dead
        await house.start_bot()


async def play_and_kill(folder: Path, persons: int, variant: str, most: int) -> str:
    """A game of that many people against the house, of so many moves of theirs at most; what it was like."""
    seed = int(os.environ.get("KILL_SEED", random.SystemRandom().randrange(10**9)))
    print(f"KILL_SEED={seed}")
    chance, lives = random.Random(seed), 1
    async with House(folder, "tests.e2e.hasty").faultless() as house, AsyncExitStack() as stack:
        room = await Room.found(house, "room", stack)
        named = await room.enter(*("Ada", "Bo")[:persons])
        people = {int(one.id): one for one in named}
        guests = {"opponent": named[1]} if persons > 1 else {}
        table = await named[0].command(room.channel, "play", variant=variant, house="easy", **guests)
        number = number_in(table)
        if persons > 1:
            await named[1].click(table, "Join")
        for _ in range(most):
            await house.until(lambda: not stored(house, number).house_to_move, "the house has moved")
            match, pid = stored(house, number), house.bot.pid
            if not match.is_live:
                break
            await move_somehow(house, room, match, people, chance)
            lives += house.bot.pid != pid
        await house.until(lambda: not stored(house, number).house_to_move, "the house has moved")
        match = stored(house, number)
        if match.is_live:
            assert match.to_move is not None
            await people[match.to_move].wait_for(room.channel, lambda said: _turn(said.text) == match.ply + 1)
            assert label("compose") in (await public(named[0], room.channel))[-1].buttons
        game = Game.start(match.variant)
        for move in match.started_game.moves:
            game = game.apply(move) if game.outcome is None else game
        assert game.position == match.started_game.position
        turns = [_turn(said.text) for said in await public(named[0], room.channel) if _turn(said.text)]
        assert len(turns) == len(set(turns)), turns  # nothing is told twice
        assert turns == sorted(turns)
        assert complaints(house.bot.log) == []
        engines = house.bot.log.count("engine started")
        return f"{variant}, {persons} people: {match.ply} plies, {lives} lives, {engines} engines"


def _turn(said: str) -> int:
    found = re.search(r"· turn (\d+)", said)
    return int(found[1]) if found else 0


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("persons", "variant"), [(1, "tri-camelot"), (2, "tri-camelot"), (1, "camelot")])
async def test_no_kill_loses_a_turn_of_the_house_or_plays_one_twice(
    tmp_path: Path, at_most: AtMost, persons: int, variant: str
) -> None:
    print(await play_and_kill(tmp_path, persons, variant, at_most(200, 8)))
