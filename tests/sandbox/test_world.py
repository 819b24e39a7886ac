"""The world outlives its process: orderly ends, kill -9, clocks that go on, and a start that cannot be."""

from __future__ import annotations

import asyncio
import io
import re
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import discord
import pytest

from sandbox import TOKEN, Sandbox, point_discord_at
from sandbox.discord_types import Command, read_thing
from sandbox.people import Person

from .scripted_bot import ScriptedBot, until


async def test_everything_is_there_after_a_restart(tmp_path: Path, bot: ScriptedBot, sandbox: Sandbox) -> None:
    async with await Person.join(sandbox.url, "Bjørn") as bjorn:
        thread = await bot.channel("lobby").create_thread(name="Game 1", type=discord.ChannelType.public_thread)
        await thread.send(f"<@{bjorn.id}>", file=discord.File(io.BytesIO(b"A1 B2"), "board.txt", description="A board"))
        await bjorn.speak("en-US")
        await bjorn.say("#lobby", "hello")
        before = await bjorn.call("GET", f"/app/people/{bjorn.id}/state")
        words = [said.json for said in await bjorn.messages("Game 1")]
    await bot.end()
    await sandbox.close()
    again = await Sandbox.start(tmp_path / "world")
    async with await Person.join(again.url, "Bjørn") as bjorn:
        after = await bjorn.call("GET", f"/app/people/{bjorn.id}/state")
        assert after == before | {"bot": {**before["bot"], "online": False}}
        assert [said.json for said in await bjorn.messages("Game 1")] == words
        assert await bjorn.pings("Game 1") == 1
        assert await bjorn.picture(words[0]["attachments"][0]) == b"A1 B2"
    await again.close()


def test_a_world_made_earlier_may_have_fields_that_are_unknown_now() -> None:
    body = {"name": "play", "description": "Start a game"}
    assert read_thing(Command, {"id": 1, "guild_id": None, "version": 2, "body": body}) == Command(1, 2, body)


SERVE = """
import asyncio, sys
from pathlib import Path
from sandbox import Sandbox

async def serve():
    sandbox = await Sandbox.start(Path(sys.argv[1]), port=int(sys.argv[2]))
    print("sandbox", sandbox.url, flush=True)
    await asyncio.Event().wait()

asyncio.run(serve())
"""


@asynccontextmanager
async def process(folder: Path, port: int = 0) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """The sandbox in a process of its own, and its address. It is killed at the end, if it still lives."""
    command = (sys.executable, "-c", SERVE, str(folder), str(port))
    running = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    assert running.stdout is not None
    word, url = (await running.stdout.readline()).decode().split()
    assert word == "sandbox"
    try:
        yield running, url
    finally:
        if running.returncode is None:
            running.kill()
        await running.wait()


async def test_what_was_answered_with_200_survives_kill_9(tmp_path: Path) -> None:
    sent: list[str] = []
    headers = {"Authorization": f"Bot {TOKEN}"}
    async with process(tmp_path) as (running, url), await Person.join(url, "Ada") as ada:
        place = await ada.find("#lobby")
        async with aiohttp.ClientSession(headers=headers) as http:

            async def send_for_ever() -> None:
                while True:
                    content = {"content": f"move {len(sent)}"}
                    async with http.post(f"{url}/api/v10/channels/{place}/messages", json=content) as response:
                        sent.append((await response.json())["content"])

            sending = asyncio.create_task(send_for_ever())
            await until(lambda: len(sent) >= 60)
            running.send_signal(signal.SIGKILL)
            with pytest.raises(aiohttp.ClientError):
                await sending
    async with process(tmp_path) as (_, url), await Person.join(url, "Ada") as ada:
        there = [said.text for said in await ada.messages("#lobby")]
        unheard = [*sent, f"move {len(sent)}"]  # stored, but killed before the answer was out
        assert there in (sent[-100:], unheard[-100:])


class _Impatient:
    """Stands in for discord.py's growing pauses between attempts to connect, which cost half a minute."""

    def delay(self) -> float:
        return 0.1


@pytest.mark.long
async def test_a_bot_whose_server_was_killed_comes_back_by_itself(
    tmp_path: Path, sandbox: Sandbox, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discord.client.ExponentialBackoff", _Impatient)
    bot = ScriptedBot()
    try:
        async with process(tmp_path / "apart", unused_tcp_port) as (_, url):
            point_discord_at(url)
            await bot.begin()
            await bot.channel("lobby").send("before")
        async with process(tmp_path / "apart", unused_tcp_port) as (_, url), await Person.join(url, "Ada") as ada:
            await ada.wait_until_online(30)
            assert (await ada.command("#lobby", "play", variant="camelot")).text == "done"
            assert [said.text for said in await ada.messages("#lobby")] == ["before", "done"]
    finally:
        await bot.end()


async def test_an_unanswered_act_fails_also_when_the_server_was_down(tmp_path: Path) -> None:
    first = await Sandbox.start(tmp_path)
    async with await Person.join(first.url, "Ada") as ada:
        place = await ada.find("#lobby")
        number = (await _registered(first, ada))["id"]
        body = {"command_id": number, "path": [], "options": {}}
        asked = await ada.call("POST", f"/app/people/{ada.id}/channels/{place}/commands", body)
    await first.close()
    again = await Sandbox.start(tmp_path, clock=lambda: time.time() + 60)
    await until(lambda: again.world.interactions[int(asked["interaction_id"])].failed)
    await again.close()


async def _registered(sandbox: Sandbox, ada: Person) -> dict[str, str]:
    """A command that no bot answers."""
    url = f"{sandbox.url}/api/v10/applications/1100000000000000001/commands"
    body = {"name": "wait", "description": "Nobody answers"}
    async with (
        aiohttp.ClientSession(headers={"Authorization": f"Bot {TOKEN}"}) as http,
        http.put(url, json=[body]) as response,
    ):
        (found,) = await response.json()
        return dict(found)


async def test_a_thinking_answer_that_nobody_finishes_says_so_in_the_end(
    tmp_path: Path, sandbox: Sandbox, bot: ScriptedBot, ada: Person
) -> None:
    async def act(asked: discord.Interaction[ScriptedBot]) -> None:
        await asked.response.defer(thinking=True)

    bot.act = act
    asking = asyncio.create_task(ada.command("#lobby", "play", variant="camelot"))
    await ada.wait_for("#lobby", lambda said: said.json["state"] == "thinking")
    asking.cancel()
    await bot.end()
    await sandbox.close()
    shifted = time.time() + 901
    again = await Sandbox.start(tmp_path / "world", clock=lambda: shifted)
    async with await Person.join(again.url, "Ada") as later:
        await later.wait_for("#lobby", lambda said: said.text == "The application did not respond")
    await again.close()


# A start that cannot be


async def test_a_file_as_folder_and_a_taken_port_are_named(tmp_path: Path) -> None:
    (path := tmp_path / "file").touch()
    with pytest.raises(OSError, match=re.escape(str(path))):
        await Sandbox.start(path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(OSError, match=str(port)):
            await Sandbox.start(tmp_path, port=port)


async def test_a_world_that_is_none_or_damaged_is_named(tmp_path: Path) -> None:
    await (await Sandbox.start(tmp_path)).close()
    world = tmp_path / "world.db"
    whole = bytearray(world.read_bytes())
    whole[4096:] = b"x" * (len(whole) - 4096)
    for content, why in ((whole, "database disk image is malformed"), (b"poem\n" * 1000, "file is not a database")):
        world.write_bytes(content)
        with pytest.raises(OSError, match=f"{re.escape(str(tmp_path))} cannot be used: {why}"):
            await Sandbox.start(tmp_path)
