"""/healthz of a bot that is connected and yet does not do its work. How it is in Discord is in tests/e2e."""

from __future__ import annotations

import re
from pathlib import Path

import aiohttp
import pytest

from bot.client import RoundTable
from bot.kit.metrics import Standing
from bot.kit.pictures import Pictures
from bot.ops.health import metrics, served
from bot.store import Store


async def no_page() -> None:
    """Nothing is counted."""


async def test_a_tick_that_has_not_run_for_long_is_an_ailment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RoundTable, "is_connected", True)
    async with Store.open(tmp_path / "rt.db") as store:
        with Pictures() as pictures:
            async with RoundTable(store, pictures) as client:
                await client.add_all_cogs()  # from here on a tick is due, which waits for a gateway that is not there
                async with served("127.0.0.1", 0, client.ailment, no_page) as address:

                    async def health() -> tuple[int, str]:
                        async with aiohttp.ClientSession() as http, http.get(f"{address}/healthz") as answer:
                            return answer.status, await answer.text()

                    assert await health() == (200, "ok\n")
                    monkeypatch.setattr("bot.client.LATE", 0)
                    assert await health() == (503, "the tick has not run\n")


def test_the_metrics_say_which_shards_are_looked_after_just_now() -> None:
    pytest.importorskip("prometheus_client")
    counted, present = metrics(), Standing(True, 3, 1, None, {0, 2})
    for shards in ({0, 2}, {2}, set[int]()):
        page = (counted.page(present._replace(shards=shards)) or b"").decode()
        assert set(map(int, re.findall(r'^roundtable_shard{shard="(\d+)"} 1.0$', page, re.MULTILINE))) == shards
