"""The engine beside the event loop: one low-priority process that works on one question at a time.

    move = await engine.ask("choose_move", position, "easy", 7, urgent=True)

A thread would not do: in Python it would block the event loop for milliseconds at a time.
"""

from __future__ import annotations

import asyncio
import heapq
import pickle
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from itertools import count
from typing import Any, Literal, NamedTuple

import structlog

from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.play.engine_process import LENGTH_BYTES, pack_message

log = structlog.get_logger()

PROCESS_CODE = "from bot.play.engine_process import main; main()"
"""The code that the process runs. It is not a script, so that both sides pickle the same module."""

MAX_PROCESS_TRIES = 3
"""Processes that one question may use up. The first may have died before the question came."""

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


class _Request(NamedTuple):
    """One question to the engine. Requests sort by urgency, then by order of arrival."""

    later: bool
    number: int
    body: bytes
    within: float
    answer: asyncio.Future[object]


class Engine:
    """Asks the engine. Starts the process with the first question, and restarts it after it has died or hung."""

    def __init__(self, timings: Timings = DEFAULT_TIMINGS, process_code: str = PROCESS_CODE) -> None:
        self._timings = timings
        self._process_code = process_code
        self._requests: list[_Request] = []
        self._numbers = count()
        self._process: Process | None = None
        self._work_task: asyncio.Task[None] | None = None
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

        An urgent question, such as a move, is asked before all others that wait. It does not interrupt the current one.
        """
        if self._closed:
            raise EngineAway("closed")
        answer = asyncio.get_running_loop().create_future()
        body = pack_message((name, arguments, named))
        within = within or self._timings.thought_timeout_s
        heapq.heappush(self._requests, _Request(not urgent, next(self._numbers), body, within, answer))
        if self._work_task is None or self._work_task.done():
            self._work_task = asyncio.create_task(self._answer_requests())
        return await answer

    async def close(self) -> None:
        """Ends the process permanently. Everyone who waits for an answer, or asks later, gets EngineAway."""
        self._closed = True
        if self._work_task is not None:
            self._work_task.cancel()
            await asyncio.gather(self._work_task, return_exceptions=True)
        await self._end_process()
        while self._requests:
            self._refuse_request(heapq.heappop(self._requests), EngineAway("closed"))

    async def _answer_requests(self) -> None:
        while self._requests:
            request = heapq.heappop(self._requests)
            if request.answer.done():  # the caller has stopped waiting
                continue
            try:
                thought = await self._ask_process(request)
            except EngineError as error:
                self._refuse_request(request, error)
            except asyncio.CancelledError:
                self._refuse_request(request, EngineAway("closed"))
                raise
            except Exception as error:  # the caller must not wait forever, after any error
                log.exception("engine not asked")
                self._refuse_request(request, EngineAway(str(error)))
                await self._end_process()
            else:
                if not request.answer.done():
                    request.answer.set_result(thought)

    @staticmethod
    def _refuse_request(request: _Request, error: EngineError) -> None:
        if not request.answer.done():
            request.answer.set_exception(error)

    async def _ask_process(self, request: _Request) -> object:
        """Returns the answer. Asks a new process if this one dies, or had died before."""
        for _ in range(MAX_PROCESS_TRIES):
            await self._start_process()
            try:
                async with asyncio.timeout(request.within):
                    is_answer, answer = await self._exchange_messages(request.body)
            except TimeoutError:
                await self._end_process()
                log.warning("engine stuck", seconds=request.within)
                raise EngineStuck(f"no answer within {request.within} s") from None
            except PROCESS_ERRORS as error:
                await self._end_process()
                log.warning("engine gone", error=str(error) or type(error).__name__)
            except asyncio.CancelledError:
                await self._end_process()  # its answer would be taken as the answer to the next question
                raise
            else:
                if is_answer:
                    return answer
                raise EngineFailed(answer)
        raise EngineFailed(f"the process has died {MAX_PROCESS_TRIES} times")

    async def _start_process(self) -> None:
        """Makes sure that a process is ready. Raises EngineAway."""
        if self._process is not None and self._process.returncode is None:
            return
        try:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", self._process_code, stdin=PIPE, stdout=PIPE
            )
            log.info("engine started", pid=self._process.pid)
            async with asyncio.timeout(self._timings.engine_start_timeout_s):
                await self._read_message()
        except (TimeoutError, *PROCESS_ERRORS) as error:
            await self._end_process()
            raise EngineAway(str(error) or type(error).__name__) from error
        except asyncio.CancelledError:
            await self._end_process()
            raise

    async def _exchange_messages(self, body: bytes) -> tuple[bool, object]:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(body)
        await self._process.stdin.drain()
        return await self._read_message()

    async def _read_message(self) -> tuple[bool, object]:
        """Returns the next message from the process."""
        assert self._process is not None
        assert self._process.stdout is not None
        size = int.from_bytes(await self._process.stdout.readexactly(LENGTH_BYTES), "big")
        message: tuple[bool, object] = pickle.loads(await self._process.stdout.readexactly(size))  # noqa: S301 - our own
        return message

    async def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            with suppress(TimeoutError):  # the process has been killed in any case
                async with asyncio.timeout(self._timings.engine_kill_timeout_s):
                    await process.wait()
