"""The pace of requests, with shortened waits on the real clock."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from bot.discordkit.requests import REQUESTS_AT_ONCE, RequestPacer, pace_requests

FAST, SLOW = 500, 0.001
"""Requests in a second."""


async def test_at_most_a_burst_goes_at_once_then_one_by_one() -> None:
    one, loop = RequestPacer(FAST), asyncio.get_running_loop()
    begun = loop.time()
    await asyncio.gather(*(one.wait_turn(urgent=True) for _ in range(REQUESTS_AT_ONCE + 50)))
    assert loop.time() - begun >= 50 / FAST


async def test_an_edit_waits_for_whatever_else_there_is() -> None:
    one = RequestPacer(SLOW)
    for _ in range(REQUESTS_AT_ONCE - 2):
        await one.wait_turn(urgent=True)
    edit = asyncio.create_task(one.wait_turn(urgent=False))
    await asyncio.sleep(0)
    assert not edit.done(), "it has begun to wait"
    for _ in range(2):
        await one.wait_turn(urgent=True)
    assert not edit.done()
    edit.cancel()


async def test_a_client_keeps_the_pace_but_for_its_answers() -> None:
    async def serve(_: web.Request) -> web.Response:
        return web.Response()

    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", serve)
    async with TestServer(app) as server, ClientSession(trace_configs=[pace_requests(SLOW)]) as session:
        for _ in range(REQUESTS_AT_ONCE):
            await session.post(server.make_url("/channels/1/messages"))
        for address in ("/interactions/1/x/callback", "/webhooks/1/x/messages/@original"):
            await session.post(server.make_url(address))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(session.post(server.make_url("/channels/1/messages")), 0.05)
