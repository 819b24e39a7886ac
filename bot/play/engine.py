"""The engine beside the event loop: one low-priority process that works on one move and one other question at a time.

    move = await engine.ask("choose_move", position, "easy", 7, urgent=True)

A thread would not do: in Python it would block the event loop for milliseconds at a time.
"""

from __future__ import annotations

import asyncio
import pickle
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from itertools import count
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
    """Asks the engine. Starts the process with the first question, and restarts it after it has died or hung."""

    def __init__(self, timings: Timings = DEFAULT_TIMINGS, process_code: str = PROCESS_CODE) -> None:
        self._timings = timings
        self._process_code = process_code
        self._turns = {urgent: asyncio.Lock() for urgent in (True, False)}
        self._start = asyncio.Lock()
        self._numbers = count(1)
        self._answers: dict[int, asyncio.Future[tuple[bool, object]]] = {}
        """The answers awaited, by the number of the question."""
        self._process: Process | None = None
        self._read_task: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The process id; None while no process runs."""
        return self._process.pid if self._process else None

    async def ask(
        self,
        name: Literal["choose_move", "evaluate_chances", "find_forced_winner", "find_puzzle"],
        *arguments: object,
        urgent: bool = False,
        within: float | None = None,
        **named: object,
    ) -> Any:
        """Returns what that function of `engine` returns. Raises EngineAway or EngineStuck.

        Urgent questions, such as moves, follow one another and wait for no others, which share the process with them.
        """
        number = next(self._numbers)
        body = pack_message((number, name, arguments, named))
        async with self._turns[urgent]:
            return await self._ask_process(number, body, within or self._timings.thought_timeout_s)

    async def close(self) -> None:
        """Ends the process permanently. Everyone who waits for an answer, or asks later, gets EngineAway."""
        self._closed = True
        await self._end_process(self._process)

    async def _ask_process(self, number: int, body: bytes, within: float) -> object:
        """Returns the answer. Asks a new process if this one dies, or had died before."""
        for _ in range(MAX_PROCESS_TRIES):
            process = await self._ready_process()
            try:
                async with asyncio.timeout(within):
                    is_answer, answer = await self._exchange_messages(process, number, body)
            except TimeoutError:
                await self._end_process(process)
                log.warning("engine stuck", seconds=within)
                raise EngineStuck(f"no answer within {within} s") from None
            except PROCESS_ERRORS as error:
                await self._end_process(process)
                log.warning("engine gone", error=str(error) or type(error).__name__)
            else:
                if is_answer:
                    return answer
                raise EngineFailed(answer)
        raise EngineFailed(f"the process has died {MAX_PROCESS_TRIES} times")

    async def _ready_process(self) -> Process:
        """Returns the process, started if none runs. Raises EngineAway."""
        async with self._start:
            for _ in range(MAX_PROCESS_TRIES):
                if self._closed:
                    await self._end_process(self._process)
                    raise EngineAway("closed")
                if self._process and self._read_task and not self._read_task.done():
                    return self._process
                try:
                    await self._start_process()
                except PROCESS_ERRORS as error:  # with TimeoutError
                    await self._end_process(self._process)
                    log.warning("engine not ready", error=str(error) or type(error).__name__)
                except asyncio.CancelledError:
                    await self._end_process(self._process)
                    raise
            raise EngineAway(f"not ready after {MAX_PROCESS_TRIES} starts")

    async def _start_process(self) -> None:
        """Replaces the process by one that is ready. Raises TimeoutError and the other PROCESS_ERRORS."""
        await self._end_process(self._process)
        code = (sys.executable, "-c", self._process_code)
        process = self._process = await asyncio.create_subprocess_exec(*code, stdin=PIPE, stdout=PIPE)
        log.info("engine started", pid=process.pid)
        async with asyncio.timeout(self._timings.engine_start_timeout_s):
            await _read_message(process)
        self._read_task = asyncio.create_task(self._read_answers(process))

    async def _exchange_messages(self, process: Process, number: int, body: bytes) -> tuple[bool, object]:
        assert process.stdin is not None
        answer: asyncio.Future[tuple[bool, object]] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        try:
            process.stdin.write(body)
            await process.stdin.drain()
            return await answer
        finally:
            del self._answers[number]

    async def _read_answers(self, process: Process) -> None:
        """Hands out the answers of the process until it ends; then nobody waits for them any longer."""
        try:
            while True:
                number, *answer = await _read_message(process)
                if (waiting := self._answers.get(number)) and not waiting.done():
                    waiting.set_result((answer[0], answer[1]))
        except PROCESS_ERRORS as error:
            for waiting in self._answers.values():
                if not waiting.done():
                    waiting.set_exception(EOFError(str(error)))

    async def _end_process(self, process: Process | None) -> None:
        """Ends that process, which may have ended already."""
        if process is None or process is not self._process:
            return
        self._process = None
        with suppress(ProcessLookupError):
            process.kill()
        with suppress(TimeoutError):  # the process has been killed in any case
            async with asyncio.timeout(self._timings.engine_kill_timeout_s):
                await process.wait()


async def _read_message(process: Process) -> Any:
    """Returns the next message from the process."""
    assert process.stdout is not None
    size = int.from_bytes(await process.stdout.readexactly(LENGTH_BYTES), "big")
    return pickle.loads(await process.stdout.readexactly(size))  # noqa: S301 - our own
