"""Ctrl+C where asyncio takes no signal handlers, as on Windows: the client is closed first, then the store."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from sandbox.faults import late
from tests.e2e.faults.moving import OF_A_MOVE, is_played, moves
from tests.e2e.house import House, complaints
from tests.e2e.room import Room

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_ctrl_c_in_the_middle_of_a_move_leaves_time_to_answer(tmp_path: Path) -> None:
    async with House(tmp_path, "tests.e2e.handlerless") as house, Room.opened(house) as room:
        played, *_ = await room.start_two()
        rule = house.server.faults.add(OF_A_MOVE["answer"], late(0.4))
        asked = asyncio.create_task(played.try_move("F7-F8"))
        await house.until(lambda: rule.struck == 1, "in the middle")
        assert await house.bot.end(signal.SIGINT) == 0
        assert is_played(await asked, played)
        assert moves(played) == ["F7-F8"]
        log = house.bot.log
        assert complaints(log) == []
        assert "event=stopping" in log
        assert "Traceback" not in log


async def test_ctrl_c_at_rest_ends_it_without_a_word_of_complaint(tmp_path: Path) -> None:
    async with House(tmp_path, "tests.e2e.handlerless") as house:
        assert await house.bot.end(signal.SIGINT) == 0
        assert complaints(house.bot.log) == []
        assert "Traceback" not in house.bot.log
