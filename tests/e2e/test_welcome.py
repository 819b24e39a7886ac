"""The welcome in a server that adds the bot: in its system channel, with a button to its settings."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

import pytest
import pytest_asyncio

from bot.texts.i18n import text
from sandbox.people import Person, Said
from sandbox.permissions import Permission
from sandbox.things import VOICE, Channel, Guild, Overwrite
from sandbox.world import BOT_ID
from tests.e2e.house import Bot, House
from tests.e2e.room import Room, public

pytestmark = pytest.mark.asyncio(loop_scope="session")

COURT, LATE, MUTE, HOLLOW = range(1, 5)
"""Servers without the bot; in MUTE it may not post, HOLLOW has no text channel."""


class Courts(NamedTuple):
    """The servers, a manager of them, and a person who is not."""

    house: House
    home: int
    """The server from whose number theirs are counted."""
    manager: Person
    other: Person

    def number(self, court: int) -> int:
        """Returns Discord's id of that server."""
        return self.home + 1000 * court

    async def set_member(self, court: int, *, member: bool) -> None:
        """Adds the bot to that server or removes it."""
        await self.manager.call("PUT", f"/app/guilds/{self.number(court)}/bot", {"member": member})

    def said(self) -> dict[str, list[str]]:
        """Returns what the bot has said in each channel, public or private."""
        world = self.house.server.world
        found = {
            place.name: [one.content for one in world.messages(place.id) if one.author_id == BOT_ID]
            for place in world.channels.values()
        }
        return {name: said for name, said in found.items() if said}

    async def welcomed(self, channel: str) -> Said:
        """Returns the welcome in that channel."""
        return await self.manager.wait_for(channel, lambda said: "Round Table" in said.text)


@pytest_asyncio.fixture(loop_scope="session")
async def courts(own_house: House) -> AsyncIterator[Courts]:
    world = own_house.server.world
    home = world.guilds[Room.guild_of(own_house, "Round Table")]
    people = tuple(one for one in home.members if one != BOT_ID)
    for court in (COURT, LATE, MUTE, HOLLOW):
        guild = home.id + 1000 * court
        world.put(Guild(guild, f"Court {court}", locale="no", members=people, managers=home.managers, community=True))
        world.put(Channel(guild + 100, guild, f"tower-{court}", VOICE))
        if court != HOLLOW:
            deny = int(Permission.SEND_MESSAGES) if court == MUTE else 0
            mute = Overwrite(BOT_ID, member=True, deny=deny)
            world.put(Channel(guild + 200, guild, f"court-{court}", overwrites=(mute,)))
            world.put(Channel(guild + 300, guild, f"yard-{court}"))
    async with AsyncExitStack() as stack:
        ada = await stack.enter_async_context(await own_house.join("Ada"))
        cleo = await stack.enter_async_context(await own_house.join("Cleo"))
        await own_house.until(lambda: "event=ready" in own_house.bot.log, "ready")
        yield Courts(own_house, home.id, ada, cleo)


async def test_each_inviting_server_is_welcomed_where_posting_is_possible(courts: Courts) -> None:
    for court in (HOLLOW, MUTE, COURT):
        await courts.set_member(court, member=True)
    said = await courts.welcomed("court-1")
    assert said.text.strip() == text("no", "welcome.text").strip()
    assert set(said.command_links) == {"learn lessons", "play", "help"}
    assert not said.pings_me
    await courts.set_member(LATE, member=True)
    await courts.welcomed("court-2")
    assert {name: len(said) for name, said in courts.said().items()} == {"court-1": 1, "court-2": 1}


async def test_managers_open_the_settings_below_the_welcome_in_a_private_panel(courts: Courts) -> None:
    await courts.set_member(COURT, member=True)
    said = await courts.welcomed("court-1")
    refused = await courts.other.click(said, "rt-server:group:-")
    assert (refused.ephemeral, refused.text) == (True, text("en", "problem.not-manager"))
    panel = await courts.manager.click(said, "rt-server:group:-")
    assert panel.ephemeral
    games = await courts.manager.click(panel, "rt-server:group:games")
    assert games.message.id == panel.message.id
    slow = await courts.manager.choose(games, "rt-server:value:pace", ["slow"])
    assert slow.message.id == panel.message.id
    assert courts.house.bot.query("SELECT pace FROM guild_settings WHERE guild = ?", courts.number(COURT)) == [
        ("slow",)
    ]
    (standing,) = await public(courts.other, "court-1")
    assert standing.text == said.text


@pytest.mark.long
async def test_a_private_bot_welcomes_its_own_servers_only(courts: Courts) -> None:
    await courts.house.stop_bot()
    settings: dict[str, Any] = {"ROUNDTABLE_SERVERS": str(courts.number(COURT))}
    courts.house.bot = Bot(courts.house.bot.folder, ROUNDTABLE_SANDBOX_URL=courts.house.url, **settings)
    await courts.house.start_bot()
    await courts.house.until(lambda: courts.house.bot.log.count("event=ready") == 2, "ready")
    await courts.manager.call("PUT", f"/app/guilds/{courts.number(LATE)}/bot", {"member": True})
    await courts.set_member(COURT, member=True)
    await courts.welcomed("court-1")
    assert [*courts.said()] == ["court-1"]
