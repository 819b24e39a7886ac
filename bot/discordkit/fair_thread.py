"""A thread beside the event loop, and whose turn it is there.

Python runs one thread at a time, so more threads would finish nothing earlier and would block the event loop more
often. Work of more than some tens of milliseconds is a generator: between its steps, other work has its turn.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar
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


class FairThread:
    """Runs pieces of work by turns. Use it as a context manager: on exit, what waits is left out. Only the end of the
    process waits for the step under way.
    """

    def __init__(self, timings: Timings = DEFAULT_TIMINGS) -> None:
        self._timings = timings
        self._executor = ThreadPoolExecutor(1, "beside")
        self.drawing = asyncio.Lock()
        """Held by the board that is drawn: several by turns would each take megabytes, and none be ready sooner."""

    def __enter__(self) -> FairThread:
        sys.setswitchinterval(min(SWITCH_AFTER, sys.getswitchinterval()))
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    async def run_work(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Returns what the function returns. Raises RuntimeError after the end."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, partial(work, *args, **kwargs))

    async def run_steps(self, steps: Generator[None, None, T]) -> T:
        """Returns what the generator returns; other work runs between its steps."""
        while not (result := await self.run_work(_advance_steps, steps, self._timings.thread_slice_s)):
            pass
        return result[0]


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
