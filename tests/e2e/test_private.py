"""Private commands work in direct messages and wherever people have installed the bot; a private bot in its servers."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bot.texts.i18n import text
from sandbox.discord_types import Channel, Guild
from sandbox.people import Person, RefusedError
from tests.e2e.database_contents import settled
from tests.e2e.forged_components import button, plant
from tests.e2e.house import Bot, House
from tests.e2e.room import Room, set_own
from tests.sentences import part

pytestmark = pytest.mark.asyncio(loop_scope="session")

PRIVATE = {
    "help": {},
    "games": {},
    "plan": {},
    "puzzle": {},
    "me settings": {},
    "me data": {},
    "learn lessons": {"variant": "camelot"},
    "learn rules": {"variant": "cam-3d"},
    "me vacation": {"days": 2},
}
PUBLIC = ("play", "move", "board", "game resign", "ladder show", "server settings", "referee end")


async def door(person: Person) -> str:
    """Returns their direct messages with the bot."""
    return str((await person.call("POST", f"/app/people/{person.id}/dm"))["id"])


async def brought(room: Room, person: Person) -> str:
    """Returns a channel of a server without the bot, in which that person uses it."""
    await person.call("PATCH", f"/app/people/{person.id}", {"installed": True})
    return await person.find("#silence")


async def test_private_things_are_answered_in_direct_messages_and_outside_the_bots_servers(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    for place in (await door(ada), await brought(room, ada)):
        before = len(await ada.messages(place))
        for command, options in PRIVATE.items():
            reply = await ada.command(place, command, **options)
            assert not reply.failed, command
            assert reply.ephemeral, command
            assert part("failure.unknown", code="") not in reply.text, reply.text
            assert reply.text != text("en", "failure.wrong-place"), command
        for command in PUBLIC:
            options = {"variant": "camelot"} if command in ("play", "ladder show") else {}
            with pytest.raises(RefusedError):
                await ada.command(place, command, **options)
        answers = len(PRIVATE) + 1  # the answer to /me data is two messages
        assert len(await ada.messages(place)) - before == answers, "one answer each, and nothing else"
    assert not await bo.messages(await bo.find("#silence")), "nobody else sees any of it"


async def test_what_is_set_alone_with_the_bot_holds_everywhere(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    place = await door(ada)
    assert "**Europe/Oslo** ✅ saved\n" in (await set_own(ada, place, zone="Europe/Oslo")).text
    played = await room.start("camelot", ada, bo)
    assert (await ada.command(place, "me vacation", days=2)).ephemeral
    told = await bo.wait_for(room.channel, lambda said: f"#{played.number}" in said.text and "vacation" in said.text)
    assert not told.ephemeral, "the opponent reads of it where the game is"
    assert "**Europe/Oslo**\n" in (await ada.command(room.channel, "me settings")).text


async def test_the_games_of_all_servers_are_listed_with_links(room: Room) -> None:
    here, ada, bo = await room.start_two()
    there = await room.start("cam-3d", ada, bo, channel=await ada.find("#elsewhere"))
    court = Room.guild_of(room.house, "Other Court")
    await settled(room.house)  # else the newest board has no link yet
    for place in (await door(ada), await brought(room, ada)):
        said = (await ada.command(place, "games")).text
        assert f"#{here.number}" in said
        assert f"#{there.number}" in said
        assert f"/channels/{room.guild}/{room.channel}/" in said
        assert f"/channels/{court}/" in said
        others = (await ada.command(place, "games", player=bo)).text
        assert f"#{here.number}" in others, "where one plays oneself"
    assert f"#{there.number}" not in (await ada.command(room.channel, "games")).text


async def test_elsewhere_a_private_bot_says_so(tmp_path: Path) -> None:
    house = House(tmp_path)
    await house.open(start=False)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(house.close)
        world = house.server.world
        home = world.guilds[Room.guild_of(house, "Round Table")]
        world.put(Guild(home.id + 1, "Court", members=home.members))
        world.put(Channel(home.id + 500, home.id + 1, "abroad"))
        house.bot = Bot(tmp_path, ROUNDTABLE_SERVERS=str(home.id), ROUNDTABLE_SANDBOX_URL=house.url)
        await house.start_bot()
        ada = await stack.enter_async_context(await house.join("Ada"))
        private = text("en", "failure.other-server")
        assert (await ada.command("#abroad", "play", variant="camelot")).text == private
        assert (await ada.command("#abroad", "help")).text == private
        pressed = plant(house, str(home.id + 500), button("rt:rules:0:0:camelot"))
        assert (await ada.click(pressed, "rt:rules:0:0:camelot")).text == private
        with pytest.raises(TimeoutError):
            await ada.autocomplete("#abroad", "move", {}, "game")
        assert part("table.offered") in (await ada.command("#round-table", "play", variant="camelot")).text
        assert house.bot.query("SELECT count(*) FROM matches") == [(1,)]
