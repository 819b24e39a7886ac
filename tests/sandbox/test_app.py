"""The page's API: who is let in, what it serves, and nonsense that is refused in words."""

from __future__ import annotations

import asyncio
import io
import json
import re
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
import discord
import pytest
import yarl
from discord.http import Route

from bot.ops.health import serve_health
from sandbox import TOKEN, Sandbox, point_discord_at
from sandbox.people import Person, RefusedError
from tests.bot.ticked_games import no_page

from .scripted_bot import ScriptedBot, until


async def status(url: str, method: str = "GET", **more: object) -> int:
    async with aiohttp.ClientSession() as http, http.request(method, url, **more) as response:  # type: ignore[arg-type]
        return response.status


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
    for path in ("page/../server.py", "page/%2e%2e%2fserver.py", "page/nothing.js", "attachments/1/1/x.png"):
        assert await status(f"{alone.url}/{path}") == 404, path


async def test_only_pictures_are_shown_in_the_browser(ada: Person, bot: ScriptedBot, sandbox: Sandbox) -> None:
    page = discord.File(io.BytesIO(b"<script>alert(1)</script>"), "page.html")
    message = await bot.channel("lobby").send(file=page)
    async with aiohttp.ClientSession() as http, http.get(message.attachments[0].url) as response:
        assert response.headers["Content-Disposition"] == "attachment"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"


async def test_further_people_and_channels(ada: Person, bot: ScriptedBot, sandbox: Sandbox) -> None:
    table = next(guild for guild in bot.guilds if guild.name == "Test Server")
    await ada.call("POST", "/app/people", {"name": "Eve", "locale": "no", "manages": [str(table.id)]})
    await ada.call("POST", f"/app/guilds/{table.id}/channels", {"name": "yard"})
    async with await Person.join(sandbox.url, "Eve") as eve:
        assert (await eve.command("#yard", "rule")).text == "done"
    assert bot.channel("yard").permissions_for(table.me).send_messages


async def test_unread_messages_are_counted_until_read(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    for number in range(3):
        await bot.channel("lobby").send(str(number))
    place = await bjorn.find("#lobby")
    state = await bjorn.call("GET", f"/app/people/{bjorn.id}/state")
    lobby = next(one for guild in state["guilds"] for one in guild["channels"] if one["id"] == place)
    assert (lobby["unread"], lobby["pings"]) == (3, 0)
    await bjorn.read("#lobby")
    await bjorn.wait_for("#lobby", lambda said: said.text == "2")
    assert bjorn.channels[place]["unread"] == 0


async def test_history_comes_in_pages(ada: Person, bot: ScriptedBot) -> None:
    for number in range(5):
        await bot.channel("lobby").send(str(number))
    path = f"/app/people/{ada.id}/channels/{await ada.find('#lobby')}/messages"
    newest = await ada.call("GET", path + "?limit=2")
    assert ([one["content"] for one in newest["messages"]], newest["more"]) == (["3", "4"], True)
    older = await ada.call("GET", f"{path}?limit=3&before={newest['messages'][0]['id']}")
    assert ([one["content"] for one in older["messages"]], older["more"]) == (["0", "1", "2"], False)


async def test_the_bot_may_be_thrown_out_and_invited_again(ada: Person, bot: ScriptedBot) -> None:
    court = discord.utils.get(bot.guilds, name="Other Court")
    assert court is not None
    elsewhere = bot.channel("elsewhere")
    await ada.call("PUT", f"/app/guilds/{court.id}/bot", {"member": False})
    await until(lambda: len(bot.guilds) == 1)
    with pytest.raises(discord.Forbidden, match="50001"):
        await elsewhere.send("x")
    for ask in (
        bot.http.get_guild(court.id),
        bot.http.get_all_guild_channels(court.id),
        bot.http.get_active_threads(court.id),
        bot.http.get_member(court.id, int(ada.id)),
    ):
        with pytest.raises(discord.Forbidden, match="50001"):
            await ask
    with pytest.raises(RefusedError, match="no_such_command"):
        await ada.command("#elsewhere", "play", variant="camelot")
    await ada.call("PUT", f"/app/guilds/{court.id}/bot", {"member": True})
    await until(lambda: len(bot.guilds) == 2)
    assert (await ada.command("#elsewhere", "play", variant="camelot")).text == "done"


# Nobody but this machine's own page and bot is let in


FOREIGN = (
    {"Host": "evil.example"},
    {"Host": "evil.example:{port}"},
    {"Host": "127.0.0.1.evil.example:{port}"},
    {"Host": "localhost@evil.example:{port}"},
    {"Host": "127.0.0.1"},
    {"Host": "0.0.0.0:{port}"},
    {"Origin": "http://evil.example"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "https://127.0.0.1:{port}"},
    {"Origin": "http://localhost:{port}"},  # another origin than the one that is asked, as browsers see it
    {"Origin": "http://127.0.0.1:{port}.evil.example"},
    {"Origin": "null"},
    {"Origin": ""},
)
"""What a request brings that a foreign page has made, or a name that it lets point here."""

JUNK: tuple[Any, ...] = (
    "",
    "x",
    "-1",
    "1" * 400,
    "١",
    -1,
    10**30,
    1.5,
    True,
    None,
    [],
    [1],
    {},
    {"a": {}},
    "\u202e<b>",
)


def routes(sandbox: Sandbox) -> Iterator[tuple[str, str]]:
    """Method and path of everything that is served, some number in the place of each variable."""
    for method, path in sandbox.routes():
        if method != "HEAD":
            yield ("GET" if method == "*" else method), re.sub(r"\{\w+\}", "1", path)


def at(sandbox: Sandbox, headers: dict[str, str]) -> dict[str, str]:
    return {name: value.format(port=yarl.URL(sandbox.url).port) for name, value in headers.items()}


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_nothing_that_is_served_is_served_to_foreign_pages_or_names(
    alone: Sandbox, headers: dict[str, str]
) -> None:
    served = [*routes(alone)]
    assert len(served) > 40
    async with aiohttp.ClientSession() as http:
        for method, path in served:
            async with http.request(method, alone.url + path, headers=at(alone, headers)) as response:
                assert response.status == 403, (method, path)
                assert await response.text() in ("wrong host", "wrong origin")


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_no_foreign_page_hears_what_a_person_or_the_bot_receives(alone: Sandbox, headers: dict[str, str]) -> None:
    someone = next(iter(alone.world.people))
    async with aiohttp.ClientSession() as http:
        for path in (f"/app/people/{someone}/live", "/gateway"):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await http.ws_connect(alone.url + path, headers=at(alone, headers))
            assert refused.value.status == 403
        own = {"Origin": alone.url}
        async with http.ws_connect(f"{alone.url}/app/people/{someone}/live", headers=own) as socket:
            assert (await socket.receive_json())["type"] == "state"


@pytest.mark.parametrize("headers", [{}, {"Host": "localhost:{port}"}, {"Origin": "http://127.0.0.1:{port}"}])
async def test_the_page_itself_is_let_in(alone: Sandbox, headers: dict[str, str]) -> None:
    people = f"{alone.url}/app/people"
    async with aiohttp.ClientSession() as http, http.get(people, headers=at(alone, headers)) as answer:
        assert answer.status == 200


async def test_a_request_that_names_no_host_is_not_let_in(alone: Sandbox) -> None:
    url = yarl.URL(alone.url)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    writer.write(b"GET /app/people HTTP/1.0\r\n\r\n")
    assert b" 403 " in await reader.readline()
    writer.close()
    await writer.wait_closed()


async def test_nonsense_from_the_page_is_refused_and_breaks_nothing(alone: Sandbox) -> None:
    ada = next(one.id for one in alone.world.people.values() if one.name == "Ada")
    channel = next(one.id for one in alone.world.channels.values() if one.name == "lobby")
    guild = next(iter(alone.world.guilds))
    fields = ("name", "locale", "content", "command_id", "path", "options", "custom_id", "values", "allow")
    fields += ("deny", "archived", "locked", "member", "manages", "guilds", "interaction_id", "focused")
    async with aiohttp.ClientSession() as http:
        for junk in JUNK:
            text = json.dumps(dict.fromkeys(fields, junk))
            for method, path in routes(alone):
                if not path.startswith("/app/") or path.endswith("/live") or method == "DELETE":
                    continue
                place = path.replace("/people/1", f"/people/{ada}").replace("/channels/1", f"/channels/{channel}")
                address = alone.url + place.replace("/guilds/1", f"/guilds/{guild}")
                query = {"limit": str(junk), "before": str(junk)} if method == "GET" else None
                sent = None if method == "GET" else text
                header = {"Content-Type": "application/json"}
                async with http.request(method, address, params=query, data=sent, headers=header) as response:
                    assert response.status in (200, 400, 403, 404), (method, path, junk)
                    assert isinstance(await response.json(), dict)
    async with await Person.join(alone.url, "Ada") as still:  # the page can be opened all the same
        assert still.channels


ENDLESS = {
    "lists": b'{"content":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "objects": b'{"content":' * 80 + b"1" + b"}" * 80,
    "a number of 5,000 digits": b'{"content":"x","flags":' + b"9" * 5000 + b"}",
    "a number of 4,000 digits": b'{"content":"x","flags":' + b"9" * 4000 + b"}",
    "an id of 5,000 digits": b'{"content":"x","message_reference":{"message_id":"' + b"9" * 5000 + b'"}}',
    "infinity": b'{"content":"x","flags":1e999}',
    "not a number": b'{"content":"x","flags":NaN}',
    "half a pair": b'{"content":"\\ud800"}',
}


@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS)
async def test_a_body_without_end_is_refused(alone: Sandbox, body: bytes) -> None:
    channel = next(iter(alone.world.channels))
    headers = {"Authorization": f"Bot {TOKEN}", "Content-Type": "application/json"}
    for path in (f"/api/v10/channels/{channel}/messages", "/app/people"):
        async with aiohttp.ClientSession() as http, http.post(alone.url + path, data=body, headers=headers) as answer:
            assert answer.status == 400


@pytest.mark.parametrize(
    "path", ["/channels/{endless}/messages", "/channels/{here}/messages?limit={endless}", "/guilds/{endless}"]
)
async def test_a_number_without_end_in_an_address_is_refused(alone: Sandbox, path: str) -> None:
    asked = path.format(endless="9" * 5000, here=next(iter(alone.world.channels)))
    headers = {"Authorization": f"Bot {TOKEN}"}
    async with aiohttp.ClientSession() as http, http.get(f"{alone.url}/api/v10{asked}", headers=headers) as answer:
        assert answer.status == 400


async def test_no_compressed_body_is_unpacked(alone: Sandbox) -> None:
    packer = zlib.compressobj(wbits=31)
    bomb = b"".join([*(packer.compress(b"x" * 1_000_000) for _ in range(200)), packer.flush()])
    channel = next(iter(alone.world.channels))
    headers = {"Authorization": f"Bot {TOKEN}", "Content-Type": "application/json", "Content-Encoding": "gzip"}
    async with serve_health("127.0.0.1", 0, lambda: None, no_page) as health, aiohttp.ClientSession() as http:
        tracemalloc.start()
        for method, path, status in (
            ("POST", f"{alone.url}/api/v10/channels/{channel}/messages", 400),
            ("POST", f"{alone.url}/app/people", 400),
            ("GET", f"{health}/healthz", 200),
        ):
            async with http.request(method, path, data=bomb, headers=headers) as answer:
                assert answer.status == status
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 20_000_000


async def test_an_upload_without_end_is_refused(alone: Sandbox) -> None:
    channel = next(iter(alone.world.channels))

    async def endless() -> AsyncIterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="files[0]"; filename="a"\r\n\r\n'
        for _ in range(100):
            yield b"x" * 1_000_000

    headers = {"Authorization": f"Bot {TOKEN}", "Content-Type": "multipart/form-data; boundary=x"}
    path = f"{alone.url}/api/v10/channels/{channel}/messages"
    tracemalloc.start()
    with suppress(aiohttp.ClientError):  # the connection may end before all is sent
        async with aiohttp.ClientSession() as http, http.post(path, data=endless(), headers=headers) as answer:
            assert answer.status == 413
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60_000_000
