"""The program with a token: it starts, plays, is refused, and never prints or writes the token."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox.errors import Code
from sandbox.faults import CONNECT, refused, status
from tests.e2e.game_checks import run
from tests.e2e.room import Room
from tests.e2e.watched_house import WatchedHouse

pytestmark = pytest.mark.asyncio(loop_scope="session")

# Shaped like a token, but nobody's. Its first part is the bot's id, which is no secret.
_PARTS = ("MTEwMDAwMDAwMDAwMDAwMDAwMQ", "Gq7dXv", "hT3_" + "Zk9w-QmB2x" * 3 + "Lr5J")
TOKEN = ".".join(_PARTS)
SECRETS = (TOKEN, *_PARTS[1:], _PARTS[2][:12], _PARTS[2][-12:])
REFUSED = "Discord does not accept DISCORD_TOKEN. Copy it again from the developer portal (Bot > Reset Token)."
MODULE = "tests.e2e.tokened_program"


def _accept(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes Discord accept that token and no other."""
    for module in ("rest", "gateway"):
        monkeypatch.setattr(f"sandbox.{module}.TOKEN", token)


def _discreet(*said: str) -> None:
    for text in said:
        assert [secret for secret in SECRETS if secret in text] == []


def _discreet_files(house: WatchedHouse) -> None:
    """Returns the log, the database, its journal and its backups."""
    folder = house.bot.folder
    files = [file for file in folder.rglob("*") if file.is_file() and "world" not in file.relative_to(folder).parts]
    assert len(files) >= 4
    for file in files:
        content = file.read_bytes()
        assert [secret for secret in SECRETS if secret.encode() in content] == [], file


@pytest_asyncio.fixture(loop_scope="session")
async def house(tmp_path: Path) -> AsyncIterator[WatchedHouse]:
    """A house whose bot has the token, which Discord does not accept yet. The bot is not started."""
    house = WatchedHouse(tmp_path, MODULE, DISCORD_TOKEN=TOKEN, ROUNDTABLE_LOG="DEBUG")
    await house.open(start=False)
    yield house
    await house.close()
    print(house.bot.log)  # pytest shows it where the test has failed


async def _run(house: WatchedHouse, *arguments: str) -> tuple[int, str]:
    return await run(
        MODULE,
        *arguments,
        DISCORD_TOKEN=TOKEN,
        ROUNDTABLE_SANDBOX_URL=house.url,
        ROUNDTABLE_DB=house.bot.where,
        ROUNDTABLE_LOG="DEBUG",
    )


async def test_a_refused_token_is_reported_once_and_the_process_stays_unwell(house: WatchedHouse) -> None:
    await house.bot.start()
    await house.until(lambda: "level=critical" in house.bot.log, "refused")
    (line,) = [line for line in house.bot.log.splitlines() if "level=critical" in line]
    assert REFUSED in line
    assert await house.get("/healthz") == (503, f"{REFUSED}\n")
    assert "Traceback" not in house.bot.log
    assert await house.bot.end(signal.SIGTERM) == 0
    _discreet(house.bot.log)


async def test_a_refusal_of_another_kind_is_told_in_its_own_words(house: WatchedHouse) -> None:
    house.server.faults.add("GET /users/@me", refused(Code.MISSING_ACCESS), times=None)
    code, printed = await _run(house, "doctor")
    assert code == 1
    assert "403 Forbidden (error code: 50001)" in printed
    assert "Traceback" not in printed
    _discreet(printed)
    await house.bot.start()
    await house.until(lambda: "level=critical" in house.bot.log, "refused")
    assert "403 Forbidden (error code: 50001)" in house.bot.log
    assert house.bot.running
    _discreet(house.bot.log)


@pytest.mark.sqlite  # as in test_doctor.py
async def test_the_doctor_names_a_token_that_is_refused(house: WatchedHouse) -> None:
    code, printed = await _run(house, "doctor")
    assert code == 1
    faults = [line for line in printed.splitlines() if line.startswith("fault")]
    assert len(faults) == 1
    assert REFUSED in faults[0]
    assert "Traceback" not in printed
    _discreet(printed)


@pytest.mark.sqlite
@pytest.mark.long
async def test_a_bot_that_plays_and_then_loses_its_token_never_says_it(
    house: WatchedHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    _accept(TOKEN, monkeypatch)
    await house.start_bot()
    async with Room.opened(house) as room:
        played, *_ = await room.start_two()
        await played.move("F7-F8")

        house.server.faults.add("POST /channels/{channel_id}/messages", refused(Code.MISSING_ACCESS))
        await played.try_move("F10-F9")
        house.server.gateway.cut()
        await house.until(lambda: "successfully RESUMED" in house.bot.log, "resumed")
        house.server.faults.add(CONNECT, status(503))
        house.server.gateway.cut()
        await house.until(lambda: "Attempting a reconnect" in house.bot.log, "cut off")
        await house.until(lambda: house.server.gateway.online, "back")
        _discreet(*[(await house.get(page))[1] for page in ("/metrics", "/healthz", "/")])
        code, printed = await _run(house, "doctor")
        assert code == 0, printed
        _discreet(printed)
    for talkative in ("403 Forbidden", "connected to Gateway", "successfully RESUMED"):
        assert talkative in house.bot.log, "not all has been told"
    before = len(house.bot.log)

    _accept("another", monkeypatch)  # somebody has pressed Reset Token
    house.server.gateway.cut()
    await house.until(lambda: REFUSED in house.bot.log[before:], "refused")
    assert await house.get("/healthz") == (503, f"{REFUSED}\n")
    assert "crashed" not in house.bot.log[before:]
    assert await house.bot.end(signal.SIGTERM) == 0
    _discreet_files(house)
