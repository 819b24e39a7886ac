"""Every option of every command, with any text: the bot answers once, in time, and changes no game."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.people import Person, RefusedError
from tests.e2e.hunting import check_answer, commands, hunt, junk
from tests.e2e.room import Room
from tests.e2e.stock import settled, stock

pytestmark = pytest.mark.asyncio(loop_scope="session")

Json = dict[str, Any]

SPARED = frozenset({"play"})
"""Commands by which a stranger may legitimately change something about games."""

SHOWABLE = frozenset({"board", "replay"})
"""Commands whose answers are public if `public` asks for it; a table always is."""

NOBODYS = st.sampled_from(["0", "999999999", "99999999999999999", "#x", "@everyone", "\u202e"])
"""Texts typed for a game that name none."""

NUMBERS: dict[str, int] = {}
"""The game of each room."""
EVERYBODY, EVERYWHERE = list[str](), list[str]()
"""The people and places at the start of a hunt: drawn values must not depend on later acts."""


async def people(room: Room) -> tuple[Person, Person]:
    """A stranger to the room's game, and one who also manages the server."""
    if "Eve" not in room.people:
        ada, bo, eve, mod = await room.enter("Ada", "Bo", "Eve", "Mod")
        await eve.call("PUT", f"/app/guilds/{room.guild}/members/{mod.id}", {"manages": True})
        NUMBERS[room.name] = (await room.start("camelot", ada, bo)).number
        world = room.house.server.world
        EVERYBODY[:] = sorted(str(one) for one in world.people)
        EVERYWHERE[:] = sorted(str(one.id) for one in world.channels.values() if one.guild_id is not None)
        await settled(room.house)
    return room.people["Eve"], room.people["Mod"]


def value(draw: st.DrawFn, option: Json, known: st.SearchStrategy[str]) -> Any:
    """Draws a value that the client would send for that option, or at least try to."""
    if option["choices"]:
        return draw(st.sampled_from([one["value"] for one in option["choices"]]))
    match option["type"]:
        case "string":
            return draw(known if option["name"] == "game" else junk)
        case "integer":
            least, most = option["min_value"] or 0, option["max_value"] or 10**6
            return draw(st.integers(least, most) | st.sampled_from([least, most, -1, 2**53]))
        case "boolean":
            return draw(st.booleans())
        case "user":
            return draw(st.sampled_from(EVERYBODY))
        case "channel":
            return draw(st.sampled_from(EVERYWHERE))
    raise AssertionError(option)


@hunt
@given(data=st.data())
async def test_no_option_brings_the_bot_down_or_changes_a_game(room: Room, data: st.DataObject) -> None:
    eve, mod = await people(room)
    everything = sorted(commands(await mod.commands()))
    for name, options in data.draw(st.lists(st.sampled_from(everything), min_size=3, max_size=3)):
        managing = name.startswith(("referee", "server"))
        person = mod if managing and name != "server settings" else eve
        number = str(NUMBERS[room.name])
        # A referee may rule, so only texts that name no game are bad input for them.
        known = NOBODYS if managing else NOBODYS | junk | st.sampled_from([number, f"#{number}"])
        given_options = {
            option["name"]: value(data.draw, option, known)
            for option in options
            if option["required"] or data.draw(st.booleans())
        }
        before = stock(room.house)["events"]
        with suppress(RefusedError):  # Discord's client rejects some values
            reply = await person.command(room.channel, name, **given_options)
            shown = name in SHOWABLE and given_options.get("public", False)
            check_answer(reply, public=name == "play" or shown)
        if name not in SPARED:
            assert stock(room.house)["events"] == before, (name, given_options)


@hunt
@given(data=st.data())
async def test_every_suggestion_comes_in_time_whatever_is_typed(room: Room, data: st.DataObject) -> None:
    eve, mod = await people(room)
    asked = [
        (name, options, option["name"])
        for name, options in sorted(commands(await mod.commands()))
        for option in options
        if option["autocomplete"]
    ]
    name, options, focused = data.draw(st.sampled_from(asked))
    person = mod if name.startswith("referee") else eve
    typed = {one["name"]: data.draw(junk) for one in options if one["type"] == "string" and not one["choices"]}
    with suppress(RefusedError):  # a TimeoutError reports a late answer
        await person.autocomplete(room.channel, name, typed, focused)
