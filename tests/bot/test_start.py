"""The program's output in the terminal if it cannot start, and where setup writes the token."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.ops import sentences
from tests.bot.playing import existing

pytestmark = pytest.mark.sqlite


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the sandbox's world will be stored."""
    monkeypatch.setenv("ROUNDTABLE_DB", str(tmp_path / "roundtable.db"))
    monkeypatch.setenv("ROUNDTABLE_SANDBOX_PORT", "0")
    for name in ("DISCORD_TOKEN", "ROUNDTABLE_REQUIRE_TOKEN", "ROUNDTABLE_SANDBOX_URL", "ROUNDTABLE_METRICS_PORT"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "sandbox"


def test_a_port_that_is_taken_is_answered_with_what_to_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        monkeypatch.setenv("ROUNDTABLE_SANDBOX_PORT", port)
        assert main([]) == 1
    (said,) = [line for line in capsys.readouterr().err.splitlines() if port in line]
    assert said.endswith(f". {sentences.SANDBOX_RUNS}")


def test_a_world_that_cannot_be_used_is_not_taken_for_another_sandbox(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.touch()
    assert main([]) == 1
    said = capsys.readouterr().err
    assert str(folder) in said
    folder.unlink()
    folder.mkdir()
    (folder / "world.db").write_text("Camelot, located no one knows where\n" * 100)
    assert main([]) == 1
    said += capsys.readouterr().err
    assert f"the sandbox's world in {folder} cannot be used: file is not a database.\n" in said
    assert sentences.SANDBOX_RUNS not in said


def test_a_start_that_makes_a_new_database_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export"]) == 0
    assert "a new database is made" in capsys.readouterr().err
    assert main(["export"]) == 0
    assert capsys.readouterr().err == ""


STUCK = """
import asyncio, time
from bot.__main__ import _until_stopped
from bot.core.timings import Timings

async def play():
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 600)
    print("ready", flush=True)
    await asyncio.Event().wait()

asyncio.run(_until_stopped(play(), Timings(stop_limit_s=0.1)))
"""
"""A program one of whose threads does not end."""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_a_stop_ends_the_process_though_a_thread_goes_on() -> None:
    with subprocess.Popen([sys.executable, "-c", STUCK], stdout=subprocess.PIPE) as process:
        try:
            assert existing(process.stdout).readline() == b"ready\n"
            process.send_signal(signal.SIGTERM)
            assert process.wait(120) == 0
        finally:
            process.kill()
