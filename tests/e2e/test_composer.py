"""Moves through the composer alone: whole games, restarts in between, and everything that can get in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.composing import compose, described, menu, open_panel, options, pick, play, value_of
from tests.e2e.house import House
from tests.e2e.judging import check_end, check_picture, check_turn, moves_of, read_record
from tests.e2e.room import Played, Room
from tests.sandbox.people import Person

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def a_game(room: Room, variant: str = "camelot") -> tuple[Played, Person, Person, Person]:
    """Ada and Bo play, Cy looks on."""
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    played = await room.start(variant, ada, bo)
    played.onlookers.append(cy)
    return played, ada, bo, cy


@pytest.mark.parametrize("name", ["cam-3d-castle", "camelot-castle", "chivalry-castle", "tri-camelot-castle"])
async def test_a_whole_game_is_played_through_the_composer_while_the_bot_is_killed(
    room: Room, house: House, tmp_path: Path, name: str
) -> None:
    record = read_record(name)
    variant = record.origin.variant
    players = await room.enter(*("Ada", "Bo", "Cy")[: len(variant.seats)])
    played = await room.start(variant.key, *players)
    moves = moves_of(name)
    for number, move in enumerate(moves):
        before = played.game
        if number in (2, len(moves) // 2):
            await house.kill_bot()
            await house.start_bot()
        said = await play(played, move, by_end=number % 2 == 1)
        await check_turn(played.players[0], said, before, played.game)
    await check_end(played, tmp_path)
