"""Whole games against the house, while the bot and the engine's process are killed repeatedly."""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.core.clock import DAY
from bot.core.house_seats import is_house
from bot.core.match import Match
from bot.texts.sentences import turn_names
from rules import Game
from sandbox.people import Person, RefusedError, Said
from tests.e2e.clock import ClockHouse
from tests.e2e.house import House
from tests.e2e.room import Played, Room, posted_table, public, resign, type_move
from tests.e2e.stored_games import load_match, some_move
from tests.examples import AtMost, drawn_seed
from tests.sentences import label

pytestmark = pytest.mark.asyncio(loop_scope="session")

START = datetime(2026, 9, 1, 12, tzinfo=UTC)

LATEST = 1.5
"""Seconds after a move within which a process is killed: by then the house has answered."""

IMPATIENT = ("HASTY_THOUGHT", "15")
"""Has the bot give up a stopped engine soon."""


def thinking(house: House) -> list[int]:
    """Returns the engine's processes."""
    children = Path(f"/proc/{house.bot.pid}/task/{house.bot.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"thinking" in Path(f"/proc/{pid}/cmdline").read_bytes()]


async def kill_something(house: House, chance: random.Random) -> bool:
    """Kills the bot, its engine or nothing, after a random time. Returns True if it was the bot."""
    await asyncio.sleep(chance.uniform(0, LATEST))
    what = chance.random()
    if what < 0.25:
        with suppress(ProcessLookupError, FileNotFoundError):
            for pid in thinking(house):
                os.kill(pid, signal.SIGCONT)  # a stopped process would outlive the bot permanently
        house.bot.kill_now()
    elif what < 0.5:
        with suppress(ProcessLookupError, FileNotFoundError):
            for pid in thinking(house):
                os.kill(pid, signal.SIGKILL if chance.random() < 0.5 else signal.SIGSTOP)
    return what < 0.25


async def move_somehow(
    house: House, room: Room, match: Match, people: dict[int, Person], chance: random.Random
) -> None:
    """The player to move plays, and a process may be killed at the same time; afterwards the bot runs."""
    killing = asyncio.create_task(kill_something(house, chance))
    assert match.to_move is not None
    played = None
    with suppress(RefusedError, TimeoutError, asyncio.TimeoutError):
        async with asyncio.timeout(20):
            text = some_move(match, chance.randrange(10**6))
            played = await type_move(people[match.to_move], room.channel, text, game=str(match.id))
    killed = await killing
    if played is not None and "You played" in played.text:
        assert load_match(house, match.id).ply > match.ply  # a confirmed move is stored
    if killed:
        await house.kill_bot()  # waits until it is dead
        await house.start_bot()


async def play_and_kill(
    house: House, room: Room, number: int, people: dict[int, Person], chance: random.Random, most: int, since: int = 0
) -> str:
    """Plays up to so many moves with kills; returns a summary. All moves are stored afterwards, and announced once."""
    lives = 1
    for _ in range(most):
        await house.until(lambda: not load_match(house, number).house_to_move, "the house has moved")
        match, pid = load_match(house, number), house.bot.pid
        if not match.is_live:
            break
        await move_somehow(house, room, match, people, chance)
        lives += house.bot.pid != pid
    await house.until(lambda: not load_match(house, number).house_to_move, "the house has moved")
    match, looker = load_match(house, number), next(iter(people.values()))
    if match.is_live:
        assert match.to_move is not None
        await people[match.to_move].wait_for(
            room.channel, lambda said: _turn(said.text) == _turn(f"· turn {turn_names('en', match.started_game)[-1]}")
        )
        assert label("compose") in (await public(looker, room.channel))[-1].buttons
    game = Game.start(match.variant)
    for step in match.changes:
        game = step.game_after(game)
    assert game.position == match.started_game.position
    await check_told(room, looker, since)
    return f"{match.ply} plies, {lives} lives, {house.bot.log.count('engine started')} engines"


async def check_told(room: Room, looker: Person, since: int) -> None:
    """Asserts that each turn since that message was announced once, in order."""
    said = [_turn(one.text) for one in await public(looker, room.channel) if int(one.id) > since]
    turns = [turn for turn in said if turn]
    assert len(turns) == len(set(turns)), turns
    assert turns == sorted(turns)


def _turn(said: str) -> int:
    found = re.search(r"· turn (\d+), (\w+)", said)
    return 10 * int(found[1]) + ["White", "Black", "Blue", "Red", "Green"].index(found[2]) if found else 0


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("persons", "variant"), [(1, "tri-camelot"), (2, "tri-camelot"), (1, "camelot")])
async def test_no_kill_loses_a_turn_of_the_house_or_plays_one_twice(
    tmp_path: Path, at_most: AtMost, monkeypatch: pytest.MonkeyPatch, persons: int, variant: str
) -> None:
    monkeypatch.setenv(*IMPATIENT)
    chance = random.Random(drawn_seed())
    async with House(tmp_path, "tests.e2e.hasty_program").faultless() as house, Room.opened(house) as room:
        named = await room.enter(*("Ada", "Bo")[:persons])
        guests = {"opponent": named[1]} if persons > 1 else {}
        offered = await named[0].command(room.channel, "play", variant=variant, bots="easy", **guests)
        number, table = await posted_table(named[0], room.channel, offered)
        if persons > 1:
            await named[1].click(table, "Join")
        people = {int(one.id): one for one in named}
        told = await play_and_kill(house, room, number, people, chance, at_most(30, 8))
        print(f"{variant}, {persons} people: {told}")


async def left_by_bo(house: ClockHouse, room: Room) -> tuple[Played, Said]:
    """A game of three that Bo, who is Red, has left, and the vote of Ada and Cy."""
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    played = await room.start("tri-camelot", ada, bo, cy)
    await played.move("G4-G8")
    await resign(bo, room.channel)
    await played.calls(ada, cy)
    await house.move_clock(2 * DAY)
    return played, await played.calls(ada, cy)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("ballot", ["play-on", "house"])
async def test_no_kill_loses_a_stewards_or_substitute_house_players_turn(
    tmp_path: Path, at_most: AtMost, monkeypatch: pytest.MonkeyPatch, ballot: str
) -> None:
    monkeypatch.setenv(*IMPATIENT)
    chance = random.Random(drawn_seed())
    async with ClockHouse.at(tmp_path, START) as house, Room.opened(house) as room:
        played, vote = await left_by_bo(house, room)
        ada, _, cy = played.players
        for person in (ada, cy):
            await person.click(vote, label(f"vote-{ballot}"))
        match = load_match(house, played.number)
        assert match.vacancy is None
        assert is_house(match.players[1]) == (ballot == "house")
        people = {int(one.id): one for one in (ada, cy)}
        told = await play_and_kill(house, room, played.number, people, chance, at_most(30, 8), int(vote.id))
        print(f"{ballot}: {told}")
