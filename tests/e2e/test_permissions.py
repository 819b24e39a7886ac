"""The table of who may do what (`tests/e2e/permissions.py`), walked row by row: whole indoors, some rows in Discord."""

from __future__ import annotations

from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path

import pytest
from discord import app_commands

from bot.client import RoundTable
from bot.discordkit.components import FAMILIES
from bot.play.background import Pictures
from bot.store import Store
from sandbox.people import Person
from tests.e2e.clock import ClockHouse
from tests.e2e.house import House
from tests.e2e.indoors import Indoors
from tests.e2e.permission_acts import outcome, sentences
from tests.e2e.permission_rows import PROMISE, Outcome, Row
from tests.e2e.permissions import ROWS
from tests.e2e.room import Room
from tests.e2e.scenes import Scene

in_house = pytest.mark.asyncio(loop_scope="session")

_NUMBERS = count(1)


THROUGH_DISCORD = (
    *("/play", "rt:join", "/move", "rt-form", "/plan", "rt:draw-accept", "rt:vote-draw", "/referee clock"),
    *("rt-mine:value", "/ladder challenge", "/league join", "rt-sheet"),
)
"""The rows that are also walked through the whole program: of each kind of act and person some."""


@in_house
@pytest.mark.parametrize("act", ROWS)
async def test_everybody_may_do_what_the_table_says_and_nothing_else(court: Indoors, act: str) -> None:
    await follow_row(court, act)


@in_house
@pytest.mark.parametrize("act", THROUGH_DISCORD)
async def test_the_whole_program_lets_the_same_people_do_it(real_court: ClockHouse, act: str) -> None:
    await follow_row(real_court, act)


async def follow_row(court: House, act: str) -> None:
    """Asserts that the act has the outcomes that its row promises."""
    row = ROWS[act]
    async with AsyncExitStack() as stack:
        judge = await stack.enter_async_context(await court.join("Ada"))
        here = Scene(court, await Room.found(court, f"court-{next(_NUMBERS)}", stack), stack, judge)
        await here.begin(row.scene)
        came = await walk(here, act, row)
        await here.end()
    assert came == {who: row.promised(who) for who in PROMISE}


async def walk(here: Scene, act: str, row: Row) -> dict[str, Outcome | None]:
    """Returns the result of the act for each kind of person, in the order of the table."""
    right, place = here.people[here.right], here.room.channel
    elsewhere = await here.foreigner.find("#elsewhere")

    async def outcome_for(who: str, person: Person, channel: str) -> Outcome:
        return await outcome(here, act, row, person, channel, row.promised(who))

    came: dict[str, Outcome | None] = {
        "foreigner": await outcome_for("foreigner", here.foreigner, elsewhere),
        "stranger": row.stranger and await outcome_for("stranger", here.people["Eve"], place),
        "wrong": row.wrong and await outcome_for("wrong", here.people[here.wrong], place),
    }
    home, abroad = (f"/app/guilds/{guild}/members/{right.id}" for guild in (here.room.guild, here.abroad))
    manages = int(right.id) in here.house.server.world.guild(here.room.guild).managers
    await right.call("PUT", home, {"member": False})
    came["departed"] = await outcome_for("departed", right, place)
    await right.call("PUT", abroad, {"member": True, "manages": True})
    came["emigrant"] = await outcome_for("emigrant", right, elsewhere)
    await right.call("PUT", abroad, {"member": False})
    await right.call("PUT", home, {"member": True, "manages": manages})
    came["right"] = await outcome_for("right", right, place)
    came["again"] = await outcome_for("again", right, place)
    await here.end()
    came["late"] = await outcome_for("late", right, place)
    return came


async def test_every_command_button_menu_and_form_has_a_row(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "rt.db") as store:
        with Pictures() as pictures:
            async with RoundTable(store, pictures) as client:
                await client.add_all_cogs()
                commands = {
                    f"/{command.qualified_name}"
                    for command in client.tree.walk_commands()
                    if isinstance(command, app_commands.Command)
                }
    components = {f"{prefix}:{name}".rstrip(":") for prefix, family in FAMILIES.items() for name in family.handlers}
    there = commands | components
    assert not there - ROWS.keys(), (
        "these need a row in tests/e2e/permissions.py, so that it is written down and tried who may do them: "
        + ", ".join(sorted(there - ROWS.keys()))
    )
    assert not ROWS.keys() - there, "these rows are of nothing that there is"


def test_no_two_reasons_say_the_same() -> None:
    said = [pattern.pattern for pattern in sentences().values()]
    assert len(said) == len({*said})
