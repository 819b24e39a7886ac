"""A channel in which Discord accepts nothing for a while: players elsewhere notice nothing."""

from __future__ import annotations

import pytest

from sandbox.faults import limited, status
from tests.e2e.faults.moving import OUTAGE, POST, Only, a_game, marked
from tests.e2e.room import Room

pytestmark = pytest.mark.asyncio(loop_scope="session")

REST = 100
"""Seconds for which Discord wants a rest; the house waits for a fortieth of them."""


async def test_one_limited_channel_holds_up_no_game_of_another(room: Room) -> None:
    slow, ada, bo = await a_game(room)
    elsewhere = await room.start("camelot", ada, bo, channel=await room.add_channel("elsewhere"))
    faults = room.house.server.faults
    faults.add(POST, status(503), times=None)
    for played in (slow, elsewhere):  # in this order, so that the limited one is due first
        assert OUTAGE in (await played.try_move("F7-F8")).text
    faults.lift()
    limit = Only(limited(REST), slow.channel)
    faults.add(POST, limit, times=None)
    elsewhere.game = elsewhere.game.play("F7-F8")
    await elsewhere.told(ada)
    assert limit.struck[slow.channel] <= 1, "the others waited for all of its tries"
    await elsewhere.move("F10-F9")
    await room.house.until(lambda: limit.struck[slow.channel] > 0, "limited")
    await slow.quiet(ada)
    faults.lift()
    await marked(room)
    slow.game = slow.game.play("F7-F8")
    await slow.told(ada)
