"""Whole games at a Discord as hard as the real one: with its limits, its slowness, and its loose events."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from sandbox import HARD
from tests.e2e.house import House
from tests.e2e.judging import RECORDS, check_end, moves_of, variant_of
from tests.e2e.room import Played, Room

pytestmark = pytest.mark.asyncio(loop_scope="session")

PER_MOVE = 2.2
"""Requests that count towards the 50 a second, for each move in the mean: a board, the old buttons, few more."""


@pytest.fixture
def hard(house: House) -> Iterator[House]:
    """The house, while Discord is hard. Nothing may be invalid but what discord.py tries again beyond a limit."""
    was = house.server.faults.hardness
    house.server.faults.hardness = HARD
    house.server.tally.clear()
    yield house
    house.server.faults.hardness = was
    print(house.server.tally)
    assert house.server.tally.invalid <= house.server.tally.failed


async def play(room: Room, name: str, moves: int | None = None) -> Played:
    """The first moves of that game, or all; each is told in one message."""
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
    names = [*shortest.values()] if pytestconfig.option.bounded else [*RECORDS]
    async with AsyncExitStack() as stack:
        rooms = [await Room.found(hard, f"hard-{name}", stack) for name in names]
        hard.server.tally.clear()
        games = await asyncio.gather(*(play(room, name) for room, name in zip(rooms, names, strict=True)))
        for played in games:
            await played.quiet()
            await check_end(played, tmp_path)
    moves = sum(len(played.game.moves) for played in games)
    # What other tests in the same house have left to be tidied is none of these games'.
    counted = sum(hard.server.tally.places[room.channel] for room in rooms)
    print(f"{len(games)} games, {moves} moves, {counted / moves:.2f} requests a move, {dict(hard.server.tally.asked)}")
    assert counted <= PER_MOVE * moves + 2 * len(games)  # a game has to begin as well
