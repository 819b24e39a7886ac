"""`python -m bot setup` at the sandbox: the token is checked, `.env` is written, and the invite link is printed."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from bot.__main__ import main
from bot.discordkit.permissions import invite_link
from bot.ops import sentences
from sandbox import TOKEN, Sandbox
from sandbox.errors import Code
from sandbox.faults import refused
from sandbox.world import BOT_ID
from tests.e2e.house import environment
from tests.e2e.program_starts import run_warm

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.sqlite]

LINE = f"DISCORD_TOKEN={TOKEN}\n"


@pytest_asyncio.fixture(loop_scope="session")
async def discord(tmp_path: Path) -> AsyncIterator[Sandbox]:
    server = await Sandbox.start(tmp_path / "world", port=0)
    yield server
    await server.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bot").mkdir()
    return tmp_path / "bot"


async def set_up(discord: Sandbox, folder: Path, answers: str, **settings: str) -> tuple[int, str]:
    """Returns the exit status, and everything printed."""
    place = environment(ROUNDTABLE_SANDBOX_URL=discord.url, **settings)
    code, printed = await run_warm("bot", "setup", environment=place, folder=folder, typed=answers)
    assert TOKEN not in printed
    return code, printed


async def test_one_answer_writes_the_file_and_prints_the_link(discord: Sandbox, folder: Path) -> None:
    discord.world.put(replace(discord.world.people[BOT_ID], name="Round\x1b[2J\u202e Table"))
    code, printed = await set_up(discord, folder, f"{TOKEN}\n", ROUNDTABLE_REQUIRE_TOKEN="1")
    assert code == 0, printed
    assert "Round[2J Table" in printed
    assert (folder / ".env").read_text() == LINE
    assert os.name != "posix" or (folder / ".env").stat().st_mode & 0o777 == 0o600
    assert invite_link(BOT_ID) in printed
    assert os.listdir(folder) == [".env"]


async def test_everything_else_in_the_file_is_kept(discord: Sandbox, folder: Path) -> None:
    (folder / ".env").write_text("A=1\nexport DISCORD_TOKEN = old\nDISCORD_TOKEN=older\nB=2\n")
    code, printed = await set_up(discord, folder, f"y\n '{TOKEN}' \n")
    assert code == 0, printed
    assert (folder / ".env").read_text() == f"A=1\n{LINE}{LINE}B=2\n"


async def test_a_stored_token_is_replaced_only_after_a_yes(discord: Sandbox, folder: Path) -> None:
    (folder / ".env").write_text("DISCORD_TOKEN=old\n")
    code, printed = await set_up(discord, folder, "n\n")
    assert (code, sentences.SETUP_KEPT in printed) == (0, True)
    assert (folder / ".env").read_text() == "DISCORD_TOKEN=old\n"


async def test_a_token_that_is_refused_or_not_checked_is_not_written(discord: Sandbox, folder: Path) -> None:
    wrong = TOKEN.replace("sandbox", "another")
    scenes = [("", None, "no token"), ("123456\n", None, "no token"), (f"{wrong}\n", None, sentences.REFUSED)]
    scenes += [(f"{TOKEN}\n", refused(Code.MISSING_ACCESS), "Discord cannot be asked: ")]
    for answers, fault, said in scenes:
        if fault:
            discord.faults.add("GET /users/@me", fault, times=None)
        code, printed = await set_up(discord, folder, answers)
        discord.faults.lift()
        assert code == 1
        assert said in printed
        assert "Traceback" not in printed
        assert not (folder / ".env").exists()


async def test_a_file_in_another_encoding_is_left_alone(discord: Sandbox, folder: Path) -> None:
    (folder / ".env").write_text("A=1\n", encoding="utf-16")
    code, printed = await set_up(discord, folder, f"{TOKEN}\n")
    assert (code, "is not in UTF-8" in printed) == (1, True)
    assert (folder / ".env").read_text("utf-16") == "A=1\n"


async def test_a_file_that_cannot_be_written_leaves_the_line_and_the_link(discord: Sandbox, folder: Path) -> None:
    (folder / ".env").symlink_to("no such folder/.env")
    code, printed = await set_up(discord, folder, f"{TOKEN}\n")
    assert (code, "DISCORD_TOKEN=…" in printed, invite_link(BOT_ID) in printed) == (1, True, True), printed


async def test_another_token_in_the_environment_is_named(discord: Sandbox, folder: Path) -> None:
    code, printed = await set_up(discord, folder, f"{TOKEN}\n", DISCORD_TOKEN="another")
    assert (code, sentences.SETUP_OUTRANKED in printed) == (0, True)


async def test_a_terminal_does_not_show_the_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[str] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("bot.ops.terminal.getpass", lambda question: asked.append(question) or "")
    assert main(["setup"]) == 1
    assert asked == [sentences.SETUP_QUESTION]
