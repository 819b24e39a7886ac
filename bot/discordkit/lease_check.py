"""The gate to Discord: a worker sends nothing while it is not sure of its shards or of its database.

A frozen, cut-off or slow worker may be taken for dead. When it wakes, another worker has done what it still had in
hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace

import aiohttp


class NotLeaseHolder(aiohttp.ClientError):
    """A request was not sent. Its caller treats that as an outage: it passes, or the worker ends."""


_lease_bypassed: ContextVar[bool] = ContextVar("lease_bypassed", default=False)


@contextmanager
def bypass_lease() -> Iterator[None]:
    """Lets this task's requests through without a lease, for an answer that Discord accepts from one worker only."""
    before = _lease_bypassed.set(True)
    try:
        yield
    finally:
        _lease_bypassed.reset(before)


def require_lease(trace: aiohttp.TraceConfig, is_valid: Callable[[], bool]) -> aiohttp.TraceConfig:
    """Returns the trace that makes a discord.py client check the lease, after everything else that a request waits for.

    Gateway connections pass: listening changes nothing, and a session that is not resumed in time is lost.
    """

    async def check_lease(_: object, request: SimpleNamespace, params: object) -> None:
        if isinstance(params, aiohttp.TraceRequestStartParams):
            request.listens = params.url.scheme in ("ws", "wss")
        if not (request.listens or is_valid() or _lease_bypassed.get()):
            raise NotLeaseHolder("not sure of its shards, or of its database")

    trace.on_request_start.append(check_lease)
    trace.on_connection_create_end.append(check_lease)  # connecting takes time, so check again
    return trace
