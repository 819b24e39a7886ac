"""First answers whose outcome Discord reports wrongly, for every act in the table of who may do what.

If Discord has not accepted the answer, nothing is done; if it has, and reports a failure, the act is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count

import pytest
import pytest_asyncio
from aiohttp import web

from sandbox.errors import Code
from sandbox.faults import Serve, refused, status
from tests.e2e.clock import ClockHouse
from tests.e2e.conftest import START
from tests.e2e.faults.moving import ANSWER
from tests.e2e.house import complaints
from tests.e2e.permission_acts import do, outcome
from tests.e2e.permission_rows import DONE
from tests.e2e.permissions import ROWS
from tests.e2e.room import Room
from tests.e2e.scenes import Scene
from tests.e2e.stock import differences, settled, stock
from tests.examples import ordinarily

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOT_TAKEN = (Code.ALREADY_ANSWERED, Code.UNKNOWN_INTERACTION)
"""Discord's codes at the only attempt: another instance has answered, or the answer comes too late."""

OFTEN = ("/move", "rt:join", "rt-typed:house-rules")
"""A command, a button and a form; the long run walks the others."""

_NUMBERS = count(1)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ClockHouse]:
    """A house at a clock of its own."""
    async with ClockHouse.at(tmp_path_factory.mktemp("lost"), START) as house:
        yield house


@asynccontextmanager
async def scene_of(house: ClockHouse, act: str) -> AsyncIterator[Scene]:
    """Returns the scene in which that act is possible."""
    async with AsyncExitStack() as stack:
        judge = await stack.enter_async_context(await house.join("Ada"))
        here = Scene(house, await Room.found(house, f"lost-{next(_NUMBERS)}", stack), stack, judge)
        await here.begin(ROWS[act].scene)
        yield here
        await here.end()


@pytest.mark.parametrize("act", ordinarily(ROWS, *OFTEN))
async def test_a_request_is_done_exactly_if_discord_took_it_despite_500(house: ClockHouse, act: str) -> None:
    row, faults = ROWS[act], house.server.faults
    async with scene_of(house, act) as here:
        right, place = here.people[here.right], here.room.channel
        before = await settled(house)
        for code in NOT_TAKEN:
            rule = faults.add(ANSWER, refused(code))
            unanswered = asyncio.create_task(do(here, act, row, right, place))
            await house.until(lambda rule=rule: rule.struck == 1, "asked")  # type: ignore[misc]  # the default is the rule
            for _ in range(100):
                if not differences(before, stock(house)):  # a table that nobody has seen is deleted at once
                    break
                await asyncio.sleep(0.02)
            assert not differences(before, stock(house)), code
            unanswered.cancel()
            await asyncio.gather(unanswered, return_exceptions=True)
        faults.add(ANSWER, status(500, done=True))
        # The first person to do it has an effect; the table's "right" one may come after others.
        expected = DONE if DONE in (row.foreigner, row.stranger, row.emigrant, row.right) else row.right
        came = await outcome(here, act, row, right, place, expected)
    assert came == expected, house.bot.log[-2000:]


async def test_suggestions_that_nobody_waits_for_any_more_are_no_fault(house: ClockHouse) -> None:
    async def answered_twice(request: web.Request, serve: Serve) -> web.StreamResponse:
        await serve(request)
        return await refused(Code.ALREADY_ANSWERED)(request, serve)

    async with scene_of(house, "/move") as here:
        seen = len(house.bot.log)
        rule = house.server.faults.add(ANSWER, answered_twice)
        person = here.people[here.right]
        assert await person.autocomplete(here.room.channel, "move", {"move": ""}, "move")
        assert (await person.command(here.room.channel, "games")).ephemeral
        assert rule.struck == 1
        assert complaints(house.bot.log[seen:]) == []
