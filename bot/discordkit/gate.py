"""The gate to Discord: nothing is sent while nothing can be stored, or while another process may be playing.

A frozen, cut-off or slow process may be taken for dead. When it wakes, another one has done what it still had in hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace

import aiohttp


class GateShut(aiohttp.ClientError):
    """A request was not sent. Its caller treats that as an outage: it passes, or the client ends."""


_gate_bypassed: ContextVar[bool] = ContextVar("gate_bypassed", default=False)


@contextmanager
def bypass_gate() -> Iterator[None]:
    """Lets this task's requests through a shut gate, for an answer that Discord accepts from one process only."""
    before = _gate_bypassed.set(True)
    try:
        yield
    finally:
        _gate_bypassed.reset(before)


def shut_gate(trace: aiohttp.TraceConfig, shut_reason: Callable[[], str | None]) -> aiohttp.TraceConfig:
    """Returns the trace that makes a discord.py client send nothing while there is a reason, checked after everything
    else that a request waits for.

    Gateway connections pass: listening changes nothing, and a session that is not resumed in time is lost.
    """

    async def check_gate(_: object, request: SimpleNamespace, params: object) -> None:
        if isinstance(params, aiohttp.TraceRequestStartParams):
            request.listens = params.url.scheme in ("ws", "wss")
        if not (request.listens or _gate_bypassed.get()) and (reason := shut_reason()):
            raise GateShut(reason)

    trace.on_request_start.append(check_gate)
    trace.on_connection_create_end.append(check_gate)  # connecting takes time, so check again
    return trace
