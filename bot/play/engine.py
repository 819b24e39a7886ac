"""The engine beside the event loop: a low-priority process for moves, and another for all other questions.

    move = await engine.ask("choose_move", position, "easy", 7, urgent=True)

A thread would not do: in Python it would block the event loop for milliseconds at a time.
"""

from __future__ import annotations

import asyncio
import pickle
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal

import structlog

from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.play.engine_process import LENGTH_BYTES, pack_message

log = structlog.get_logger()

PROCESS_CODE = "from bot.play.engine_process import main; main()"
"""The code that the process runs. It is not a script, so that both sides pickle the same module."""

MAX_PROCESS_TRIES = 3
"""Processes that one question may use up, or that are started until one is ready. The first may have died before the
question came; on a busy machine, a start may take too long."""

PROCESS_ERRORS = (OSError, EOFError, pickle.UnpicklingError)
"""The errors raised when the process that is asked no longer runs."""


class EngineError(Exception):
    """The engine gave no answer."""


class EngineAway(EngineError):
    """No process could be started. A later question may succeed."""


class EngineStuck(EngineError):
    """The question took too long."""


class EngineFailed(EngineStuck):
    """The question ended in an error or killed the process, and would again."""


class Engine:
    """Asks the engine. Starts a process with the first question of its kind, and another after it has died or hung."""

    def __init__(self, timings: Timings = DEFAULT_TIMINGS, process_code: str = PROCESS_CODE) -> None:
        self._timings = timings
        self._process_code = process_code
        self._turns = {urgent: asyncio.Lock() for urgent in (True, False)}
        self._processes: dict[bool, Process] = {}
        """The processes that are ready, by whether their questions are urgent."""
        self._closed = False

    async def ask(
        self,
        name: Literal["choose_move", "evaluate_chances", "find_forced_winner"],
        *arguments: object,
        urgent: bool = False,
        within: float | None = None,
        **named: object,
    ) -> Any:
        """Returns what that function of `engine` returns. Raises EngineAway or EngineStuck.

        Urgent questions, such as moves, follow one another and wait for no others.
        """
        request = pack_message((name, arguments, named))
        within = within or self._timings.thought_timeout_s
        async with self._turns[urgent]:
            for _ in range(MAX_PROCESS_TRIES):
                process = self._processes.get(urgent) or await self._start_process(urgent)
                try:
                    async with self._ending_process_on_error(urgent), asyncio.timeout(within):
                        is_answer, answer = await _exchange_messages(process, request)
                except TimeoutError:
                    log.warning("engine stuck", seconds=within)
                    raise EngineStuck(f"no answer within {within} s") from None
                except PROCESS_ERRORS as error:
                    log.warning("engine gone", error=str(error) or type(error).__name__)
                else:
                    if is_answer:
                        return answer
                    raise EngineFailed(answer)
            raise EngineFailed(f"the process has died {MAX_PROCESS_TRIES} times")

    async def close(self) -> None:
        """Ends the processes permanently. Everyone who waits for an answer, or asks later, gets EngineAway."""
        self._closed = True
        for urgent in [*self._processes]:
            await self._end_process(urgent)

    async def _start_process(self, urgent: bool) -> Process:
        """Returns a new process, which is ready. Raises EngineAway."""
        for _ in range(MAX_PROCESS_TRIES):
            if self._closed:
                raise EngineAway("closed")
            code = (sys.executable, "-c", self._process_code)
            try:
                process = self._processes[urgent] = await asyncio.create_subprocess_exec(*code, stdin=PIPE, stdout=PIPE)
                log.info("engine started", pid=process.pid)
                async with self._ending_process_on_error(urgent), asyncio.timeout(self._timings.engine_start_timeout_s):
                    await _read_message(process)
            except PROCESS_ERRORS as error:  # with TimeoutError
                log.warning("engine not ready", error=str(error) or type(error).__name__)
            else:
                return process
        raise EngineAway("closed" if self._closed else f"not ready after {MAX_PROCESS_TRIES} starts")

    @asynccontextmanager
    async def _ending_process_on_error(self, urgent: bool) -> AsyncIterator[None]:
        """Ends the process after any error, also if the asking task is cancelled: a late answer would be read as that
        to the next question.
        """
        try:
            yield
        except BaseException:
            await self._end_process(urgent)
            raise

    async def _end_process(self, urgent: bool) -> None:
        """Ends that process, which may have ended already."""
        if process := self._processes.pop(urgent, None):
            with suppress(ProcessLookupError):
                process.kill()
            with suppress(TimeoutError):  # the process has been killed in any case
                async with asyncio.timeout(self._timings.engine_kill_timeout_s):
                    await process.wait()


async def _exchange_messages(process: Process, request: bytes) -> tuple[bool, Any]:
    """Returns whether the process has answered, and the answer or the error."""
    assert process.stdin is not None
    process.stdin.write(request)
    await process.stdin.drain()
    is_answer, answer = await _read_message(process)
    return is_answer, answer


async def _read_message(process: Process) -> Any:
    """Returns the next message from the process."""
    assert process.stdout is not None
    size = int.from_bytes(await process.stdout.readexactly(LENGTH_BYTES), "big")
    return pickle.loads(await process.stdout.readexactly(size))  # noqa: S301 - our own
