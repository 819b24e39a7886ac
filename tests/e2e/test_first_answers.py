"""Every command, button, menu, form and list of suggestions is answered while the store stands still."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox.limits import Kind
from sandbox.things import Interaction
from tests.e2e.clock import ClockHouse
from tests.e2e.conftest import START
from tests.e2e.gated import GATE
from tests.e2e.permission_acts import do, let_everybody_try, suggesting
from tests.e2e.permissions import ROWS
from tests.e2e.room import Room
from tests.e2e.scenes import Scene
from tests.e2e.stock import settled
from tests.examples import ordinarily

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCENES = {row.scene: [act for act, other in ROWS.items() if other.scene == row.scene] for row in ROWS.values()}
ORDINARY = ("table for cancel", "judge", "league on")
PATIENCE_S = 30.0
"""Seconds for which the store stands still if nobody is answered: far more than Discord waits, since the machine may be
busy. What answers before does not wait for the store."""
_NUMBERS = count(1)


class GatedHouse(ClockHouse):
    """A house whose store a test can hold up."""

    module = "tests.e2e.gated"

    @property
    def gate(self) -> Path:
        """The file that holds the store up."""
        return self._folder / GATE


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def gated(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[GatedHouse]:
    async with GatedHouse(tmp_path_factory.mktemp("gated"), START).faultless() as house:
        let_everybody_try(house)
        yield house


async def first_answer(house: GatedHouse, since: int, kinds: set[Kind]) -> Interaction | None:
    """Returns the interaction after that number, once it has its first answer; None if none comes in time."""
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE_S:
        for asked in house.server.world.interactions.values():
            if asked.id > since and asked.kind in kinds and asked.answer is not None:
                return asked
        await asyncio.sleep(0.01)
    return None


@pytest.mark.parametrize("scene", ordinarily(SCENES, *ORDINARY))
async def test_every_act_is_answered_while_the_store_stands_still(gated: GatedHouse, scene: str) -> None:
    late = list[str]()
    async with AsyncExitStack() as stack:
        room = await Room.found(gated, f"gated-{next(_NUMBERS)}", stack)
        here = Scene(gated, room, stack, await room.enter_owner())
        await here.begin(scene)
        for act in SCENES[scene]:
            await gated.move_clock(3600)  # what the person may do in an hour is not the question
            last = gated.server.world.next_id()
            gated.gate.touch()
            doing = asyncio.create_task(do(here, act, ROWS[act], here.people[here.right], here.room.channel))
            try:
                if await first_answer(gated, last, {Kind.COMMAND, Kind.COMPONENT, Kind.MODAL}) is None:
                    late.append(act)
            finally:
                gated.gate.unlink()
            reply = await doing
            assert not reply.failed, act
        await settled(gated)
    assert late == []


async def test_every_list_of_suggestions_is_answered_while_the_store_stands_still(gated: GatedHouse) -> None:
    late = list[str]()
    async with AsyncExitStack() as stack:
        judge = await stack.enter_async_context(await gated.join("Ada"))
        room = await Room.found(gated, f"gated-{next(_NUMBERS)}", stack)
        for command, option in suggesting():
            last = gated.server.world.next_id()
            gated.gate.touch()
            asking = asyncio.create_task(judge.autocomplete(room.channel, command, {option: ""}, option))
            try:
                if await first_answer(gated, last, {Kind.AUTOCOMPLETE}) is None:
                    late.append(f"{command} {option}")
            finally:
                gated.gate.unlink()
            await asking
    assert late == []
