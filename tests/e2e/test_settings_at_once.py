"""Settings changed by several commands at once: no command undoes the change of another."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import AsyncExitStack

import pytest

from bot.texts.i18n import text
from sandbox.people import Person, Reply
from tests.e2e.database import Other
from tests.e2e.house import House
from tests.e2e.room import Room

pytestmark = pytest.mark.asyncio(loop_scope="session")

HELD = 0.5
"""Seconds for which another program holds the database: long enough for all commands to arrive and wait."""


async def at_once(house: House, *acts: Awaitable[Reply]) -> list[Reply]:
    """Returns the answers to acts that all start before anything is stored."""
    with Other(house.bot.database).locked():
        asked = [asyncio.ensure_future(act) for act in acts]
        await asyncio.sleep(HELD)
        assert not any(one.done() for one in asked)
    return list(await asyncio.gather(*asked))


async def test_what_two_managers_set_at_once_holds_both(own_house: House) -> None:
    async with AsyncExitStack() as stack:
        judge = await stack.enter_async_context(await Person.join(own_house.url, "Ada"))
        room = await Room.found(own_house, "court", stack)
        shown = [await judge.command(room.channel, "server settings") for _ in range(4)]
        names = ("pace", "house-rules", "channels", "house")
        pace, rules, channels, bots = [
            await judge.choose(panel, "rt-server:which:-", [name]) for panel, name in zip(shown, names, strict=True)
        ]
        await at_once(
            own_house,
            judge.choose(pace, "rt-server:value:pace", ["slow"]),
            judge.submit(rules, {"rules": "Be kind."}),
            judge.choose(channels, "rt-server:channels:channels", [room.channel]),
            judge.choose(bots, "rt-server:value:house", ["no"]),
        )
        stored = "SELECT pace, channels, house_rules, house FROM guild_settings WHERE guild = ?"
        expected = [("slow", room.channel, "Be kind.", 0)]
        await own_house.until(lambda: own_house.bot.query(stored, room.guild) == expected, "stored")
        said = await judge.command(room.channel, "server settings")
        for line in (
            f"{text('en', 'server.pace.name')}: **Slow",
            "House rules: **set**",
            f"{text('en', 'server.channels.name')}: **<#{room.channel}>**",
        ):
            assert line in said.text
        await own_house.stop_bot()
        await own_house.start_bot()
        assert (await judge.command(room.channel, "server settings")).text == said.text


async def test_what_one_sets_on_two_devices_at_once_holds_both(room: Room) -> None:
    (ada,) = await room.enter("Ada")
    boards, hours, shown_to = [
        await ada.choose(await ada.command(room.channel, "me settings"), "rt-mine:which:-", [name])
        for name in ("board", "sleep", "public")
    ]
    said = await at_once(
        room.house,
        ada.command(room.channel, "me settings", zone="Europe/Oslo"),
        ada.choose(boards, "rt-mine:value:board", ["dark"]),
        ada.submit(hours, {"x": "23-7"}),
        ada.choose(shown_to, "rt-mine:value:public", ["off"]),
    )
    assert all("**" in one.text for one in said)
    stored = "SELECT zone, sleep_start, sleep_end, public FROM user_settings WHERE user = ?"
    expected = [("Europe/Oslo", 23 * 60, 7 * 60, 0)]
    await room.house.until(lambda: room.house.bot.query(stored, int(ada.id)) == expected, "stored")
    shown = (await ada.command(room.channel, "me settings")).text
    for value in ("Europe/Oslo", "23:00-07:00"):
        assert value in shown
