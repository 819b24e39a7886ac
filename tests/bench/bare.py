"""`python -m tests.bench.bare discord|aiohttp URL`: what a bot costs that does nothing but connect and answer.

`discord` is a bare client of discord.py with the same settings as ours; `aiohttp` speaks the protocol by hand. Both
answer every interaction with a line of text, and print "ready" when they would be ready for the first.
"""

from __future__ import annotations

import asyncio
import json
import sys

import aiohttp
import discord

from bot.sandbox import TOKEN, point_discord_at


async def by_discord_py(url: str) -> None:
    """Connects with discord.py."""
    point_discord_at(url)
    client = discord.Client(
        intents=discord.Intents(guilds=True),
        max_messages=None,
        member_cache_flags=discord.MemberCacheFlags.none(),
        chunk_guilds_at_startup=False,
    )

    @client.event
    async def on_ready() -> None:
        print("ready", flush=True)

    @client.event
    async def on_interaction(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("Hello.", ephemeral=True)

    await client.start(TOKEN)


async def by_aiohttp(url: str) -> None:
    """Connects without any library of Discord's."""
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
    asyncio.run({"discord": by_discord_py, "aiohttp": by_aiohttp}[sys.argv[1]](sys.argv[2]))
