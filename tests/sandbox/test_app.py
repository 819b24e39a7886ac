"""The page's API: who may talk to it, what it serves, and how it tells people what happens."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import discord
import pytest
import yarl
from discord.http import Route

from sandbox import Sandbox, point_discord_at
from sandbox.people import Person, RefusedError

from .jester import Jester, until


@pytest.fixture
async def alone(tmp_path: Path) -> AsyncIterator[Sandbox]:
    """A sandbox without a bot."""
    started = await Sandbox.start(tmp_path)
    yield started
    await started.close()


async def status(url: str, method: str = "GET", **more: object) -> int:
    async with aiohttp.ClientSession() as http, http.request(method, url, **more) as response:  # type: ignore[arg-type]
        return response.status


async def test_only_this_machine_by_its_own_name_is_let_in(alone: Sandbox) -> None:
    people = alone.url + "/app/people"
    port = yarl.URL(alone.url).port
    assert await status(people) == 200
    assert await status(people, headers={"Host": f"localhost:{port}"}) == 200
    assert await status(people, headers={"Host": "evil.example"}) == 403
    assert await status(people, headers={"Host": f"evil.example:{port}"}) == 403
    assert await status(people, headers={"Host": f"127.0.0.1:{(port or 0) + 1}"}) == 403
    assert await status(people, headers={"Origin": alone.url}) == 200
    assert await status(people, headers={"Origin": "http://evil.example"}) == 403
    assert await status(people, headers={"Origin": "null"}) == 403
    assert await status(alone.url + "/api/v10/gateway", headers={"Host": "evil.example"}) == 403
    assert await status(alone.url + "/gateway", headers={"Host": "evil.example"}) == 403


async def test_bodies_must_be_json_so_that_foreign_forms_cannot_act(alone: Sandbox) -> None:
    people = alone.url + "/app/people"
    assert await status(people, "POST", data='{"name": "Eve"}', headers={"Content-Type": "text/plain"}) == 400
    assert await status(people, "POST", data={"name": "Eve"}) == 400
    assert await status(people, "POST", data="{", headers={"Content-Type": "application/json"}) == 400
    assert await status(people, "POST", json=["Eve"]) == 400
    assert await status(people, "POST", json={"name": "Eve"}) == 200
    assert await status(people, "POST", json={"name": "Eve"}) == 400


async def test_it_binds_to_loopback_only(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="this machine only"):
        await Sandbox.start(tmp_path, host="0.0.0.0")


async def test_a_taken_port_is_an_error_and_leaves_nothing_open(tmp_path: Path, alone: Sandbox) -> None:
    with pytest.raises(OSError, match="address already in use"):
        await Sandbox.start(tmp_path / "other", port=yarl.URL(alone.url).port or 0)


def test_discord_is_pointed_at_this_machine_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Route, "BASE", Route.BASE)
    for url in ("http://example.org", "https://discord.com", "http://127.0.0.1.example.org:80", "http://10.0.0.1"):
        with pytest.raises(ValueError, match="not on this machine"):
            point_discord_at(url)
    monkeypatch.setattr("discord.__version__", "2.8.0")
    with pytest.raises(RuntimeError, match=r"not 2\.8\.0"):
        point_discord_at("http://127.0.0.1:1")


async def test_the_page_is_served_with_a_strict_policy(alone: Sandbox) -> None:
    async with aiohttp.ClientSession() as http, http.get(alone.url) as response:
        assert response.status == 200
        policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert await status(alone.url + "/page/../server.py") == 404
    assert await status(alone.url + "/page/%2e%2e%2fserver.py") == 404
    assert await status(alone.url + "/page/nothing.js") == 404
    assert await status(alone.url + "/attachments/1/1/x.png") == 404


async def test_only_pictures_are_shown_in_the_browser(ada: Person, jester: Jester, sandbox: Sandbox) -> None:
    page = discord.File(io.BytesIO(b"<script>alert(1)</script>"), "page.html")
    message = await jester.channel("lobby").send(file=page)
    async with aiohttp.ClientSession() as http, http.get(message.attachments[0].url) as response:
        assert response.headers["Content-Disposition"] == "attachment"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"


async def test_further_people_and_channels(ada: Person, jester: Jester, sandbox: Sandbox) -> None:
    table = next(guild for guild in jester.guilds if guild.name == "Test Server")
    await ada.call("POST", "/app/people", {"name": "Eve", "locale": "no", "manages": [str(table.id)]})
    await ada.call("POST", f"/app/guilds/{table.id}/channels", {"name": "yard"})
    async with await Person.join(sandbox.url, "Eve") as eve:
        assert (await eve.command("#yard", "rule")).text == "done"
    assert jester.channel("yard").permissions_for(table.me).send_messages


async def test_unread_messages_are_counted_until_read(ada: Person, bjorn: Person, jester: Jester) -> None:
    for number in range(3):
        await jester.channel("lobby").send(str(number))
    place = await bjorn.find("#lobby")
    state = await bjorn.call("GET", f"/app/people/{bjorn.id}/state")
    lobby = next(one for guild in state["guilds"] for one in guild["channels"] if one["id"] == place)
    assert (lobby["unread"], lobby["pings"]) == (3, 0)
    await bjorn.read("#lobby")
    await bjorn.wait_for("#lobby", lambda said: said.text == "2")
    assert bjorn.channels[place]["unread"] == 0


async def test_history_comes_in_pages(ada: Person, jester: Jester) -> None:
    for number in range(5):
        await jester.channel("lobby").send(str(number))
    path = f"/app/people/{ada.id}/channels/{await ada.find('#lobby')}/messages"
    newest = await ada.call("GET", path + "?limit=2")
    assert ([one["content"] for one in newest["messages"]], newest["more"]) == (["3", "4"], True)
    older = await ada.call("GET", f"{path}?limit=3&before={newest['messages'][0]['id']}")
    assert ([one["content"] for one in older["messages"]], older["more"]) == (["0", "1", "2"], False)


async def test_bad_requests_are_told_why(ada: Person) -> None:
    for method, path, code in (
        ("GET", "/app/people/1/state", "10013"),
        ("GET", f"/app/people/{ada.id}/channels/1/messages", "10003"),
        ("POST", f"/app/people/{ada.id}/modals", "bad_request"),
        ("PATCH", f"/app/people/{ada.id}", "bad_locale"),
        ("DELETE", f"/app/people/{ada.id}/messages/1", "10008"),
    ):
        with pytest.raises(RefusedError) as caught:
            await ada.call(method, path, {} if method != "GET" else None)
        assert caught.value.code == code


async def test_half_a_character_is_refused_before_anybody_has_to_read_it(ada: Person, jester: Jester) -> None:
    for broken in ("\ud83c", "a\udf33b"):
        with pytest.raises(RefusedError, match="no JSON"):
            await ada.say("#lobby", broken)
        with pytest.raises(RefusedError, match="no JSON"):
            await ada.command("#lobby", "play", variant=broken)
    assert await ada.messages("#lobby") == []
    assert (await ada.command("#lobby", "play", variant="camelot")).text == "done"  # the gateway has not fallen


async def test_the_bot_may_be_thrown_out_and_invited_again(ada: Person, jester: Jester) -> None:
    court = discord.utils.get(jester.guilds, name="Other Court")
    assert court is not None
    elsewhere = jester.channel("elsewhere")
    await ada.call("PUT", f"/app/guilds/{court.id}/bot", {"member": False})
    await until(lambda: len(jester.guilds) == 1)
    with pytest.raises(discord.Forbidden, match="50001"):
        await elsewhere.send("x")
    for ask in (
        jester.http.get_guild(court.id),
        jester.http.get_all_guild_channels(court.id),
        jester.http.get_active_threads(court.id),
        jester.http.get_member(court.id, int(ada.id)),
    ):
        with pytest.raises(discord.Forbidden, match="50001"):
            await ask
    with pytest.raises(RefusedError, match="no_such_command"):
        await ada.command("#elsewhere", "play", variant="camelot")
    await ada.call("PUT", f"/app/guilds/{court.id}/bot", {"member": True})
    await until(lambda: len(jester.guilds) == 2)
    assert (await ada.command("#elsewhere", "play", variant="camelot")).text == "done"
