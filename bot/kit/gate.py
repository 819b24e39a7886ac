"""The gate to Discord: nothing goes out of a worker that is not sure of its shards, or of its database.

Frozen, cut off or slow, a worker may be taken for dead. What it still has in hand when it wakes, another has done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace

import aiohttp


class ShutError(aiohttp.ClientError):
    """A request has not been sent. To whoever sends it that is an outage, which passes or ends the worker."""


_opened: ContextVar[bool] = ContextVar("opened", default=False)


@contextmanager
def opened() -> Iterator[None]:
    """Lets the requests of this task through in any case: an answer that Discord takes from one worker alone."""
    before = _opened.set(True)
    try:
        yield
    finally:
        _opened.reset(before)


def guarded(trace: aiohttp.TraceConfig, sure: Callable[[], bool]) -> aiohttp.TraceConfig:
    """What makes a client of discord.py heed it, after whatever else a request waits for.

    The gateway stays open: nothing is done by listening, and a session that cannot be resumed meanwhile is lost.
    """

    async def pass_through(_: object, request: SimpleNamespace, asked: object) -> None:
        if isinstance(asked, aiohttp.TraceRequestStartParams):
            request.listens = asked.url.scheme in ("ws", "wss")
        if not (request.listens or sure() or _opened.get()):
            raise ShutError("not sure of its shards, or of its database")

    trace.on_request_start.append(pass_through)
    trace.on_connection_create_end.append(pass_through)  # which takes its time
    return trace
