"""The gateway: what a bot is told, RESUME after a break, and what happens to sessions that are gone."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp
import discord
import pytest

from sandbox import TOKEN, Sandbox
from sandbox.people import Person, RefusedError
from sandbox.sessions import Intent, Session
from tests.sandbox.gateway import hello, identify

from .jester import Jester, still, until


async def code_after(sandbox: Sandbox, *frames: Any) -> int | None:
    """The close code that ends a connection in which these frames were sent."""
    async with aiohttp.ClientSession() as http, await hello(http, sandbox) as socket:
        for frame in frames:
            await socket.send_str(frame if isinstance(frame, str) else json.dumps(frame))
        async for _ in socket:
            pass
        return socket.close_code


async def test_close_codes(sandbox: Sandbox) -> None:
    assert await code_after(sandbox, identify("wrong")) == 4004
    assert await code_after(sandbox, identify(), identify()) == 4005
    assert await code_after(sandbox, {"op": 3, "d": {}}) == 4003
    assert await code_after(sandbox, "not json") == 4002
    assert await code_after(sandbox, identify(), {"op": 4, "d": {}}) == 4002
    assert await code_after(sandbox, identify(shard=[2, 2])) == 4010


async def test_heartbeats_are_acknowledged(sandbox: Sandbox) -> None:
    async with aiohttp.ClientSession() as http, await hello(http, sandbox) as socket:
        await socket.send_json({"op": 1, "d": None})
        assert (await socket.receive_json())["op"] == 11


async def test_ready_and_servers(jester: Jester) -> None:
    assert sorted(guild.name for guild in jester.guilds) == ["Other Court", "Test Server"]
    table = discord.utils.get(jester.guilds, name="Test Server")
    assert table is not None
    assert [channel.name for channel in table.text_channels] == ["general", "lobby", "read-only", "news"]
    assert not jester.channel("read-only").permissions_for(table.me).send_messages
    assert jester.channel("lobby").permissions_for(table.me).send_messages
    assert table.me.guild_permissions.value & 309237746688 == 309237746688
    assert jester.application_id == jester.user.id  # type: ignore[union-attr]  # it is logged in


async def test_a_broken_connection_is_resumed_with_what_was_missed(
    sandbox: Sandbox, jester: Jester, ada: Person
) -> None:
    sandbox.gateway.cut()
    await asyncio.sleep(0)
    reply = asyncio.create_task(ada.command("#lobby", "play", variant="camelot"))  # asked while the bot is away
    await asyncio.wait_for(jester.resumed.wait(), 60)
    assert (await reply).text == "done"
    assert jester.events.count("READY") == 1


async def test_the_server_may_ask_to_reconnect(sandbox: Sandbox, jester: Jester, ada: Person) -> None:
    sandbox.gateway.ask_to_reconnect()
    await asyncio.wait_for(jester.resumed.wait(), 60)
    assert (await ada.command("#lobby", "play", variant="camelot")).text == "done"


async def test_a_forgotten_session_identifies_again(sandbox: Sandbox, jester: Jester, ada: Person) -> None:
    sandbox.gateway.forget_sessions()
    sandbox.gateway.cut()
    await until(lambda: jester.events.count("READY") == 2)
    assert (await ada.command("#lobby", "play", variant="camelot")).text == "done"


def test_a_session_knows_which_events_can_be_sent_again() -> None:
    session = Session(intents=Intent.GUILDS)
    assert session.missed(0) == []
    for number in range(1200):
        session.tell("EVENT", str(number))
    assert session.missed(1200) == []
    assert [json.loads(frame)["s"] for frame in session.missed(1198) or ()] == [1199, 1200]
    assert len(session.missed(200) or ()) == 1000
    assert session.missed(199) is None
    assert session.missed(1201) is None


async def test_the_page_sees_the_bot_come_and_go(sandbox: Sandbox) -> None:
    async with await Person.join(sandbox.url, "Ada") as ada:
        assert not ada.bot_online
        bot = Jester()
        await bot.begin()
        await ada.wait_until_online()
        await bot.end()
        await until(lambda: not ada.bot_online)


async def test_messages_come_with_the_intent_and_words_only_with_the_right(
    sandbox: Sandbox, jester: Jester, ada: Person
) -> None:
    await ada.say("#lobby", "unheard")
    assert "MESSAGE_CREATE" not in jester.events
    heard: list[str] = []

    class Listener(discord.Client):
        async def on_message(self, message: discord.Message) -> None:
            heard.append(message.content)

    listener = Listener(intents=discord.Intents(guilds=True, guild_messages=True), guild_ready_timeout=0.01)
    task = asyncio.create_task(listener.start(TOKEN))
    # A task of its own, so that the client has begun to start: since 3.12 wait_for steps in at once.
    await asyncio.wait_for(asyncio.create_task(listener.wait_until_ready()), 60)
    assert listener.user is not None
    await ada.say("#lobby", "no business of yours")
    await ada.say("#lobby", f"<@{listener.user.id}> hello")
    await jester.channel("lobby").send("mine")
    await until(lambda: len(heard) == 3)
    assert heard == ["", f"<@{listener.user.id}> hello", "mine"]
    await listener.close()
    await task
    await still(listener)


async def test_the_servers_language_reaches_the_bot(sandbox: Sandbox, jester: Jester, ada: Person) -> None:
    table = discord.utils.get(jester.guilds, name="Other Court")
    assert table is not None
    with pytest.raises(RefusedError, match="no_community"):
        await ada.call("PATCH", f"/app/guilds/{table.id}", {"locale": "no"})
    await ada.call("PATCH", f"/app/guilds/{table.id}", {"locale": "no", "community": True})
    await until(lambda: table.preferred_locale is discord.Locale.norwegian)
    with pytest.raises(RefusedError, match="bad_locale"):
        await ada.call("PATCH", f"/app/guilds/{table.id}", {"locale": "nb"})
