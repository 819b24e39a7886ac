"""Whole games with a Discord as hard as the real one: rate limits, delays, and reordered events."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import HARD
from tests.e2e.house import House
from tests.e2e.judging import RECORDS, check_end, moves_of, variant_of
from tests.e2e.room import Played, Room

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.whole]

PER_MOVE = 2.2
"""Requests counted towards the 50 a second, per move on average: a board, the old buttons, few more."""


@pytest.fixture
def hard(house: House) -> Iterator[House]:
    """The house with a hard Discord. The only invalid requests are discord.py's retries beyond a limit."""
    was = house.server.faults.hardness
    house.server.faults.hardness = replace(HARD, answer_within=house.answer_within)
    house.server.tally.clear()
    yield house
    house.server.faults.hardness = was
    print(house.server.tally)
    assert house.server.tally.invalid <= house.server.tally.failed


async def play(room: Room, name: str, moves: int | None = None) -> Played:
    """Plays the first moves of that game, or all; each is announced in one message."""
    variant = variant_of(name)
    people = await room.enter(*"ABC"[: len(variant.seats)])
    played = await room.start(variant.key, *people)
    for move in moves_of(name)[:moves]:
        await played.move(move)
    return played


async def test_a_few_moves(hard: House, room: Room) -> None:
    played = await play(room, "camette-castle", 2)
    await played.quiet()


@pytest.mark.long
@pytest.mark.timeout(900)
async def test_games_of_all_kinds_at_once(hard: House, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    shortest: dict[str, str] = {}
    for name in sorted(RECORDS, key=lambda name: len(moves_of(name))):
        shortest.setdefault(variant_of(name).key, name)
    names = [*shortest.values()] if pytestconfig.option.minutes else [*RECORDS]
    async with AsyncExitStack() as stack:
        rooms = [await Room.found(hard, f"hard-{name}", stack) for name in names]
        hard.server.tally.clear()
        games = await asyncio.gather(*(play(room, name) for room, name in zip(rooms, names, strict=True)))
        for played in games:
            await played.quiet()
            await check_end(played, tmp_path)
    moves = sum(len(played.game.moves) for played in games)
    # Edits left over from other tests in the same house do not count.
    counted = sum(hard.server.tally.places[room.channel] for room in rooms)
    print(f"{len(games)} games, {moves} moves, {counted / moves:.2f} requests a move, {dict(hard.server.tally.asked)}")
    assert counted <= PER_MOVE * moves + 2 * len(games)  # a game also has a start
