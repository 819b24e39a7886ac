"""The faults that tests set: each does to a real discord.py what Discord and the network do on bad days."""

from __future__ import annotations

import asyncio
import time

import aiohttp
import discord
import pytest

from sandbox import TOKEN, Sandbox
from sandbox.errors import Code
from sandbox.faults import CONNECT, banned, cut, late, limited, refused, status
from sandbox.people import Person, RefusedError

from .jester import Jester, until

SEND = "POST /channels/{channel_id}/messages"


async def posted(ada: Person) -> list[str]:
    """What the bot has said in the lobby."""
    return [said.text for said in await ada.messages("#lobby") if said.json["author"]["bot"]]


@pytest.mark.parametrize("number", [500, 502])
async def test_an_outage_of_one_request_is_ridden_out_by_discord_py(
    sandbox: Sandbox, jester: Jester, ada: Person, number: int
) -> None:
    rule = sandbox.faults.add(SEND, status(number))
    await jester.channel("lobby").send("at last")
    assert rule.struck == 1
    assert await posted(ada) == ["at last"]


async def test_503_is_raised(sandbox: Sandbox, jester: Jester, ada: Person) -> None:
    sandbox.faults.add(SEND, status(503))
    with pytest.raises(discord.DiscordServerError):
        await jester.channel("lobby").send("never")
    assert await posted(ada) == []


async def test_a_429_with_via_is_waited_for_and_one_without_is_raised(
    sandbox: Sandbox, jester: Jester, ada: Person
) -> None:
    sandbox.faults.add(SEND, limited(0.3))
    begun = time.monotonic()
    await jester.channel("lobby").send("later")
    assert time.monotonic() - begun > 0.3
    sandbox.faults.add(SEND, banned())
    with pytest.raises(discord.HTTPException) as raised:
        await jester.channel("lobby").send("never")
    assert raised.value.status == 429
    assert await posted(ada) == ["later"]


@pytest.mark.parametrize("done", [True, False])
async def test_a_cut_connection_leaves_the_work_done_or_not(
    sandbox: Sandbox, jester: Jester, ada: Person, done: bool
) -> None:
    sandbox.faults.add(SEND, cut(done=done))
    with pytest.raises((aiohttp.ClientConnectionError, OSError)):
        await jester.channel("lobby").send("hello", nonce="abc")
    assert await posted(ada) == (["hello"] if done else [])
    await jester.channel("lobby").send("hello", nonce="abc")
    assert await posted(ada) == ["hello"]


async def test_a_refusal_comes_with_its_code(sandbox: Sandbox, jester: Jester) -> None:
    sandbox.faults.add(SEND, refused(Code.MISSING_ACCESS))
    with pytest.raises(discord.Forbidden) as raised:
        await jester.channel("lobby").send("never")
    assert raised.value.code == 50001


async def test_a_rule_strikes_only_what_it_names_as_often_as_stated(sandbox: Sandbox) -> None:
    faults = sandbox.faults
    rule = faults.add("PATCH /channels/*", late(0), times=2)
    assert faults.strike("POST /channels/{channel_id}/messages") is None
    assert [faults.strike("PATCH /channels/{channel_id}") is not None for _ in range(3)] == [True, True, False]
    assert (rule.left, rule.struck) == (0, 2)
    for_ever = faults.add("* *", status(500), times=None)
    assert all(faults.strike("GET /gateway") for _ in range(5))
    assert for_ever.struck == 5
    faults.lift()
    assert faults.strike("GET /gateway") is None


async def test_the_gateway_refuses_connections_and_sessions_until_it_has_enough(
    sandbox: Sandbox, jester: Jester, ada: Person
) -> None:
    sandbox.faults.invalid_sessions = 1
    sandbox.gateway.cut()
    await until(lambda: jester.events.count("READY") == 2)
    assert sandbox.faults.invalid_sessions == 0
    assert (await ada.command("#lobby", "play", variant="camelot")).text == "done"


async def test_ready_may_be_late(sandbox: Sandbox) -> None:
    sandbox.faults.ready_after = 0.5
    begun = time.monotonic()
    bot = Jester()
    await bot.begin()
    assert time.monotonic() - begun > 0.5
    await bot.end()


async def test_the_first_connection_refused_is_more_than_discord_py_can_take(sandbox: Sandbox) -> None:
    rule = sandbox.faults.add(CONNECT, status(503))
    bot = Jester()
    with pytest.raises(AttributeError):  # it would resume a connection that there has never been
        await bot.start(TOKEN)
    assert rule.struck == 1
    await bot.end()


async def test_a_late_ready_to_a_connection_that_has_gone_opens_no_session(sandbox: Sandbox) -> None:
    sandbox.faults.ready_after = 0.1
    async with aiohttp.ClientSession() as http, http.ws_connect(sandbox.url + "/gateway") as socket:
        await socket.receive_json()
        await socket.send_json({"op": 2, "d": {"token": TOKEN, "intents": 1}})
    await asyncio.sleep(0.2)
    assert not sandbox.gateway.online


async def test_people_cannot_set_faults(sandbox: Sandbox, jester: Jester, ada: Person) -> None:
    sandbox.faults.add(SEND, status(503), times=None)
    for path in ("/app/faults", "/faults"):
        with pytest.raises((RefusedError, aiohttp.ContentTypeError)):
            await ada.call("POST", path, {})
    await ada.say("#lobby", "the page is not struck")
