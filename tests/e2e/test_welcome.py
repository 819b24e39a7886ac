"""The welcome in a server that adds the bot: in its system channel, with a button to its settings."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

import pytest
import pytest_asyncio

from bot.texts.i18n import text
from sandbox.discord_types import VOICE, Channel, Guild, Overwrite
from sandbox.people import Person, Said
from sandbox.permissions import Permission
from sandbox.world import BOT_ID
from tests.e2e.house import Bot, House
from tests.e2e.room import Room, public

pytestmark = pytest.mark.asyncio(loop_scope="session")

OPEN, LATE, MUTE, NO_TEXT = range(1, 5)
"""Servers without the bot; in OPEN it may post, in MUTE it may not, NO_TEXT has no text channel."""


class InvitedServers(NamedTuple):
    """The servers, a manager of them, and a person who is not."""

    house: House
    home: int
    """The server from whose number theirs are counted."""
    manager: Person
    other: Person

    def number(self, server: int) -> int:
        """Returns Discord's id of that server."""
        return self.home + 1000 * server

    async def set_member(self, server: int, *, member: bool) -> None:
        """Adds the bot to that server or removes it."""
        await self.manager.call("PUT", f"/app/guilds/{self.number(server)}/bot", {"member": member})

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
async def servers(own_house: House) -> AsyncIterator[InvitedServers]:
    world = own_house.server.world
    home = world.guilds[Room.guild_of(own_house, "Round Table")]
    people = tuple(one for one in home.members if one != BOT_ID)
    for server in (OPEN, LATE, MUTE, NO_TEXT):
        guild = home.id + 1000 * server
        world.put(Guild(guild, f"Court {server}", locale="no", members=people, managers=home.managers, community=True))
        world.put(Channel(guild + 100, guild, f"tower-{server}", VOICE))
        if server != NO_TEXT:
            deny = int(Permission.SEND_MESSAGES) if server == MUTE else 0
            mute = Overwrite(BOT_ID, member=True, deny=deny)
            world.put(Channel(guild + 200, guild, f"court-{server}", overwrites=(mute,)))
            world.put(Channel(guild + 300, guild, f"yard-{server}"))
    async with AsyncExitStack() as stack:
        ada = await stack.enter_async_context(await own_house.join("Ada"))
        cleo = await stack.enter_async_context(await own_house.join("Cleo"))
        await own_house.until(lambda: "event=ready" in own_house.bot.log, "ready")
        yield InvitedServers(own_house, home.id, ada, cleo)


async def test_each_inviting_server_is_welcomed_where_posting_is_possible(servers: InvitedServers) -> None:
    for server in (NO_TEXT, MUTE, OPEN):
        await servers.set_member(server, member=True)
    said = await servers.welcomed("court-1")
    assert said.text.strip() == text("no", "welcome.text").strip()
    assert set(said.command_links) == {"learn lessons", "play", "help"}
    assert not said.pings_me
    await servers.set_member(LATE, member=True)
    await servers.welcomed("court-2")
    assert {name: len(said) for name, said in servers.said().items()} == {"court-1": 1, "court-2": 1}


async def test_managers_open_the_settings_below_the_welcome_in_a_private_panel(servers: InvitedServers) -> None:
    await servers.set_member(OPEN, member=True)
    said = await servers.welcomed("court-1")
    refused = await servers.other.click(said, "rt-server:group:-")
    assert (refused.ephemeral, refused.text) == (True, text("en", "problem.not-manager"))
    panel = await servers.manager.click(said, "rt-server:group:-")
    assert panel.ephemeral
    games = await servers.manager.click(panel, "rt-server:group:games")
    assert games.message.id == panel.message.id
    slow = await servers.manager.choose(games, "rt-server:value:pace", ["slow"])
    assert slow.message.id == panel.message.id
    assert servers.house.bot.query("SELECT pace FROM guild_settings WHERE guild = ?", servers.number(OPEN)) == [
        ("slow",)
    ]
    (standing,) = await public(servers.other, "court-1")
    assert standing.text == said.text


@pytest.mark.long
async def test_a_private_bot_welcomes_its_own_servers_only(servers: InvitedServers) -> None:
    await servers.house.stop_bot()
    settings: dict[str, Any] = {"ROUNDTABLE_SERVERS": str(servers.number(OPEN))}
    servers.house.bot = Bot(servers.house.bot.folder, ROUNDTABLE_SANDBOX_URL=servers.house.url, **settings)
    await servers.house.start_bot()
    await servers.house.until(lambda: servers.house.bot.log.count("event=ready") == 2, "ready")
    await servers.manager.call("PUT", f"/app/guilds/{servers.number(LATE)}/bot", {"member": True})
    await servers.set_member(OPEN, member=True)
    await servers.welcomed("court-1")
    assert [*servers.said()] == ["court-1"]
