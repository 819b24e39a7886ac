"""Starts of the program as a process of its own: from nothing, or from a process that has loaded its modules already.

Loading them is most of what a start costs, and the tests start the program hundreds of times. What comes of a warm
start is a process like any other: it runs the same module with its own environment, and can be killed.
"""

from __future__ import annotations

import asyncio
import io
import multiprocessing
import os
import runpy
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Protocol

_WARM = multiprocessing.get_context("forkserver")
_WARM.set_forkserver_preload(["tests.e2e.loaded_modules"])


class Process(Protocol):
    """The part of `asyncio.subprocess.Process` that the tests use."""

    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | None: ...
    def send_signal(self, number: int, /) -> None: ...
    async def wait(self) -> int: ...


class _Forked:
    """A process forked with all modules loaded."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], folder: Path, log: Path, typed: str = ""
    ) -> None:
        given = (command, dict(environment), folder, log, typed)
        self._process = _WARM.Process(target=_become, args=given, daemon=True)
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):  # it has ended, and nobody has been told yet
                os.kill(self.pid, number)

    async def wait(self) -> int:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        if self.returncode is None:
            loop.add_reader(self._process.sentinel, ended.set)
            try:
                await ended.wait()
            finally:
                loop.remove_reader(self._process.sentinel)
        self._process.join()
        assert self.returncode is not None
        return self.returncode


def _become(command: Sequence[str], environment: dict[str, str], folder: Path, log: Path, typed: str) -> None:
    """Does in the new process what the interpreter does for `python -m`."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    written = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(written, stream)
    sys.stdout.reconfigure(write_through=True)  # type: ignore[union-attr]  # a TextIOWrapper
    sys.stdin = io.StringIO(typed)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = [*command]
    runpy.run_module(command[0], run_name="__main__", alter_sys=True)


def _end_with_parent() -> None:
    """Ends this process if the tests are killed; else it would look for their server and find that of other tests."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


async def start(module: str, environment: Mapping[str, str], folder: Path, log: Path, *, warm: bool) -> Process:
    """Starts `python -m module` with that environment in that folder; its output is appended to the log."""
    if warm:
        return _Forked([module], environment, folder, log)
    with log.open("ab") as file:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", module),
            env=environment,
            cwd=folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        )


async def run_warm(*command: str, environment: Mapping[str, str], folder: Path, typed: str = "") -> tuple[int, str]:
    """Runs `python -m` with that command in that folder, warm; returns the exit status and everything printed."""
    with NamedTemporaryFile() as printed:
        code = await _Forked(command, environment, folder, Path(printed.name), typed).wait()
        return code, printed.read().decode()
