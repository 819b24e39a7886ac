"""/healthz and the metrics of a bot that does not work, and each part of the tick in its own `try`."""

from __future__ import annotations

import asyncio
import pkgutil
import re
import time
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import formatdate
from math import isnan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest
from structlog.testing import capture_logs

from bot.__main__ import DiscordConnection, _measure_standing, _shut_out_for
from bot.client import RoundTable
from bot.config import Settings
from bot.core.clock import DAY, HOUR
from bot.core.settings import GuildSettings
from bot.core.timings import DEFAULT_TIMINGS
from bot.discordkit.metrics import LogLimiter
from bot.discordkit.wall_clock import WallClock
from bot.features import FEATURES
from bot.ops.backup import dated_path
from bot.ops.health import make_metrics, serve_health
from bot.play.announcing.ticker import Ticker
from bot.play.background import FAILURE_LIFETIME_S, FAILURES_TO_REPORT, Attempts, Pictures
from bot.play.seeking import add_seeker, tables_to_fill
from bot.play.service import Service, people, upkeep
from bot.puzzles import service as puzzles_store
from bot.puzzles.service import choose_due_puzzles, posts_due
from bot.store import Fault, Reader, Store, StoreError
from tests.bot.beginning import begun, opened
from tests.bot.databases import change
from tests.bot.playing import ADA, BO, CY, GUILD, NOW, unshuffled
from tests.bot.puzzle_servers import MORNING, ask_for_a_daily
from tests.bot.ticked_games import a_ticker, no_page
from tests.bot.unprivileged import permit, unprivileged


async def test_a_wrong_clock_or_a_late_tick_is_an_ailment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.client.is_connected", lambda _: True)
    ahead, present = [0], time.time()
    clock = WallClock(lambda: present + ahead[0])
    clock.note_date(formatdate(present, usegmt=True))
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
                    client.context.composed_since[1] = begun - DEFAULT_TIMINGS.max_board_delay_s
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

    async def fail(_: Reader) -> tuple[int, int]:
        raise StoreError(Fault.NO_ACCESS, database, "disk I/O error")

    # The store's threads, which read the folder, begin without privileges, too.
    with unprivileged():
        async with Store.open(database) as store:
            connection = DiscordConnection(settings, DEFAULT_TIMINGS)
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


# Each part of the tick in its own try


PARTS = {
    "servers that are back": "bot.play.service.presence.Presence.note_servers_found",
    "upkeep": "bot.play.announcing.ticker.tick_matches",
    "ladders": "bot.ladder.feature.tick_ladders",
    "puzzles": "bot.puzzles.feature.choose_due_puzzles",
    "deletions": "bot.play.announcing.ticker.delete_abandoned",
    "news of ladders": "bot.ladder.posts.unannounced_ladders",
}
"""What fails, by its name in the log."""


async def ticked(cog: Ticker, times: int = 1) -> None:
    for _ in range(times):
        await cog.tick()
        await cog.open_lanes()
        await asyncio.gather(*cog._lanes.values())


@pytest.mark.parametrize("part", PARTS)
async def test_a_part_that_fails_stops_no_other(service: Service, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done, broken = set[str](), True

    def watch(name: str, path: str) -> None:
        genuine = pkgutil.resolve_name(path)

        async def run(*given: Any) -> Any:
            done.add(name)
            if name == part and broken:
                raise ZeroDivisionError
            return await genuine(*given)

        monkeypatch.setattr(path, run)

    for name, path in PARTS.items():
        watch(name, path)
    counted = list[str]()
    service.attempts.on_failure = counted.append
    cog = a_ticker(service)
    with capture_logs() as logged:
        await ticked(cog, FAILURES_TO_REPORT - 1)
        assert service.attempts.describe_failures(everywhere=True) is None
        await ticked(cog)
    assert done == {*PARTS}
    assert counted == [part] * FAILURES_TO_REPORT
    assert [line["part"] for line in logged if line["event"] == "part of the tick failed"] == [part]
    assert service.attempts.describe_failures(everywhere=True) == f"failing: {part}"
    broken = False
    await ticked(cog)
    assert service.attempts.describe_failures(everywhere=True) is None


@pytest.mark.parametrize(
    ("part", "broken"),
    [("games", "bot.store.matches.Reader.matches_due"), ("forgetting people", "bot.privacy.service.resume_forgetting")],
)
async def test_a_part_within_a_part_is_told_of_as_well(
    service: Service, part: str, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(broken, fail)
    cog = a_ticker(service)
    for _ in range(FAILURES_TO_REPORT):
        service.has_resumed_forgetting = False
        await ticked(cog)
    assert service.attempts.describe_failures(everywhere=True) == f"failing: {part}"


async def test_without_presence_nothing_falls_due(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    match = await begun(service)

    async def fail(_: int) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(service.presence, "note_present", fail)
    monkeypatch.setattr("bot.play.announcing.ticker.now", lambda: NOW + 5 * DAY)
    await ticked(a_ticker(service), FAILURES_TO_REPORT)
    assert await service.current_match(match.id, GUILD) == match
    assert service.attempts.describe_failures(everywhere=True) == "failing: presence"


async def test_one_server_that_fails_stops_no_other(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    await ask_for_a_daily(service)
    await people.change_guild_settings(
        service, GUILD - 1, lambda _: GuildSettings(puzzle_channel=1, zone="Europe/Oslo")
    )
    genuine = puzzles_store._choose_daily

    async def odd(service: Service, guild: int, *others: int) -> None:
        assert guild == GUILD
        await genuine(service, guild, *others)

    monkeypatch.setattr(puzzles_store, "_choose_daily", odd)
    for _ in range(FAILURES_TO_REPORT):
        await choose_due_puzzles(service, MORNING)
    assert await posts_due(service, GUILD)
    assert service.attempts.describe_failures(everywhere=True) is None
    assert service.attempts.describe_failures(everywhere=False) == f"failing: puzzles (server {GUILD - 1})"


async def test_one_abandoned_server_that_fails_stops_no_other(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = upkeep._delete_server

    async def odd(service: Service, guild: int) -> bool:
        assert guild != GUILD
        return await genuine(service, guild)

    for guild in (GUILD, GUILD + 1):
        await people.change_guild_settings(service, guild, lambda known: replace(known, house=False))
        await upkeep.note_removed(service, guild, NOW)
    monkeypatch.setattr(upkeep, "_delete_server", odd)
    assert await upkeep.delete_abandoned(service, NOW + upkeep.REMOVED_SERVER_RETENTION_S) == [GUILD + 1]


async def test_a_table_that_cannot_be_read_keeps_nobody_from_being_called(service: Service) -> None:
    await add_seeker(service, GUILD, CY)
    tables = [await opened(service, host=user, now=NOW + HOUR) for user in (ADA, BO)]
    await change(service.store, "UPDATE events SET body = 'nonsense' WHERE match = ? AND seq = 1", tables[0].id)
    woken = Service(service.store, FEATURES, unshuffled)
    assert [match.id for match in await tables_to_fill(woken, NOW + 3 * HOUR)] == [tables[1].id]


def test_failures_that_come_no_more_are_forgotten() -> None:
    time = [0.0]
    attempts = Attempts(clock=lambda: time[0])
    for game in range(7):
        for _ in range(FAILURES_TO_REPORT):
            with attempts.contain_failures("games", game=game):
                raise ZeroDivisionError
    named = ", ".join(f"games (game {game})" for game in range(5))
    assert attempts.describe_failures(everywhere=False) == f"failing: {named}, 2 more"
    time[0] += FAILURE_LIFETIME_S + 1
    assert attempts.describe_failures(everywhere=False) is None


def test_a_failure_is_logged_once_an_hour() -> None:
    time = [0.0]
    attempts = Attempts(clock=lambda: time[0])
    with capture_logs() as logged:
        for _ in range(241):  # two hours of ticks
            with attempts.contain_failures("ladders", server=GUILD):
                raise ZeroDivisionError
            time[0] += 30
    assert [line["in_a_row"] for line in logged] == [1, 121, 241]
    assert {line["server"] for line in logged} == {GUILD}


async def test_healthz_names_what_fails_three_times(client: RoundTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.client.is_connected", lambda _: True)
    monkeypatch.setattr(client, "_clock", SimpleNamespace(trouble=None))
    await client.add_all_cogs()
    settings: Any = SimpleNamespace(servers=None)
    connection = DiscordConnection(settings, DEFAULT_TIMINGS)
    connection._client = client
    attempts = client.context.service.attempts

    async def fail(times: int, **where: object) -> tuple[int, str]:
        for _ in range(times):
            with attempts.contain_failures("puzzles", **where):
                raise ZeroDivisionError
        async with aiohttp.ClientSession() as http, http.get(f"{address}/healthz") as answer:
            return answer.status, await answer.text()

    async with serve_health(
        "127.0.0.1", 0, connection.unhealthy_reason, no_page, connection.healthy_message
    ) as address:
        assert await fail(FAILURES_TO_REPORT - 1, server=GUILD) == (200, "ok\n")
        assert await fail(1, server=GUILD) == (200, f"ok; failing: puzzles (server {GUILD})\n")
        assert await fail(FAILURES_TO_REPORT) == (503, "failing: puzzles\n")


def test_what_is_said_seldom_is_remembered_within_bounds() -> None:
    said = LogLimiter(every=10, clock=lambda: 0, max_keys=2)
    assert [said.may_log_now(key) for key in "aabbc"] == [True, False, True, False, True]
    assert said.may_log_now("a"), "the oldest is forgotten"
    assert not said.may_log_now("c")
