"""The gate to Discord: nothing goes out of a worker that is not sure of its shards, or of its database.

Frozen, cut off or slow, a worker may be taken for dead. What it still has in hand when it wakes, another has done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace

import aiohttp


class NotLeaseHolder(aiohttp.ClientError):
    """A request has not been sent. To whoever sends it that is an outage, which passes or ends the worker."""


_lease_bypassed: ContextVar[bool] = ContextVar("lease_bypassed", default=False)


@contextmanager
def bypass_lease() -> Iterator[None]:
    """Lets the requests of this task through in any case: an answer that Discord takes from one worker alone."""
    before = _lease_bypassed.set(True)
    try:
        yield
    finally:
        _lease_bypassed.reset(before)


def require_lease(trace: aiohttp.TraceConfig, is_valid: Callable[[], bool]) -> aiohttp.TraceConfig:
    """What makes a client of discord.py heed it, after whatever else a request waits for.

    The gateway stays open: nothing is done by listening, and a session that cannot be resumed meanwhile is lost.
    """

    async def check_lease(_: object, request: SimpleNamespace, params: object) -> None:
        if isinstance(params, aiohttp.TraceRequestStartParams):
            request.listens = params.url.scheme in ("ws", "wss")
        if not (request.listens or is_valid() or _lease_bypassed.get()):
            raise NotLeaseHolder("not sure of its shards, or of its database")

    trace.on_request_start.append(check_lease)
    trace.on_connection_create_end.append(check_lease)  # which takes its time
    return trace
