"""The table of who may do what (`tests/e2e/permissions.py`), walked row by row: whole indoors, some rows in Discord."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import pytest

from sandbox.people import Person
from tests.e2e.clock import ClockHouse
from tests.e2e.house import House
from tests.e2e.indoors import Indoors
from tests.e2e.permission_acts import outcome, sentences
from tests.e2e.permissions import DONE, PROMISE, ROWS, Outcome
from tests.e2e.scenes import Scene
from tests.examples import ordinarily

in_house = pytest.mark.asyncio(loop_scope="session")

ALWAYS = (
    *("/play", "rt:join", "/move", "rt-form", "/plan", "rt:draw-accept", "rt:vote-draw", "/referee clock"),
    *("rt-mine:value", "/ladder challenge", "/league join", "rt-sheet"),
)
IN_HUNTS = (
    *("rt:cancel", "rt-press:commit", "rt-line:typed", "/game draw", "rt:take-over", "rt:give-time"),
    *("/server settings", "rt-typed:forget-me"),
)
"""The rows that are also walked through the whole program: of each kind of act and person some."""


TOGETHER = 8
"""How many acts are tried in one scene: more of them in so short a time would be refused as too many."""


def tried_together() -> Iterator[list[str]]:
    """Yields all acts: those that store nothing some at a time, as they leave the scene as it is; any other alone."""
    harmless = defaultdict[str, list[str]](list)
    for act, row in ROWS.items():
        if DONE in map(row.promised, PROMISE):
            yield [act]
        else:
            harmless[row.scene].append(act)
    for acts in harmless.values():
        scenes = -(-len(acts) // TOGETHER)
        yield from (acts[start::scenes] for start in range(scenes))  # neighbours share limits, so they are tried apart


@in_house
@pytest.mark.parametrize("acts", [*tried_together()], ids=" ".join)
async def test_everybody_may_do_what_the_table_says_and_nothing_else(open_house: Indoors, acts: Sequence[str]) -> None:
    await follow_rows(open_house, acts)


@in_house
@pytest.mark.parametrize("act", ordinarily(ALWAYS + IN_HUNTS, *ALWAYS))
async def test_the_whole_program_lets_the_same_people_do_it(real_open_house: ClockHouse, act: str) -> None:
    await follow_rows(real_open_house, [act])


async def follow_rows(open_house: House, acts: Sequence[str]) -> None:
    """Asserts that acts of one scene have the outcomes that their rows promise."""
    async with Scene.opened(open_house, ROWS[acts[0]].scene) as here:
        came = await walk(here, acts)
        await here.end()
    assert came == {act: {who: ROWS[act].promised(who) for who in PROMISE} for act in acts}


async def walk(here: Scene, acts: Sequence[str]) -> dict[str, dict[str, Outcome | None]]:
    """Returns the results of the acts for each kind of person, in the order of the table."""
    right, place = here.people[here.right], here.room.channel
    elsewhere = await here.foreigner.find("#elsewhere")
    came: dict[str, dict[str, Outcome | None]] = {act: dict.fromkeys(PROMISE) for act in acts}

    async def try_as(who: str, person: Person, channel: str) -> None:
        for act in acts:
            if promised := ROWS[act].promised(who):
                came[act][who] = await outcome(here, act, ROWS[act], person, channel, promised)

    await try_as("foreigner", here.foreigner, elsewhere)
    await try_as("stranger", here.people["Eve"], place)
    await try_as("wrong", here.people[here.wrong], place)
    home, abroad = (f"/app/guilds/{guild}/members/{right.id}" for guild in (here.room.guild, here.abroad))
    manages = int(right.id) in here.house.server.world.guild(here.room.guild).managers
    await right.call("PUT", home, {"member": False})
    await try_as("departed", right, place)
    await right.call("PUT", abroad, {"member": True, "manages": True})
    await try_as("emigrant", right, elsewhere)
    await right.call("PUT", abroad, {"member": False})
    await right.call("PUT", home, {"member": True, "manages": manages})
    await try_as("right", right, place)
    await try_as("again", right, place)
    await here.end()
    await try_as("late", right, place)
    return came


def test_no_two_reasons_say_the_same() -> None:
    said = [pattern.pattern for pattern in sentences().values()]
    assert len(said) == len({*said})
