"""The pace of requests: Discord takes 50 a second from a bot, and counts what comes too often as an invalid request.

discord.py knows that limit only when it has been hit. Answers to interactions do not count, and never wait here.
"""

from __future__ import annotations

import asyncio

import aiohttp

RATE, BURST = 35, 5
"""Requests a second, and how many may go at once after a rest: whatever the network does to their order in time, fewer
than 50 arrive within a second."""

UNCOUNTED = ("/interactions/", "/webhooks/")
"""What stands in the addresses by which interactions are answered."""


class Pace:
    """Lets requests through one by one. Edits wait while there is anything else: they tidy what stands already.

    `part` is what this worker has of all shards: the limit is the application's, whoever asks.
    """

    def __init__(self, part: float = 1.0) -> None:
        self._rate, self._burst = RATE * part, max(1.0, BURST * part)
        self._left = self._burst
        self._counted = 0.0
        self._first = {urgent: asyncio.Lock() for urgent in (True, False)}

    async def wait(self, *, urgent: bool) -> None:
        """Wait for the turn of a request."""
        async with self._first[urgent]:
            needed = 1 if urgent else max(1.0, self._burst / 2)
            while (missing := needed - self._counted_up()) > 0:  # noqa: ASYNC110 - time brings it about, and nobody tells
                await asyncio.sleep(missing / self._rate)
            self._left -= 1

    def _counted_up(self) -> float:
        """How many requests may go now."""
        now = asyncio.get_running_loop().time()
        self._left = min(self._left + (now - self._counted) * self._rate, self._burst)
        self._counted = now
        return self._left


def paced(part: float = 1.0) -> aiohttp.TraceConfig:
    """What makes a client of discord.py keep that pace, tries that it repeats included."""
    pace, trace = Pace(part), aiohttp.TraceConfig()

    async def wait(_: object, __: object, asked: aiohttp.TraceRequestStartParams) -> None:
        if not any(part in asked.url.path for part in UNCOUNTED):
            await pace.wait(urgent=asked.method != "PATCH")

    trace.on_request_start.append(wait)
    return trace
