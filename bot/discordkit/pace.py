"""The pace of requests: Discord takes 50 a second from a bot, and counts what comes too often as an invalid request.

discord.py knows that limit only when it has been hit. Answers to interactions do not count, and never wait here.
"""

from __future__ import annotations

import asyncio

import aiohttp

REQUESTS_PER_S, REQUESTS_AT_ONCE = 35, 5
"""Requests a second, and how many may go at once after a rest: whatever the network does to their order in time, fewer
than 50 arrive within a second."""

UNCOUNTED_PATHS = ("/interactions/", "/webhooks/")
"""What stands in the addresses by which interactions are answered."""


class RequestPacer:
    """Lets requests through one by one. Edits wait while there is anything else: they tidy what stands already.

    `path_part` is what this worker has of all shards: the limit is the application's, whoever asks.
    """

    def __init__(self, part: float = 1.0) -> None:
        self._rate, self._burst = REQUESTS_PER_S * part, max(1.0, REQUESTS_AT_ONCE * part)
        self._tokens = self._burst
        self._refilled_at = 0.0
        self._queue_locks = {urgent: asyncio.Lock() for urgent in (True, False)}

    async def wait_turn(self, *, urgent: bool) -> None:
        """Wait for the turn of a request."""
        async with self._queue_locks[urgent]:
            needed = 1 if urgent else max(1.0, self._burst / 2)
            while (missing := needed - self._refill_tokens()) > 0:  # noqa: ASYNC110 - time brings it about, and nobody tells
                await asyncio.sleep(missing / self._rate)
            self._tokens -= 1

    def _refill_tokens(self) -> float:
        """How many requests may go now."""
        now = asyncio.get_running_loop().time()
        self._tokens = min(self._tokens + (now - self._refilled_at) * self._rate, self._burst)
        self._refilled_at = now
        return self._tokens


def pace_requests(part: float = 1.0) -> aiohttp.TraceConfig:
    """What makes a client of discord.py keep that pace, tries that it repeats included."""
    pace, trace = RequestPacer(part), aiohttp.TraceConfig()

    async def wait_for_turn(_: object, __: object, params: aiohttp.TraceRequestStartParams) -> None:
        if not any(path_part in params.url.path for path_part in UNCOUNTED_PATHS):
            await pace.wait_turn(urgent=params.method != "PATCH")

    trace.on_request_start.append(wait_for_turn)
    return trace
