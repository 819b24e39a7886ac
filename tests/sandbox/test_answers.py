"""Interactions from the person's act to the bot's answer, through discord.py itself."""

from __future__ import annotations

import time

import discord

from .jester import Jester
from .people import Person


async def test_a_command_is_answered_in_public(ada: Person, bjorn: Person, jester: Jester) -> None:
    async def act(asked: discord.Interaction[Jester]) -> None:
        await asked.response.send_message(f"{asked.user.display_name}: {asked.extras['variant']}")

    jester.act = act
    reply = await ada.command("#round-table", "play", variant="camelot")
    assert (reply.text, reply.ephemeral, jester.errors) == ("Ada: camelot", False, [])
    assert reply.message is not None
    assert reply.message.json["interaction"]["command"] == "play"
    assert [said.text for said in await bjorn.messages("#round-table")] == ["Ada: camelot"]


async def test_round_trip_is_fast(ada: Person) -> None:
    await ada.command("#lobby", "play", variant="camelot")
    start = time.perf_counter()
    for _ in range(20):
        await ada.command("#lobby", "play", variant="camelot")
    each = (time.perf_counter() - start) / 20
    print(f"{each * 1000:.1f} ms per command")
    assert each < 0.1
