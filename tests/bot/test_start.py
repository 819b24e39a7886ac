"""The program's output in the terminal if it cannot start."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.ops import sentences
from bot.store import Store

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


async def _make(database: Path) -> None:
    async with Store.open(database):
        pass


@pytest.mark.parametrize(
    "command", [[], ["export"], ["ratings"], ["data", "1" * 17], ["forget", "1" * 17], ["move-to", "other.db"]]
)
def test_nothing_begins_an_empty_database_where_an_earlier_one_is_missing(
    folder: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    database = folder.with_name("roundtable.db")
    asyncio.run(_make(database))
    database.unlink()
    assert main(command) == 1
    said = capsys.readouterr().err
    assert str(database) in said
    assert "`python -m bot begin`" in said
    assert not database.exists()
    assert not folder.exists(), "nothing else has begun either"


def test_a_journal_or_a_backup_tells_of_an_earlier_database_as_well(folder: Path) -> None:
    database = folder.with_name("roundtable.db")
    journal = folder.with_name("roundtable.db-wal")
    journal.touch()
    assert main(["export"]) == 1
    journal.unlink()
    copies = folder.with_name("backups")
    copies.mkdir()
    for name in ("roundtable-20261120-030000Z.db", "roundtable-rescued-20261120-030000Z.db"):
        (copies / name).touch()
        assert main(["export"]) == 1
        (copies / name).unlink()
    assert not database.exists()
    assert main(["export"]) == 0, "a first start asks nobody"


def test_an_empty_database_is_begun_by_an_explicit_word(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = folder.with_name("roundtable.db")
    asyncio.run(_make(database))
    database.unlink()
    database.with_name("roundtable.db-wal").write_bytes(b"the last moves")
    assert main(["begin"]) == 0
    assert main(["export"]) == 0
    (journal,) = folder.parent.glob("*.replaced-wal")
    assert journal.read_bytes() == b"the last moves"
    assert main(["begin"]) == 1, "there is one already"
    assert str(database) in capsys.readouterr().err


STUCK = """
import asyncio, time
from bot.__main__ import _until_stopped
from bot.core.timings import Timings

class Connection:
    async def keep_connected(self, token):
        asyncio.get_running_loop().run_in_executor(None, time.sleep, 600)
        print("ready", flush=True)
        await asyncio.Event().wait()

asyncio.run(_until_stopped(Connection(), "", Timings(stop_limit_s=0.1)))
"""
"""A program one of whose threads does not end."""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_a_stop_ends_the_process_though_a_thread_goes_on() -> None:
    with subprocess.Popen([sys.executable, "-c", STUCK], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"ready\n"
            process.send_signal(signal.SIGTERM)
            assert process.wait(120) == 0
        finally:
            process.kill()
