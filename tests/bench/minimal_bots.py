"""`python -m tests.bench.minimal_bots discord|boards URL [FILE]`: the cost of bots that do nearly nothing.

`discord` is a bare client of discord.py with our settings, which prints "ready" once it could answer an interaction.
`boards` makes a move's requests, commits (to FILE) and pictures, without a game.
"""

from __future__ import annotations

import asyncio
import gc
import io
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

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


async def with_boards(url: str, file: str) -> None:
    """Makes what a move costs at least: discord.py's requests, two commits and a picture, without a game."""
    from render import render_png  # not a cost of the other one
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


if __name__ == "__main__":
    kind, *where = sys.argv[1:]
    asyncio.run(with_boards(*where) if kind == "boards" else bare_client(*where).start(TOKEN))
