"""A thread beside the event loop, and the order in which work runs there.

Python runs one thread at a time, so more threads would finish nothing earlier and would block the event loop more
often. Work of more than some tens of milliseconds is a generator: between its steps, more urgent work goes first.
"""

from __future__ import annotations

import asyncio
import ctypes
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import Future
from enum import IntEnum
from itertools import count
from queue import Empty, PriorityQueue
from types import TracebackType
from typing import Any, NamedTuple, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.discordkit.errors import Declined

P = ParamSpec("P")
T = TypeVar("T")

SWITCH_AFTER = 0.001
"""Seconds after which the thread hands the interpreter back to the event loop. Python's default is five times that, and
an answer needs the interpreter about ten times.
"""

MAX_QUESTIONS_WAITING = 3
"""Questions of one person that may wait while another one of theirs runs."""

_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class Priority(IntEnum):
    """The order of work. Among equals, the earlier work goes first."""

    PUBLIC = 0
    """Work for everybody, such as the board after a move."""
    PERSON = 1
    """Work that one person asked for."""
    LATER = 2
    """Work that nobody waits for."""
    LAST = 3
    """The end of the thread."""


class _Step(NamedTuple):
    priority: Priority
    number: int
    future: Future[Any]
    work: Callable[[], object]


class FairThread:
    """Runs one piece of work after another. Use it as a context manager: on exit it ends after the current step, and
    does not wait for a step that takes too long.
    """

    def __init__(self, timings: Timings = DEFAULT_TIMINGS) -> None:
        self._timings = timings
        self._steps: PriorityQueue[_Step] = PriorityQueue()
        self._numbers = count()
        self._closed = False
        self._thread = threading.Thread(target=self._run_steps_forever, name="beside", daemon=True)

    def __enter__(self) -> FairThread:
        sys.setswitchinterval(min(SWITCH_AFTER, sys.getswitchinterval()))
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        self._add(Priority.LAST, lambda: None)
        self._thread.join(self._timings.thread_stop_s)

    async def run_work(self, priority: Priority, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Returns what the function returns. Raises RuntimeError after the end."""
        return await asyncio.wrap_future(self.submit_work(priority, lambda: work(*args, **kwargs)))

    async def run_steps(self, priority: Priority, steps: Generator[None, None, T]) -> T:
        """Returns what the generator returns; other work may run between its steps."""
        while not (result := await self.run_work(priority, _advance_steps, steps, self._timings.thread_slice_s)):
            pass
        return result[0]

    def submit_steps(self, priority: Priority, steps: Generator[None, None, object]) -> None:
        """Runs the generator like `run_steps`, for callers that do not wait. Raises RuntimeError after the end."""

        def advance() -> None:
            if not _advance_steps(steps, self._timings.thread_slice_s):
                self.submit_work(priority, advance)

        self.submit_work(priority, advance)

    def submit_work(self, priority: Priority, work: Callable[[], T]) -> Future[T]:
        """Returns the future of the function's result, for callers that do not wait. Raises RuntimeError
        after the end.
        """
        if self._closed:
            raise RuntimeError("the thread has ended")
        return self._add(priority, work)

    def _add(self, priority: Priority, work: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        self._steps.put(_Step(priority, next(self._numbers), future, work))
        return future

    def _run_steps_forever(self) -> None:
        while True:
            step = self._wait_for_step()
            if self._closed:
                step.future.cancel()
                if step.priority is Priority.LAST:
                    return
            elif step.future.set_running_or_notify_cancel():
                _run_step(step)
            del step  # frees the result, which may be large

    def _wait_for_step(self) -> _Step:
        """Returns the next step. If none comes for a while, returns unused memory to the system in the meantime."""
        try:
            return self._steps.get(timeout=self._timings.thread_idle_s)
        except Empty:
            return_unused_memory()
            return self._steps.get()


def return_unused_memory() -> None:
    """Returns freed memory to the system. By itself, glibc only returns memory above the last block in use. Other C
    libraries have no function for that.
    """
    if trim := getattr(_LIBC, "malloc_trim", None):
        trim(0)


def _run_step(step: _Step) -> None:
    try:
        step.future.set_result(step.work())
    except BaseException as error:  # noqa: BLE001 - the waiting caller gets it
        step.future.set_exception(error)


def _advance_steps(steps: Generator[None, None, T], seconds: float) -> tuple[T] | None:
    """Advances the generator for that time; returns its result in a tuple, None while it has none."""
    until = time.perf_counter() + seconds
    try:
        next(steps)
        while time.perf_counter() < until:
            next(steps)
    except StopIteration as end:
        return (end.value,)
    return None


class QuestionTurns:
    """The turns for heavy questions. Each person has one question running in the whole bot, and a few more waiting."""

    def __init__(self, timings: Timings) -> None:
        self._timings = timings
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._waiting: Counter[int] = Counter()

    async def wait_for_turn(self, person: int) -> Callable[[], None]:
        """Waits for that person's turn and returns the function that ends it. Raises Declined if too many of their
        questions wait, or if the wait takes too long.
        """
        if self._waiting[person] >= MAX_QUESTIONS_WAITING:
            raise Declined("failure.busy")
        lock = self._locks.setdefault(person, asyncio.Lock())
        self._waiting[person] += 1
        try:
            async with asyncio.timeout(self._timings.turn_wait_s):
                await lock.acquire()
        except TimeoutError:
            raise Declined("failure.busy") from None
        finally:
            self._waiting[person] -= 1
            if not self._waiting[person]:
                del self._waiting[person]
        loop = asyncio.get_running_loop()
        began_at = loop.time()

        def end() -> None:
            loop.call_at(began_at + self._timings.question_interval_s, lock.release)  # at once if that time is past

        return end
