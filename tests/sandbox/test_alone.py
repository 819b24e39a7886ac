"""The sandbox as a program of its own: what it says where it cannot run, and how it ends."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Self

import pytest

from sandbox import Sandbox
from sandbox.__main__ import main


@pytest.mark.parametrize("port", ["99999", "-1", "1_0", "http"])
def test_a_port_that_is_none_is_answered_in_words(
    port: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--folder", str(tmp_path), "--port", port])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith("argument --port: a number from 0 to 65535\n")


def test_a_folder_that_is_a_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path := tmp_path / "file").touch()
    assert main(["--folder", str(path)]) == 1
    assert str(path) in capsys.readouterr().err


def test_a_world_that_is_none_or_damaged_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(_founded(tmp_path))
    world = tmp_path / "world.db"
    whole = bytearray(world.read_bytes())
    whole[4096:] = b"x" * (len(whole) - 4096)
    for content, why in ((whole, "database disk image is malformed"), (b"poem\n" * 1000, "file is not a database")):
        world.write_bytes(content)
        assert main(["--folder", str(tmp_path)]) == 1
        assert capsys.readouterr().err == f"the sandbox's world in {tmp_path} cannot be used: {why}.\n"


async def _founded(folder: Path) -> None:
    await (await Sandbox.start(folder)).close()


def test_a_port_that_is_taken_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert main(["--folder", str(tmp_path), "--port", port]) == 1
    assert port in capsys.readouterr().err


def test_without_signal_handling_it_ends_by_ctrl_c_and_closes_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(Sandbox):
        @classmethod
        async def start(cls, folder: Path, **options: object) -> Self:
            started = await super().start(folder)
            asyncio.get_running_loop().call_soon(interrupt)
            return started

    def interrupt() -> None:
        raise KeyboardInterrupt

    def refuse(*_: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr(asyncio.SelectorEventLoop, "add_signal_handler", refuse)
    monkeypatch.setattr("sandbox.__main__.Sandbox", Interrupted)
    assert main(["--folder", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("sandbox http://127.0.0.1:")
    assert not (tmp_path / "world.db-wal").exists()
