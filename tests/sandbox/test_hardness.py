"""The switches of hardness and the faults: each does to a real discord.py what Discord does."""

from __future__ import annotations

import asyncio
import random
import time

import aiohttp
import discord
import pytest

from sandbox import HARD, TOKEN, Hardness, Sandbox
from sandbox import buckets as _buckets
from sandbox.buckets import Buckets, Limit
from sandbox.errors import Code
from sandbox.faults import CONNECT, banned, cut, late, limited, refused, status
from sandbox.gateway import STARTS
from sandbox.people import Person, RefusedError
from sandbox.permissions import Permission
from sandbox.request_counts import RequestCounts

from .bot_requests import forbid, hello, identify, saying
from .scripted_bot import ScriptedBot, until

SEND = "POST /channels/{channel_id}/messages"
EDIT = "PATCH /channels/{channel_id}/messages/{message_id}"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that are soon over, or these tests would take as long as they do."""
    monkeypatch.setattr(_buckets, "_LIMITS", {SEND: Limit(5, 0.25), EDIT: Limit(5, 0.25)})
    monkeypatch.setattr(_buckets, "OLD_EDITS", Limit(3, 0.3))


class Hand:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_empties_and_fills_again_for_each_channel_alone() -> None:
    hand = Hand()
    buckets = Buckets(hand)
    here, there = {"channel_id": "1"}, {"channel_id": "2"}
    left = [buckets.take(SEND, here).headers["X-RateLimit-Remaining"] for _ in range(5)]
    assert left == ["4", "3", "2", "1", "0"]
    hand.now += 2
    refused = buckets.take(SEND, here)
    assert refused.refusal == {"message": "You are being rate limited.", "retry_after": 3.0, "global": False}
    assert refused.headers["Retry-After"] == "3"
    assert refused.headers["X-RateLimit-Scope"] == "user"
    assert refused.headers["X-RateLimit-Reset-After"] == "3.000"
    assert refused.headers["Via"]
    assert buckets.take(SEND, there).refusal is None
    assert buckets.take(EDIT, here).refusal is None
    hand.now += 3
    assert buckets.take(SEND, here).refusal is None


def test_fifty_a_second_in_all_but_for_answers_to_interactions() -> None:
    hand = Hand()
    buckets = Buckets(hand)
    for number in range(50):
        assert buckets.take(SEND, {"channel_id": str(number)}).refusal is None
    refused = buckets.take(SEND, {"channel_id": "50"})
    assert refused.refusal is not None
    assert refused.refusal["global"] is True
    assert refused.headers["X-RateLimit-Global"] == "true"
    assert refused.headers["X-RateLimit-Scope"] == "global"
    answer = "POST /interactions/{interaction_id}/{interaction_token}/callback"
    follow_up = "POST /webhooks/{webhook_id}/{webhook_token}"
    assert buckets.take(answer, {"interaction_id": "1", "interaction_token": "a"}).refusal is None
    assert buckets.take(follow_up, {"webhook_id": "1", "webhook_token": "a"}).refusal is None
    hand.now += 1
    assert buckets.take(SEND, {"channel_id": "50"}).refusal is None


def test_edits_of_old_messages_have_a_limit_that_no_header_reports() -> None:
    hand = Hand()
    buckets = Buckets(hand)
    ids = {"channel_id": "1", "message_id": "7"}
    for _ in range(3):
        assert buckets.take(EDIT, ids, age=3601).refusal is None
    refused = buckets.take(EDIT, ids, age=3601)
    assert refused.refusal is not None
    assert refused.refusal["code"] == 30046
    assert refused.headers["X-RateLimit-Remaining"] == "1"
    hand.now += 6
    assert buckets.take(EDIT, ids, age=3601).refusal is None


def test_the_counts_tell_what_counts_and_what_is_invalid() -> None:
    requests = RequestCounts()
    requests.note(SEND, 200)
    requests.note("POST /interactions/{interaction_id}/{interaction_token}/callback", 204)
    assert (requests.counting, requests.invalid) == (1, 0)
    for code in (401, 403, 404, 429):
        requests.note(SEND, code)
    assert (requests.counting, requests.invalid) == (5, 3)
    requests.note(SEND, 200, channel="7")
    requests.note("POST /interactions/{interaction_id}/{interaction_token}/callback", 204, channel="7")
    assert requests.places["7"] == 1
    requests.clear()
    assert requests.places["7"] == 0
    assert (requests.counting, requests.invalid) == (0, 0)


async def test_discord_py_keeps_to_the_limits_and_meets_no_429(
    sandbox: Sandbox, bot: ScriptedBot, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An answer that a busy machine delays until the bucket has filled again would tell discord.py of the one before.
    monkeypatch.setattr(_buckets, "_LIMITS", {SEND: Limit(5, 1.0)})
    sandbox.faults.hardness = Hardness(limits=True)
    begun = time.monotonic()
    lobby = bot.channel("lobby")
    sandbox.requests.clear()
    await asyncio.gather(*(lobby.send(str(number)) for number in range(12)))
    assert time.monotonic() - begun > 2 * 1.0  # two buckets have had to fill again
    assert len([said for said in await ada.messages("#lobby") if said.json["author"]["bot"]]) == 12
    assert sandbox.requests.asked[SEND] == 12
    assert sandbox.requests.invalid == 0


@pytest.mark.usefixtures("short")
async def test_many_edits_of_an_old_message_are_refused(sandbox: Sandbox, bot: ScriptedBot) -> None:
    said = await bot.channel("lobby").send("old")
    sandbox.faults.hardness = Hardness(limits=True)
    sandbox.world.clock = lambda: time.time() + 3700
    sandbox._parts.buckets.clock = lambda: 1000.0 + sandbox.requests.answered[EDIT, 429]  # stands on a busy machine
    for number in range(4):
        await said.edit(content=str(number))
    assert sandbox.requests.answered[EDIT, 429] >= 1
    assert sandbox.requests.invalid == sandbox.requests.answered[EDIT, 429]


@pytest.mark.usefixtures("short")
async def test_requests_take_their_time_and_are_interleaved(sandbox: Sandbox, bot: ScriptedBot, ada: Person) -> None:
    sandbox.faults.hardness = Hardness(jitter=(0.02, 0.1), limits=True)
    sandbox.faults.chance = random.Random(1)
    lobby, begun = bot.channel("lobby"), time.monotonic()
    await lobby.send("first")
    assert time.monotonic() - begun >= 0.02
    await asyncio.gather(*(lobby.send(str(number)) for number in range(8)))  # several at once, by what headers allow
    heard = [said.text for said in await ada.messages("#lobby") if said.text.isdecimal()]
    assert sorted(heard) == [str(number) for number in range(8)]
    assert heard != sorted(heard)


async def test_events_come_early_late_twice_and_out_of_order(sandbox: Sandbox) -> None:
    heard: list[int] = []
    async with aiohttp.ClientSession() as http, await hello(http, sandbox) as socket:
        await socket.send_json(identify())
        assert [(await socket.receive_json())["t"] for _ in range(3)] == ["READY", "GUILD_CREATE", "GUILD_CREATE"]
        sandbox.faults.hardness = Hardness(loose_events=True)
        for number in range(60):
            sandbox.gateway.dispatch("CHANNEL_UPDATE", {"id": str(number)})
        frames = []
        while len({*heard}) < 60:
            frames.append(await socket.receive_json())
            heard.append(int(frames[-1]["d"]["id"]))
    assert heard != sorted(heard)
    assert len(heard) > 60
    assert [one["s"] for one in frames] == list(range(4, 4 + len(frames)))  # RESUME can count on the numbers


async def test_an_answer_may_be_lost_after_the_work_is_done(sandbox: Sandbox, bot: ScriptedBot, ada: Person) -> None:
    sandbox.faults.hardness = Hardness(lost_answers=1)
    sending = asyncio.create_task(bot.channel("lobby").send("hello", nonce="abc"))
    await ada.wait_for("#lobby", lambda said: said.text == "hello")
    sandbox.faults.hardness = Hardness()
    await sending  # discord.py has asked again, and Discord has known the nonce
    assert [said.text for said in await ada.messages("#lobby") if said.json["author"]["bot"]] == ["hello"]
    assert sandbox.requests.answered[SEND, 502] == 1


async def test_servers_come_late_one_by_one(sandbox: Sandbox) -> None:
    sandbox.faults.hardness = Hardness(late_servers=0.1)
    bot, first_seen, begun = ScriptedBot(), list[bool](), time.monotonic()

    @bot.event
    async def on_connect() -> None:
        first_seen.extend(guild.unavailable for guild in bot.guilds)

    await bot.begin()
    await until(lambda: bot.events.count("GUILD_CREATE") == 2)
    assert first_seen == [True, True]
    assert not any(guild.unavailable for guild in bot.guilds)
    assert time.monotonic() - begun > 0.2
    await bot.end()


async def test_the_starts_of_a_day_are_counted_and_then_refused(sandbox: Sandbox) -> None:
    sandbox.faults.hardness = Hardness(limits=True)
    bot = ScriptedBot()
    await bot.begin()
    limit = await bot.http.request(discord.http.Route("GET", "/gateway/bot"))
    assert limit["session_start_limit"]["remaining"] == STARTS - 1
    assert 86_000_000 < limit["session_start_limit"]["reset_after"] <= 86_400_000
    await bot.end()
    sandbox.gateway._starts *= STARTS
    refused = ScriptedBot()
    with pytest.raises(discord.ConnectionClosed) as raised:
        await refused.start(TOKEN)
    assert raised.value.code == 4004
    await refused.end()
    later = time.time() + 86_401
    sandbox.world.clock = lambda: later
    assert sandbox.gateway.starts_left == STARTS


async def test_a_nonce_is_remembered_for_minutes_and_in_its_channel(
    sandbox: Sandbox, bot: ScriptedBot, ada: Person
) -> None:
    lobby, table = bot.channel("lobby"), bot.channel("general")
    first = await lobby.send("one", nonce="abc")
    assert (await table.send("one", nonce="abc")).id != first.id
    assert (await lobby.send("one", nonce="abc")).id == first.id
    sandbox.faults.hardness = Hardness(nonce_lives=HARD.nonce_lives)
    sandbox.world.clock = lambda: time.time() + 121
    assert (await lobby.send("one", nonce="abc")).id != first.id


async def test_private_answers_die_with_the_client(sandbox: Sandbox, bot: ScriptedBot, ada: Person) -> None:
    bot.act = saying("between us", ephemeral=True)
    assert (await ada.command("#lobby", "play", variant="camelot")).text == "between us"
    assert "between us" in [said.text for said in await ada.messages("#lobby")]
    async with await Person.join(sandbox.url, "Ada") as again:
        assert "between us" not in [said.text for said in await again.messages("#lobby")]


async def test_a_server_comes_with_the_channels_that_the_bot_may_not_see(
    sandbox: Sandbox, bot: ScriptedBot, ada: Person
) -> None:
    hidden = bot.channel("lobby")
    await forbid(ada, str(hidden.id), Permission.VIEW_CHANNEL)
    sandbox.gateway.forget_sessions()
    sandbox.gateway.cut()
    await until(lambda: bot.events.count("READY") == 2)
    await until(lambda: bot.events.count("GUILD_CREATE") == 4)
    again = bot.channel("lobby")
    assert not again.permissions_for(again.guild.me).view_channel
    with pytest.raises(discord.Forbidden):
        await again.send("no")


# Faults that tests set


async def posted(ada: Person) -> list[str]:
    """What the bot has said in the lobby."""
    return [said.text for said in await ada.messages("#lobby") if said.json["author"]["bot"]]


async def test_503_is_raised(sandbox: Sandbox, bot: ScriptedBot, ada: Person) -> None:
    sandbox.faults.add(SEND, status(503))
    with pytest.raises(discord.DiscordServerError):
        await bot.channel("lobby").send("never")
    assert await posted(ada) == []


async def test_a_429_with_via_is_waited_for_and_one_without_is_raised(
    sandbox: Sandbox, bot: ScriptedBot, ada: Person
) -> None:
    sandbox.faults.add(SEND, limited(0.3))
    begun = time.monotonic()
    await bot.channel("lobby").send("later")
    assert time.monotonic() - begun > 0.3
    sandbox.faults.add(SEND, banned())
    with pytest.raises(discord.HTTPException) as raised:
        await bot.channel("lobby").send("never")
    assert raised.value.status == 429
    assert await posted(ada) == ["later"]


@pytest.mark.parametrize("done", [True, False])
async def test_a_cut_connection_leaves_the_work_done_or_not(
    sandbox: Sandbox, bot: ScriptedBot, ada: Person, done: bool
) -> None:
    sandbox.faults.add(SEND, cut(done=done))
    with pytest.raises((aiohttp.ClientConnectionError, OSError)):
        await bot.channel("lobby").send("hello", nonce="abc")
    assert await posted(ada) == (["hello"] if done else [])
    await bot.channel("lobby").send("hello", nonce="abc")
    assert await posted(ada) == ["hello"]


async def test_a_refusal_comes_with_its_code(sandbox: Sandbox, bot: ScriptedBot) -> None:
    sandbox.faults.add(SEND, refused(Code.MISSING_ACCESS))
    with pytest.raises(discord.Forbidden) as raised:
        await bot.channel("lobby").send("never")
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
    sandbox: Sandbox, bot: ScriptedBot, ada: Person
) -> None:
    sandbox.faults.invalid_sessions = 1
    sandbox.gateway.cut()
    await until(lambda: bot.events.count("READY") == 2)
    assert sandbox.faults.invalid_sessions == 0
    assert (await ada.command("#lobby", "play", variant="camelot")).text == "done"


async def test_ready_may_be_late(sandbox: Sandbox) -> None:
    sandbox.faults.ready_after = 0.5
    begun = time.monotonic()
    bot = ScriptedBot()
    await bot.begin()
    assert time.monotonic() - begun > 0.5
    await bot.end()


async def test_the_first_connection_refused_is_more_than_discord_py_can_take(sandbox: Sandbox) -> None:
    rule = sandbox.faults.add(CONNECT, status(503))
    bot = ScriptedBot()
    with pytest.raises(AttributeError):  # it would resume a connection that there has never been
        await bot.start(TOKEN)
    assert rule.struck == 1
    await bot.end()


async def test_a_late_ready_to_a_connection_that_has_gone_opens_no_session(sandbox: Sandbox) -> None:
    sandbox.faults.ready_after = 0.1
    async with aiohttp.ClientSession() as http, await hello(http, sandbox) as socket:
        await socket.send_json(identify())
    await asyncio.sleep(0.2)
    assert not sandbox.gateway.online


async def test_people_cannot_set_faults(sandbox: Sandbox, bot: ScriptedBot, ada: Person) -> None:
    sandbox.faults.add(SEND, status(503), times=None)
    for path in ("/app/faults", "/faults"):
        with pytest.raises((RefusedError, aiohttp.ContentTypeError)):
            await ada.call("POST", path, {})
    await ada.say("#lobby", "the page is not struck")
