"""`python -m tests.bench.minimal_bots discord|aiohttp|boards URL [FILE]`: the cost of bots that do nearly nothing.

`discord` is a bare client of discord.py with our settings; `aiohttp` speaks the protocol by hand. Both answer every
interaction with a line of text, and print "ready" once they could answer the first. `boards` makes a move's
requests, commits (to FILE) and pictures, without a game.
"""

from __future__ import annotations

import asyncio
import gc
import io
import json
import sys
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from typing import Any

import aiohttp
import aiosqlite
import discord

from sandbox import TOKEN, point_discord_at


def bare_client(url: str, *, tidy: bool = False) -> discord.Client:
    """A client of discord.py with our settings; `tidy` excludes the servers from garbage collection as we do."""
    point_discord_at(url)
    client = discord.Client(
        intents=discord.Intents(guilds=True),
        max_messages=None,
        member_cache_flags=discord.MemberCacheFlags.none(),
        chunk_guilds_at_startup=False,
    )

    @client.event
    async def on_ready() -> None:
        if tidy:
            gc.collect()
            gc.freeze()
        print("ready", flush=True)

    return client


async def by_discord_py(url: str) -> None:
    """Connects with discord.py."""
    client = bare_client(url)

    @client.event
    async def on_interaction(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("Hello.", ephemeral=True)

    await client.start(TOKEN)


async def with_boards(url: str, file: str) -> None:
    """Makes what a move costs at least: discord.py's requests, two commits and a picture, without a game."""
    from render import render_png  # not a cost of the other two
    from tests.bench.story import boards

    client, views = bare_client(url, tidy=True), cycle(boards())
    posted: dict[int, int] = {}

    async with aiosqlite.connect(file, isolation_level=None) as base:
        await base.execute("PRAGMA journal_mode = WAL")
        await base.execute("PRAGMA synchronous = FULL")
        await base.execute("CREATE TABLE IF NOT EXISTS said (at, what)")
        with ThreadPoolExecutor(1) as painter:

            @client.event
            async def on_interaction(interaction: discord.Interaction) -> None:
                await interaction.response.defer(ephemeral=True, thinking=True)
                await base.execute("INSERT INTO said VALUES (?, ?)", (interaction.id, "moved"))
                png = await asyncio.get_running_loop().run_in_executor(painter, render_png, next(views))
                assert interaction.channel_id is not None
                place = client.get_partial_messageable(interaction.channel_id)
                view = discord.ui.View(timeout=None)
                view.stop()  # otherwise discord.py would keep it
                for number in range(4):
                    view.add_item(discord.ui.Button(label="Press", custom_id=str(number)))
                shown = discord.File(io.BytesIO(png), "board.png", description="A board.")
                message = await place.send("Moved.", file=shown, view=view, nonce=str(interaction.id))
                await base.execute("INSERT INTO said VALUES (?, ?)", (interaction.id, "posted"))
                before, posted[place.id] = posted.get(place.id, message.id), message.id
                await place.get_partial_message(before).edit(view=None)
                await interaction.edit_original_response(content="Played.")

            await client.start(TOKEN)


async def by_aiohttp(url: str) -> None:
    """Connects without any Discord library."""
    async with aiohttp.ClientSession() as http, http.ws_connect(f"{url}/gateway", max_msg_size=0) as socket:
        await socket.receive()
        await socket.send_json({"op": 2, "d": {"token": TOKEN, "intents": 1}})
        print("ready", flush=True)
        async for frame in socket:
            said = json.loads(frame.data)
            if said.get("t") == "INTERACTION_CREATE":
                asked = said["d"]
                answer = {"type": 4, "data": {"content": "Hello.", "flags": 64}}
                address = f"{url}/api/v10/interactions/{asked['id']}/{asked['token']}/callback"
                async with http.post(address, json=answer) as response:
                    await response.read()


if __name__ == "__main__":
    run: Callable[..., Coroutine[Any, Any, None]]
    run = {"discord": by_discord_py, "aiohttp": by_aiohttp, "boards": with_boards}[sys.argv[1]]
    asyncio.run(run(*sys.argv[2:]))
