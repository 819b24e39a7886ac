"""The pace of requests. Discord takes 50 a second from a bot, and counts what exceeds that as invalid requests.

discord.py notices the limit only after hitting it. Answers to interactions do not count, and never wait here.
"""

from __future__ import annotations

import asyncio

import aiohttp

REQUESTS_AT_ONCE = 5
"""Requests that may go at once after a rest."""

UNCOUNTED_PATHS = ("/interactions/", "/webhooks/")
"""Parts of the addresses by which interactions are answered."""


class RequestPacer:
    """Lets requests through one by one. Edits go last: they only tidy messages that stand already.

    `per_s`: requests in a second.
    """

    def __init__(self, per_s: float) -> None:
        self._rate, self._tokens = per_s, float(REQUESTS_AT_ONCE)
        self._refilled_at = 0.0
        self._queue_locks = {urgent: asyncio.Lock() for urgent in (True, False)}

    async def wait_turn(self, *, urgent: bool) -> None:
        """Waits for the turn of a request."""
        async with self._queue_locks[urgent]:
            needed = 1 if urgent else REQUESTS_AT_ONCE / 2
            while (missing := needed - self._refill_tokens()) > 0:  # noqa: ASYNC110 - only time refills it
                await asyncio.sleep(missing / self._rate)
            self._tokens -= 1

    def _refill_tokens(self) -> float:
        """Returns how many requests may go now."""
        now = asyncio.get_running_loop().time()
        self._tokens = min(self._tokens + (now - self._refilled_at) * self._rate, REQUESTS_AT_ONCE)
        self._refilled_at = now
        return self._tokens


def pace_requests(per_s: float) -> aiohttp.TraceConfig:
    """Returns the trace that makes a discord.py client keep the pace, repeated tries included."""
    pace, trace = RequestPacer(per_s), aiohttp.TraceConfig()

    async def wait_for_turn(_: object, __: object, params: aiohttp.TraceRequestStartParams) -> None:
        if not any(path_part in params.url.path for path_part in UNCOUNTED_PATHS):
            await pace.wait_turn(urgent=params.method != "PATCH")

    trace.on_request_start.append(wait_for_turn)
    return trace
