"""The one thread beside the event loop, and whose turn it is there.

Python runs one thread at a time, so a second one would finish nothing earlier and hold up the event loop more often.
What takes longer than some tens of milliseconds is a generator: at each `yield` whatever is more urgent goes first.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import Future
from enum import IntEnum
from itertools import count
from queue import PriorityQueue
from types import TracebackType
from typing import Any, NamedTuple, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from bot.discordkit.errors import Declined

P = ParamSpec("P")
T = TypeVar("T")

SWITCH_AFTER = 0.001
"""Seconds after which the thread lets the event loop go on. Python's default is five times that, and an answer needs
the interpreter some ten times."""

MAX_QUESTIONS_WAITING = 3
"""Questions of one person that wait while another one of theirs is under way."""

TURN_WAIT_S = 2.0
"""Seconds for which they wait; after that there is still time to tell the person so."""

QUESTION_INTERVAL_S = 0.2
"""Seconds from one question of a person to their next one: what is quickly answered is also asked often."""


class Priority(IntEnum):
    """What goes first. Of equals, what came first."""

    PUBLIC = 0
    """What everybody waits for, such as the board after a move."""
    PERSON = 1
    """What one person has asked for."""
    LATER = 2
    """What nobody waits for."""
    LAST = 3
    """The end of the thread."""


class _Step(NamedTuple):
    priority: Priority
    number: int
    future: Future[Any]
    work: Callable[[], Any]


class FairThread:
    """Runs one piece of work after the other. Use it as a context manager: it ends with the step that is under way."""

    def __init__(self) -> None:
        self._steps: PriorityQueue[_Step] = PriorityQueue()
        self._numbers = count()
        self._closed = False
        self._thread = threading.Thread(target=self._run_steps_forever, name="beside")

    def __enter__(self) -> FairThread:
        sys.setswitchinterval(min(SWITCH_AFTER, sys.getswitchinterval()))
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        self._add(Priority.LAST, lambda: None)
        self._thread.join()

    async def run_work(self, priority: Priority, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function returns. Raises RuntimeError after the end."""
        return await asyncio.wrap_future(self.submit_work(priority, lambda: work(*args, **kwargs)))

    async def run_steps(self, priority: Priority, steps: Generator[None, None, T]) -> T:
        """What the generator returns; between its steps others have their turn."""
        while not (result := await self.run_work(priority, _advance_steps, steps)):
            pass
        return result[0]

    def submit_work(self, priority: Priority, work: Callable[[], T]) -> Future[T]:
        """The future of what the function returns, for callers that do not wait. Raises RuntimeError after the end."""
        if self._closed:
            raise RuntimeError("the thread has ended")
        return self._add(priority, work)

    def _add(self, priority: Priority, work: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        self._steps.put(_Step(priority, next(self._numbers), future, work))
        return future

    def _run_steps_forever(self) -> None:
        while True:
            step = self._steps.get()
            if self._closed:
                step.future.cancel()
                if step.priority is Priority.LAST:
                    return
            elif step.future.set_running_or_notify_cancel():
                _run_step(step)
            del step  # whose result may be large


def _run_step(step: _Step) -> None:
    try:
        step.future.set_result(step.work())
    except BaseException as error:  # noqa: BLE001 - the waiting caller gets it
        step.future.set_exception(error)


def _advance_steps(steps: Generator[None, None, T]) -> tuple[T] | None:
    """The generator's result, once it has one."""
    try:
        next(steps)
    except StopIteration as end:
        return (end.value,)
    return None


class QuestionTurns:
    """Whose turn it is to ask heavy questions: of one person one is under way, in the whole bot. A few more wait."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._waiting: Counter[int] = Counter()

    async def wait_for_turn(self, person: int) -> Callable[[], None]:
        """Wait for that person's turn; the function that ends it. Raises Declined where too many wait, or too long."""
        if self._waiting[person] >= MAX_QUESTIONS_WAITING:
            raise Declined("failure.busy")
        lock = self._locks.setdefault(person, asyncio.Lock())
        self._waiting[person] += 1
        try:
            async with asyncio.timeout(TURN_WAIT_S):
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
            loop.call_at(began_at + QUESTION_INTERVAL_S, lock.release)  # at once where that is past

        return end
