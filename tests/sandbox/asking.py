"""What the tests of answers share: a picture to send, a command to run, and what the bot was refused."""

from __future__ import annotations

import io

import discord

from sandbox.people import Person, Reply

from .jester import Jester

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big") + b"rest"
Asked = discord.Interaction[Jester]


def board(name: str = "board.png", content: bytes = PNG, alt: str | None = "A board") -> discord.File:
    return discord.File(io.BytesIO(content), name, description=alt)


def code_of(jester: Jester) -> int:
    """The code of the one error that Discord's refusal raised in the bot."""
    (error,) = jester.errors
    assert isinstance(error, discord.HTTPException), error
    return error.code


async def play(person: Person) -> Reply:
    return await person.command("#general", "play", variant="camelot")
