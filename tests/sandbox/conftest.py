"""A sandbox, a real discord.py bot in it, and the people."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route

from sandbox import Hardness, PayloadCheck, Sandbox, point_discord_at
from sandbox.people import Person

from .openapi_check import DOCUMENT, check_payload, trace
from .scripted_bot import ScriptedBot

CALM = Hardness(answer_within=20.0)
"""On a busy machine anything may take more than three seconds. What those are, other tests ask."""


@pytest.fixture
def check() -> PayloadCheck | None:
    """Holds the bot's payloads against Discord's own description where it is at hand."""
    return check_payload if DOCUMENT.is_file() else None


@pytest.fixture
async def sandbox(
    tmp_path: Path, check: PayloadCheck | None, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Sandbox]:
    monkeypatch.setattr(Route, "BASE", Route.BASE)  # puts back afterwards what point_discord_at changes
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", DiscordWebSocket.DEFAULT_GATEWAY)
    started = await Sandbox.start(tmp_path / "world", check=check, hardness=CALM)
    point_discord_at(started.url)
    yield started
    await started.close()


@pytest.fixture
async def alone(tmp_path: Path) -> AsyncIterator[Sandbox]:
    """A sandbox without a bot."""
    started = await Sandbox.start(tmp_path)
    yield started
    await started.close()


@pytest.fixture
async def bot(sandbox: Sandbox) -> AsyncIterator[ScriptedBot]:
    strange_answers: list[str] = []
    bot = ScriptedBot(trace(strange_answers) if DOCUMENT.is_file() else None)
    await bot.begin()
    yield bot
    await bot.end()
    assert strange_answers == []  # whatever the test was about, the sandbox spoke as Discord does


def _joining(name: str) -> object:
    """Returns a fixture: the person of that name, in the sandbox with the bot."""

    @pytest.fixture
    async def join(sandbox: Sandbox, bot: ScriptedBot) -> AsyncIterator[Person]:
        async with await Person.join(sandbox.url, name) as person:
            yield person

    return join


ada, bjorn, cleo = map(_joining, ("Ada", "Bjørn", "Cleo"))
