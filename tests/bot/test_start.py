"""What the program says in the terminal where its own sandbox cannot begin."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.ops import sentences

pytestmark = pytest.mark.sqlite


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the sandbox's world is to lie."""
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
