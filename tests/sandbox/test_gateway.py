"""The gateway: what a bot is told, RESUME after a break, and several shards."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

import aiohttp
import discord
import pytest

from sandbox import TOKEN, Hardness, Sandbox
from sandbox.discord_types import Guild
from sandbox.gateway import STARTS
from sandbox.people import Json, Person, RefusedError, Reply
from sandbox.sessions import Session
from sandbox.world import BOT_ID
from tests.sandbox.bot_requests import hello, identify

from .scripted_bot import ScriptedBot, until


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
    assert await code_after(sandbox, {"op": 8, "d": {}}) == 4003
    assert await code_after(sandbox, "not json") == 4002
    assert await code_after(sandbox, identify(), {"op": 4, "d": {}}) == 4002
    assert await code_after(sandbox, identify(intents=1 << 9)) == 4014


async def test_heartbeats_are_acknowledged(sandbox: Sandbox) -> None:
    async with aiohttp.ClientSession() as http, await hello(http, sandbox) as socket:
        await socket.send_json({"op": 1, "d": None})
        assert (await socket.receive_json())["op"] == 11


async def test_ready_and_servers(bot: ScriptedBot) -> None:
    assert sorted(guild.name for guild in bot.guilds) == ["Other Court", "Test Server"]
    table = discord.utils.get(bot.guilds, name="Test Server")
    assert table is not None
    assert [channel.name for channel in table.text_channels] == ["general", "lobby", "read-only", "news"]
    assert not bot.channel("read-only").permissions_for(table.me).send_messages
    assert bot.channel("lobby").permissions_for(table.me).send_messages
    assert table.me.guild_permissions.value & 309237746688 == 309237746688
    assert bot.application_id == bot.user.id  # type: ignore[union-attr]  # it is logged in


async def test_a_broken_connection_is_resumed_with_what_was_missed(
    sandbox: Sandbox, bot: ScriptedBot, ada: Person
) -> None:
    sandbox.gateway.cut()
    await asyncio.sleep(0)
    reply = asyncio.create_task(ada.command("#lobby", "play", variant="camelot"))  # asked while the bot is away
    await asyncio.wait_for(bot.resumed.wait(), 60)
    assert (await reply).text == "done"
    assert bot.events.count("READY") == 1


async def test_a_forgotten_session_identifies_again(sandbox: Sandbox, bot: ScriptedBot, ada: Person) -> None:
    sandbox.gateway.forget_sessions()
    sandbox.gateway.cut()
    await until(lambda: bot.events.count("READY") == 2)
    assert (await ada.command("#lobby", "play", variant="camelot")).text == "done"


def test_a_session_knows_which_events_can_be_sent_again() -> None:
    session = Session()
    assert session.missed(0) == []
    for number in range(1200):
        session.tell("EVENT", str(number))
    assert session.missed(1200) == []
    assert [json.loads(frame)["s"] for frame in session.missed(1198) or ()] == [1199, 1200]
    assert len(session.missed(200) or ()) == 1000
    assert session.missed(199) is None
    assert session.missed(1201) is None


async def test_the_servers_language_reaches_the_bot(sandbox: Sandbox, bot: ScriptedBot, ada: Person) -> None:
    table = discord.utils.get(bot.guilds, name="Other Court")
    assert table is not None
    with pytest.raises(RefusedError, match="no_community"):
        await ada.call("PATCH", f"/app/guilds/{table.id}", {"locale": "no"})
    await ada.call("PATCH", f"/app/guilds/{table.id}", {"locale": "no", "community": True})
    await until(lambda: table.preferred_locale is discord.Locale.norwegian)
    with pytest.raises(RefusedError, match="bad_locale"):
        await ada.call("PATCH", f"/app/guilds/{table.id}", {"locale": "nb"})


# Several shards


SENTENCE = {"type": 4, "data": {"content": "done"}}


class Shard:
    """A session of some process, over a connection of its own."""

    def __init__(self, http: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.http, self.socket = http, socket
        self.ready: Json = {}
        self.seen = 0

    async def hears(self, event: str) -> Any:
        """The next event, which is one of these."""
        frame = await self.socket.receive_json(timeout=20)
        assert frame["t"] == event, frame
        self.seen = frame["s"]
        return frame["d"]

    async def answers(self, asked: Json) -> tuple[int, int | None]:
        """Status and code of what comes of its first answer to that interaction."""
        path = f"/api/v10/interactions/{asked['id']}/{asked['token']}/callback"
        async with self.http.post(path, json=SENTENCE) as response:
            said = await response.read()
        return response.status, json.loads(said)["code"] if said else None

    async def quiet(self) -> None:
        """Asserts that nothing was sent: the next message is the answer to a heartbeat."""
        await self.socket.send_json({"op": 1, "d": self.seen})
        assert (await self.socket.receive_json(timeout=20))["op"] == 11


@asynccontextmanager
async def shard(sandbox: Sandbox, number: int, count: int) -> AsyncIterator[Shard]:
    """A connected shard that has been told of its servers."""
    there = [one.id for one in sandbox.world.guilds.values() if BOT_ID in one.members]
    async with aiohttp.ClientSession(sandbox.url) as http, await hello(http, sandbox) as socket:
        found = Shard(http, socket)
        await socket.send_json(identify(shard=[number, count]))
        found.ready = await found.hears("READY")
        own = [one for one in there if (one >> 22) % count == number]
        assert [int((await found.hears("GUILD_CREATE"))["id"]) for _ in own] == own
        yield found


async def refusal(sandbox: Sandbox, number: int, count: int) -> int:
    """The opcode with which that IDENTIFY is answered; 0 if it is accepted."""
    async with aiohttp.ClientSession() as http, await hello(http, sandbox) as socket:
        await socket.send_json(identify(shard=[number, count]))
        return int((await socket.receive_json(timeout=20))["op"])


def lone(sandbox: Sandbox) -> Guild:
    """The only server that the bot is left in."""
    first, *others = [one for one in sandbox.world.guilds.values() if BOT_ID in one.members]
    for guild in others:
        sandbox.world.put(replace(guild, members=tuple(one for one in guild.members if one != BOT_ID)))
    return first


async def asks(person: Person, worker: Shard, channel: str) -> asyncio.Task[Reply]:
    """A command of that person's, which a worker has made known, on its way to the bot."""
    path, headers = f"/api/v10/applications/{BOT_ID}/commands", {"Authorization": f"Bot {TOKEN}"}
    made: list[Json] = [{"name": "play", "description": "Start a game"}]
    async with worker.http.put(path, json=made, headers=headers) as response:
        assert response.status == 200
    return asyncio.create_task(person.command(channel, "play"))


async def test_each_shard_hears_its_own_servers_and_the_first_direct_messages(sandbox: Sandbox) -> None:
    there = [guild for guild in sandbox.world.guilds.values() if BOT_ID in guild.members]
    # Of the next millisecond, and so of the other shard.
    others = [replace(guild, id=guild.id + (1 << 22)) for guild in there]
    for guild in others:
        sandbox.world.put(guild)
    gateway, guilds = sandbox.gateway, sorted(guild.id for guild in (*there, *others))
    async with aiohttp.ClientSession() as http:
        for number in range(2):
            own = [one for one in guilds if (one >> 22) % 2 == number]
            assert len(own) == 2
            async with await hello(http, sandbox) as socket:
                await socket.send_json(identify(shard=[number, 2]))
                ready = (await socket.receive_json())["d"]
                assert ready["shard"] == [number, 2]
                assert sorted(int(one["id"]) for one in ready["guilds"]) == own
                assert sorted([int((await socket.receive_json())["d"]["id"]) for _ in own]) == own
                for one in guilds:
                    gateway.dispatch("GUILD_UPDATE", {"id": str(one)})
                    gateway.dispatch("CHANNEL_UPDATE", {"id": "1", "guild_id": str(one)})
                gateway.dispatch("CHANNEL_CREATE", {"id": "2"})
                gateway.dispatch("CHANNEL_CREATE", {"id": "3", "guild_id": str(own[0])})
                expected = [name for one in own for name in (str(one), "1")] + ["2"] * (number == 0) + ["3"]
                assert [(await socket.receive_json())["d"]["id"] for _ in expected] == expected


async def test_an_interaction_in_direct_messages_comes_with_the_first_shard(sandbox: Sandbox) -> None:
    async with AsyncExitStack() as stack:
        first, other = [await stack.enter_async_context(shard(sandbox, number, 6)) for number in range(2)]
        ada = await stack.enter_async_context(await Person.join(sandbox.url, "Ada"))
        opened = await ada.call("POST", f"/app/people/{ada.id}/dm", {})
        assert (await first.hears("CHANNEL_CREATE"))["id"] == opened["id"]
        asking = await asks(ada, first, opened["id"])
        assert await first.answers(await first.hears("INTERACTION_CREATE")) == (204, None)
        await other.quiet()
        assert (await asking).text == "done"


async def test_the_bot_is_online_while_one_of_its_sessions_is(sandbox: Sandbox) -> None:
    async with await Person.join(sandbox.url, "Ada") as ada:
        async with shard(sandbox, 0, 2):
            async with shard(sandbox, 0, 2), shard(sandbox, 1, 2):
                await until(lambda: ada.bot_online)
            await until(lambda: sandbox.gateway.live == Counter({(0, 2): 1}))
            assert sandbox.gateway.online
        await until(lambda: not ada.bot_online)


async def test_all_processes_share_the_seconds_between_two_starts(sandbox: Sandbox) -> None:
    sandbox.faults.hardness = Hardness(identify_every=60)
    assert [await refusal(sandbox, number, 6) for number in (0, 1)] == [0, 9]


async def test_starts_are_counted_over_all_processes_and_resuming_is_free(sandbox: Sandbox) -> None:
    lone(sandbox)
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(shard(sandbox, 0, 1))
        await stack.enter_async_context(shard(sandbox, 0, 1))
        assert sandbox.gateway.starts_left == STARTS - 2
        sandbox.gateway.cut()
        back = await stack.enter_async_context(await hello(first.http, sandbox))
        given = {"token": TOKEN, "session_id": first.ready["session_id"], "seq": first.seen}
        await back.send_json({"op": 6, "d": given})
        assert (await back.receive_json(timeout=20))["t"] == "RESUMED"
        assert sandbox.gateway.starts_left == STARTS - 2


@pytest.mark.parametrize(
    ("code", "waits", "resumed"), [(1006, 60, True), (4000, 60, True), (1000, 60, False), (1006, 0, False)]
)
async def test_a_session_outlives_its_line_unless_the_bot_has_hung_up(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, code: int, waits: float, *, resumed: bool
) -> None:
    """Also if another process has begun a session of the same shard."""
    lone(sandbox)
    monkeypatch.setattr("sandbox.gateway._RESUMABLE", waits)
    async with shard(sandbox, 0, 1) as gone:
        if code == 1006:
            sandbox.gateway.cut()
        else:
            await gone.socket.close(code=code)
        await until(lambda: not sandbox.gateway.online)
    async with shard(sandbox, 0, 1) as other, await hello(other.http, sandbox) as back:
        given = {"token": TOKEN, "session_id": gone.ready["session_id"], "seq": gone.seen}
        await back.send_json({"op": 6, "d": given})
        said = await back.receive_json(timeout=20)
        assert (said["op"], said.get("t")) == ((0, "RESUMED") if resumed else (9, None))
