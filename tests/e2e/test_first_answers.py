"""Every command, button, menu, form and list of suggestions is answered while the store stands still; and first answers
whose outcome Discord reports wrongly, for every act in the table of who may do what.

If Discord has not accepted the answer, nothing is done; if it has, and reports a failure, the act is done.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
import pytest_asyncio
from aiohttp import web

from sandbox.errors import Code
from sandbox.faults import Serve, refused, status
from sandbox.limits.interactions import Kind
from tests.e2e.answer_checks import unheard
from tests.e2e.clock import ClockHouse
from tests.e2e.conftest import START
from tests.e2e.database_contents import differences, settled, stock
from tests.e2e.faults.moving import ANSWER
from tests.e2e.gated_program import GATE
from tests.e2e.house import complaints
from tests.e2e.permission_acts import do, let_everybody_try, outcome, suggesting
from tests.e2e.permissions import DONE, ROWS
from tests.e2e.room import Room
from tests.e2e.scenes import Scene
from tests.examples import ordinarily

pytestmark = pytest.mark.asyncio(loop_scope="session")

T = TypeVar("T")
SCENES = {row.scene: [act for act, other in ROWS.items() if other.scene == row.scene] for row in ROWS.values()}
ORDINARY = ("table for cancel", "judge", "league on")
PATIENCE_S = 30.0
"""Seconds for which the store stands still if nobody is answered: far more than Discord waits, since the machine may be
busy. What answers before does not wait for the store."""


class GatedHouse(ClockHouse):
    """A house whose store a test can hold up."""

    module = "tests.e2e.gated_program"

    @property
    def gate(self) -> Path:
        """The file that holds the store up."""
        return self._folder / GATE


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def gated(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[GatedHouse]:
    async with GatedHouse(tmp_path_factory.mktemp("gated"), START).faultless() as house:
        let_everybody_try(house)
        yield house


async def held_up(house: GatedHouse, acting: Coroutine[Any, Any, T], *kinds: Kind) -> tuple[bool, T]:
    """Returns whether an act is answered in time while the store stands still, and what comes of it afterwards."""
    last, begun = house.server.world.next_id(), time.monotonic()
    house.gate.touch()
    doing, is_answered = asyncio.create_task(acting), False
    try:
        while not is_answered and time.monotonic() - begun < PATIENCE_S:
            await asyncio.sleep(0.01)
            asked = [one for one in house.server.world.interactions.values() if one.id > last and one.kind in kinds]
            is_answered = any(one.answer is not None for one in asked)
    finally:
        house.gate.unlink()
    return is_answered, await doing


@pytest.mark.parametrize("scene", ordinarily(SCENES, *ORDINARY))
async def test_every_act_is_answered_while_the_store_stands_still(gated: GatedHouse, scene: str) -> None:
    late = list[str]()
    async with Scene.opened(gated, scene) as here:
        for act in SCENES[scene]:
            await gated.move_clock(3600)  # what the person may do in an hour is not the question
            acting = do(here, act, ROWS[act], here.people[here.right], here.room.channel)
            in_time, reply = await held_up(gated, acting, Kind.COMMAND, Kind.COMPONENT, Kind.MODAL)
            late += [] if in_time else [act]
            assert not reply.failed, act
        await settled(gated)
    assert late == []


async def test_every_list_of_suggestions_is_answered_while_the_store_stands_still(gated: GatedHouse) -> None:
    late = list[str]()
    async with Room.opened(gated, "suggestions") as room:
        judge = await room.enter_owner()
        for command, option in suggesting():
            await gated.tick()  # until then the store was held up nearly all the time, and so was the lease
            asking = judge.autocomplete(room.channel, command, {option: ""}, option)
            in_time, _ = await held_up(gated, asking, Kind.AUTOCOMPLETE)
            late += [] if in_time else [f"{command} {option}"]
    assert late == []


# First answers that are lost


NOT_TAKEN = (Code.ALREADY_ANSWERED, Code.UNKNOWN_INTERACTION)
"""Discord's codes at the only attempt: another instance has answered, or the answer comes too late."""

OFTEN = ("/move", "rt:join", "rt-server-form")
"""A command, a button and a form; the long run walks the others."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ClockHouse]:
    """A house at a clock of its own."""
    async with ClockHouse.at(tmp_path_factory.mktemp("lost"), START) as house:
        yield house


@pytest.mark.parametrize("act", ordinarily(ROWS, *OFTEN))
async def test_a_request_is_done_exactly_if_discord_took_it_despite_500(house: ClockHouse, act: str) -> None:
    row, faults = ROWS[act], house.server.faults
    async with Scene.opened(house, row.scene) as here:
        right, place = here.people[here.right], here.room.channel
        before = await settled(house)
        for code in NOT_TAKEN:
            rule = faults.add(ANSWER, refused(code))
            async with unheard(do(here, act, row, right, place)):
                await house.until(lambda rule=rule: rule.struck == 1, "asked")  # type: ignore[misc]  # the default is the rule
                # A table that nobody has seen is deleted at once.
                await house.until(lambda: not differences(before, stock(house)), f"undone after {code}")
        faults.add(ANSWER, status(500, done=True))
        # The first person to do it has an effect; the table's "right" one may come after others.
        expected = DONE if DONE in (row.foreigner, row.stranger, row.emigrant, row.right) else row.right
        came = await outcome(here, act, row, right, place, expected)
        await here.end()
    assert came == expected, house.bot.log[-2000:]


async def test_suggestions_that_nobody_waits_for_any_more_are_no_fault(house: ClockHouse) -> None:
    async def answered_twice(request: web.Request, serve: Serve) -> web.StreamResponse:
        await serve(request)
        return await refused(Code.ALREADY_ANSWERED)(request, serve)

    async with Scene.opened(house, "turn") as here:
        seen = len(house.bot.log)
        rule = house.server.faults.add(ANSWER, answered_twice)
        person = here.people[here.right]
        assert await person.autocomplete(here.room.channel, "move", {"move": ""}, "move")
        assert (await person.command(here.room.channel, "games")).ephemeral
        assert rule.struck == 1
        assert complaints(house.bot.log[seen:]) == []
