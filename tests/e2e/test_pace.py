"""The number, order and pace of the bot's requests: Discord counts them all."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from sandbox import HARD
from tests.e2e.faults.moving import EDIT
from tests.e2e.game_checks import moves_of
from tests.e2e.room import Room, wait_for_no_buttons

pytestmark = pytest.mark.asyncio(loop_scope="session")

OF_A_MOVE, OF_A_START = 2, 4
"""Requests that count towards Discord's fifty a second: for a move, its post and the edit of the earlier board; for
a start, the table, the thread, the first board and the edit of the table."""


async def test_a_move_takes_a_post_and_an_edit_and_looks_nobody_up(own_room: Room) -> None:
    ada, bo = await own_room.enter("Ada", "Bo")
    requests, moves = own_room.house.server.requests, moves_of("camelot-capture")[:4]
    requests.clear()
    played = await own_room.start("camelot", ada, bo, thread=True)
    for move in moves:
        await played.move(move)
    await own_room.house.until(lambda: requests.asked[EDIT] == 1 + len(moves), "tidied")
    assert requests.counting == OF_A_START + OF_A_MOVE * len(moves), requests.asked
    assert requests.invalid == 0


async def test_the_player_is_answered_before_the_old_board_is_tidied(own_room: Room) -> None:
    played, ada, _ = await own_room.start_two()
    old, asked = played.last, list[str]()
    await own_room.house.until(lambda: own_room.house.server.requests.asked[EDIT] == 1, "the table tidied")
    own_room.house.meddle = lambda method, template, _: asked.append(f"{method} {template}")
    await played.move("F7-F8")
    await wait_for_no_buttons(ada, old)
    assert [one.split("/")[1] for one in asked] == ["interactions", "channels", "webhooks", "channels"], asked
    assert asked[-1] == EDIT


@pytest.mark.long
async def test_on_a_hard_discord_moves_take_few_and_valid_requests(own_room: Room) -> None:
    ada, bo = await own_room.enter("Ada", "Bo")
    house, requests, moves = own_room.house, own_room.house.server.requests, moves_of("camelot-castle")
    house.server.faults.hardness = replace(HARD, answer_within=house.answer_within)
    requests.clear()
    played = await own_room.start("camelot", ada, bo)
    for move in moves:
        await played.move(move)
    await played.quiet()
    assert requests.invalid <= requests.failed, "but for discord.py's retries beyond a limit"
    assert requests.counting <= 1.1 * OF_A_MOVE * len(moves) + OF_A_START, requests.asked


@pytest.mark.long
async def test_old_boards_are_tidied_no_faster_than_discord_edits_them(own_room: Room) -> None:
    house = own_room.house
    ada, bo = await own_room.enter("Ada", "Bo")
    clock, house.server.world.clock = house.server.world.clock, lambda: time.time() - 7200
    games = [await own_room.start("camelot", ada, bo) for _ in range(5)]
    house.server.world.clock = clock
    house.server.faults.hardness = replace(house.server.faults.hardness, limits=True)
    house.server.requests.clear()
    await asyncio.gather(*(played.try_move("F7-F8", game=str(played.number)) for played in games))
    await asyncio.gather(*(wait_for_no_buttons(ada, played.last) for played in games))
    assert house.server.requests.invalid == 0
