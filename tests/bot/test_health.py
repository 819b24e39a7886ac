"""/healthz of a bot that is connected but does not work. Its Discord side is tested in tests/e2e."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from email.utils import formatdate
from math import isnan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest

from bot.__main__ import DiscordConnection, _measure_standing, _shut_out_for
from bot.client import RoundTable
from bot.config import Settings
from bot.core.timings import DEFAULT_TIMINGS
from bot.discordkit.wall_clock import WallClock
from bot.ops.backup import dated_path
from bot.ops.health import make_metrics, serve_health
from bot.play.announcing.ticker import Ticker
from bot.play.pictures import Pictures
from bot.store import Fault, Reader, Store, StoreError
from bot.store.game_lists import GameCounts
from tests.bot.ticking import no_page
from tests.bot.unprivileged import permit, unprivileged


async def test_a_wrong_clock_or_a_late_tick_is_an_ailment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RoundTable, "is_connected", True)
    ahead, present = [0], time.time()
    clock = WallClock(lambda: present + ahead[0])
    clock.note_date(formatdate(present, usegmt=True), clock.read_clocks())
    async with Store.open(tmp_path / "rt.db") as store:
        with Pictures() as pictures:
            async with RoundTable(store, pictures, clock=clock) as client:
                await client.add_all_cogs()  # a tick is due from here on, and waits for a missing gateway
                async with serve_health("127.0.0.1", 0, client.unhealthy_reason, no_page) as address:

                    async def health() -> tuple[int, str]:
                        async with aiohttp.ClientSession() as http, http.get(f"{address}/healthz") as answer:
                            return answer.status, await answer.text()

                    assert await health() == (200, "ok\n")
                    ahead[0] = 3600
                    status, reason = await health()
                    wrong = r"the clock is 3[56]\d\d seconds ahead of Discord's; whatever is due waits\n"
                    assert status == 503
                    assert re.fullmatch(wrong, reason)
                    ticker = client.get_cog(Ticker.__cog_name__)
                    assert isinstance(ticker, Ticker)
                    begun, ticker._tick_due_at = ticker._tick_due_at, -DEFAULT_TIMINGS.max_tick_delay_s
                    assert await health() == (503, "the tick has not run\n")
                    ticker._tick_due_at, ahead[0] = begun, 0
                    assert await health() == (200, "ok\n")
                    client.app.announcer._composed_since[1] = begun - DEFAULT_TIMINGS.max_board_delay_s
                    assert await health() == (503, "a board is late\n")


@pytest.mark.sqlite  # whose backups are ours
async def test_what_cannot_be_read_hides_none_of_the_other_metrics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("prometheus_client")
    database, folder = tmp_path / "rt.db", tmp_path / "backups"
    settings = Settings("token", database, "INFO", 0, None, folder, 7, None, "127.0.0.1", None)
    counted = make_metrics()
    folder.mkdir()
    dated_path(folder, database, datetime.now(UTC)).touch()

    async def page() -> dict[str, float]:
        text = counted.render_page(await _measure_standing(settings, connection)) or b""
        return {
            name: float(value) for name, value in re.findall(r"^(roundtable_\w+) (\S+)$", text.decode(), re.MULTILINE)
        }

    async def fail(_: Reader) -> GameCounts:
        raise StoreError(Fault.NO_ACCESS, database, "disk I/O error")

    # The store's threads, which read the folder, begin without privileges, too.
    with unprivileged():
        async with Store.open(database) as store:
            connection = DiscordConnection(settings, counted, DEFAULT_TIMINGS)
            connection.store = store
            before = await page()
            assert 0 <= before["roundtable_backup_age_seconds"] < 60
            permit([folder], 0)
            try:
                shut = await page()
            finally:
                permit([folder], 0o755)
            assert isnan(shut.pop("roundtable_backup_age_seconds"))
            assert shut == {name: before[name] for name in shut}
            assert shut["roundtable_live_games"] == 0
            monkeypatch.setattr("bot.__main__.count_games", fail)
            broken = await page()
    assert isnan(broken["roundtable_live_games"])
    assert isnan(broken["roundtable_unannounced_games"])
    assert broken["roundtable_backup_age_seconds"] >= 0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "600"}, 600),
        ({}, DEFAULT_TIMINGS.rate_limited_retry_s),
        ({"Retry-After": "soon"}, DEFAULT_TIMINGS.rate_limited_retry_s),
        ({"Retry-After": "0"}, DEFAULT_TIMINGS.connect_retry_s),
    ],
)
def test_who_is_shut_out_waits_for_as_long_as_discord_says(headers: dict[str, str], seconds: int) -> None:
    response: Any = SimpleNamespace(status=429, reason="Too Many Requests", headers=headers)
    assert _shut_out_for(discord.HTTPException(response, "error code: 1015"), DEFAULT_TIMINGS) == seconds
