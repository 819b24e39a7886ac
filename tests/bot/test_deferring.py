"""Presses whose answer takes long: Discord hears in time that one will come."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.discordkit.reply import defer_if_slow


class Press:
    """A press that counts its deferrals; it is late at once if `late`."""

    def __init__(self, *, late: bool) -> None:
        self.deferred = asyncio.Event()
        self.deferrals = 0
        self.type = discord.InteractionType.component
        self.extras = {"due": asyncio.get_running_loop().time()} if late else {}
        self.response = SimpleNamespace(is_done=self.deferred.is_set, defer=self.defer)

    async def defer(self) -> None:
        self.deferrals += 1
        self.deferred.set()


async def test_a_late_press_is_deferred_once_while_its_answer_is_made() -> None:
    press: Any = Press(late=True)

    async def work() -> str:
        await press.deferred.wait()
        return "answer"

    assert await defer_if_slow(press, defer_if_slow(press, work())) == "answer"
    assert press.deferrals == 1


@pytest.mark.parametrize("answers", ["at once", "after a moment"])
async def test_a_press_answered_in_time_is_not_deferred(answers: str) -> None:
    press: Any = Press(late=False)

    async def work() -> str:
        if answers != "at once":
            await asyncio.sleep(0)
        return answers

    assert await defer_if_slow(press, work()) == answers
    assert press.deferrals == 0
