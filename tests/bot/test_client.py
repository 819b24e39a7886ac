"""The Discord client, apart from Discord."""

import asyncio
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import discord
import pytest

from bot import __main__ as program
from bot.client import RoundTable
from bot.kit.components import ACTIONS
from bot.kit.metrics import Metrics
from bot.kit.pictures import Pictures
from bot.store import Store


async def test_a_second_client_in_one_process_loads_as_the_first_did(tmp_path: Path) -> None:
    # discord.py's first connection can fail; the program then starts over with a new client.
    async with Store.open(tmp_path / "rt.db") as store:
        with Pictures() as pictures:
            for _ in range(2):
                async with RoundTable(store, pictures) as client:
                    await client.add_all_cogs()
                    assert {command.name for command in client.tree.get_commands()} >= {"play", "move", "board"}
    assert {"join", "leave", "decline", "cancel", "moves", "rules", "page"} <= set(ACTIONS.handlers)


class _Fallen(discord.AutoShardedClient):
    """A client with shards that was connected when something broke in it."""

    shards: Any = MappingProxyType({0: SimpleNamespace(is_closed=lambda: True)})

    def __init__(self, *_: object) -> None:
        super().__init__(intents=discord.Intents.none())

    async def start(self, token: str, *, reconnect: bool = True) -> None:
        raise AttributeError(token)


async def test_a_fault_of_ours_is_not_taken_for_a_gateway_that_lets_nobody_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fallen: Any = _Fallen
    monkeypatch.setattr(program, "RoundTable", fallen)
    async with Store.open(tmp_path / "rt.db") as store:
        with Pictures() as pictures, pytest.raises(AttributeError, match="broken"):
            await asyncio.wait_for(program.Connection(store, pictures, Metrics()).keep("broken"), 60)
