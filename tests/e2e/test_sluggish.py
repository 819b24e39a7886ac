"""Presses answered with a picture that takes longer to draw than the three seconds that Discord waits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox.limits import ANSWER_WITHIN
from sandbox.people import Reply
from tests.e2e.composing import open_panel, options, pick, value_of
from tests.e2e.house import House, complaints
from tests.e2e.room import Room

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def slow_room(tmp_path: Path) -> AsyncIterator[Room]:
    """A room in a house whose bot draws slowly."""
    house = House(tmp_path, "tests.e2e.sluggish")
    house.answer_within = ANSWER_WITHIN
    await house.open()
    try:
        async with AsyncExitStack() as stack:
            yield await Room.found(house, "hall", stack)
        assert complaints(house.bot.log) == []
        assert house.strange == []
    finally:
        await house.close()


def _changed(reply: Reply) -> Reply:
    assert not reply.failed, reply
    assert "update" in reply.answer, reply
    return reply


@pytest.mark.long
async def test_the_composer_answers_in_time_and_adds_the_picture_when_ready(slow_room: Room) -> None:
    ada, bo = await slow_room.enter("Ada", "Bo")
    played = await slow_room.start("camelot", ada, bo)
    board = played.game.variant.board
    panel = await open_panel(played)
    panel = _changed(await pick(ada, panel, "piece", value_of(board.find_cell("F7"))))
    panel = _changed(await pick(ada, panel, "leg", value_of(board.find_cell("F8"))))
    assert "`F7-F8`" in panel.text
    panel = _changed(await ada.click(panel, "Back"))
    assert options(panel, "leg")
    form = await ada.click(panel, "Type it")
    panel = _changed(await ada.submit(form, {"move": "F7-F8"}))
    assert "`F7-F8`" in panel.text


@pytest.mark.long
async def test_a_lesson_and_a_book_of_rules_are_answered_in_time(slow_room: Room) -> None:
    (ada,) = await slow_room.enter("Ada")
    said = await ada.command(slow_room.channel, "learn lessons", variant="camelot")
    said = _changed(await ada.click(said, "Skip"))
    assert "lesson 2 of" in said.text
    said = await ada.command(slow_room.channel, "learn rules", variant="camelot")
    said = _changed(await ada.click(said, "Next"))
    assert "Page 2 of" in said.text
