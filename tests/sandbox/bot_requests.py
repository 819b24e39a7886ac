"""What the tests of answers share: a picture to send, a command to run, and what the bot was refused."""

from __future__ import annotations

import io
from typing import Any

import aiohttp
import discord
import pytest

from sandbox import TOKEN, Sandbox
from sandbox.errors import Refusal
from sandbox.people import Person, Reply
from sandbox.permissions import Permission
from sandbox.shown_messages import Said
from sandbox.world import BOT_ID

from .scripted_bot import Act, ScriptedBot, until

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big") + b"rest"
Asked = discord.Interaction[ScriptedBot]


def board(name: str = "board.png", content: bytes = PNG, alt: str | None = "A board") -> discord.File:
    return discord.File(io.BytesIO(content), name, description=alt)


async def code_of(bot: ScriptedBot) -> int:
    """The code of the one error that Discord's refusal raises in the bot, maybe after the person has their answer."""
    await until(lambda: bool(bot.errors))
    (error,) = bot.errors
    assert isinstance(error, discord.HTTPException), error
    return error.code


def saying(words: str, **more: Any) -> Act:
    """Returns an act that answers with these words."""

    async def act(asked: Asked) -> None:
        await asked.response.send_message(words, **more)

    return act


async def shown(person: Person) -> Said:
    """Returns the message that answers the person's command."""
    message = (await play(person)).message
    assert message is not None
    return message


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
    overwrite = {"of": str(BOT_ID), "allow": 0, "deny": denied}
    await ada.call("PUT", f"/app/channels/{await ada.find(channel)}/overwrites", overwrite)


async def refused(what: Any, code: int, status: int) -> None:
    """Awaits a call that Discord must refuse with this code."""
    with pytest.raises(discord.HTTPException) as caught:
        await what
    assert (caught.value.code, caught.value.status) == (code, status)


async def hello(http: aiohttp.ClientSession, sandbox: Sandbox) -> aiohttp.ClientWebSocketResponse:
    socket = await http.ws_connect(sandbox.url + "/gateway")
    assert (await socket.receive_json())["op"] == 10
    return socket


def identify(token: str = TOKEN, intents: int = 1, **more: Any) -> dict[str, Any]:
    return {"op": 2, "d": {"token": token, "intents": intents, "properties": {}, **more}}
