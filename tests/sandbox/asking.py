"""What the tests of answers share: a picture to send, a command to run, and what the bot was refused."""

from __future__ import annotations

import io
from typing import Any

import discord
import pytest

from sandbox.errors import Refusal
from sandbox.people import Person, Reply
from sandbox.permissions import Permission

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


def refusal_code(check: Any, *given: Any, **more: Any) -> int | None:
    """The code of the refusal; None when nothing is refused."""
    try:
        check(*given, **more)
    except Refusal as refusal:
        return int(refusal.body()["code"])
    return None


async def forbid(ada: Person, channel: str, *bits: Permission) -> None:
    """Takes permissions from the bot in a channel."""
    denied = sum(int(bit) for bit in bits)
    await ada.call("PUT", f"/app/channels/{await ada.find(channel)}/bot-permissions", {"allow": 0, "deny": denied})


async def refused(what: Any, code: int, status: int) -> None:
    """Awaits a call that Discord must refuse with this code."""
    with pytest.raises(discord.HTTPException) as caught:
        await what
    assert (caught.value.code, caught.value.status) == (code, status)
