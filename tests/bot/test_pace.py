"""The pace of requests, against the real clock in haste."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from bot.kit import pace
from bot.kit.pace import BURST, Pace, paced


@pytest.fixture(autouse=True)
def _in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "RATE", 500)


async def test_no_more_go_at_once_than_a_burst_and_then_one_after_the_other() -> None:
    one, loop = Pace(), asyncio.get_running_loop()
    begun = loop.time()
    await asyncio.gather(*(one.wait(urgent=True) for _ in range(BURST + 50)))
    assert loop.time() - begun >= 50 / pace.RATE
    begun, third = loop.time(), Pace(1 / 3)  # of the shards
    await asyncio.gather(*(third.wait(urgent=True) for _ in range(10 + BURST // 3)))
    assert loop.time() - begun >= 30 / pace.RATE - 0.01


async def test_what_several_workers_send_at_once_is_no_more_than_one_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "RATE", 0.001)
    sent = 0

    async def send(worker: Pace) -> None:
        nonlocal sent
        for urgent in (True, True, False):
            await worker.wait(urgent=urgent)
            sent += 1

    with suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(*(send(Pace(1 / BURST)) for _ in range(BURST))), 0.05)
    assert sent == BURST


async def test_an_edit_waits_for_whatever_else_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "RATE", 0.001)
    one = Pace()
    for _ in range(BURST - 2):
        await one.wait(urgent=True)
    edit = asyncio.create_task(one.wait(urgent=False))
    await asyncio.sleep(0)
    assert not edit.done(), "it has begun to wait"
    for _ in range(2):
        await one.wait(urgent=True)
    assert not edit.done()
    edit.cancel()


async def test_a_client_keeps_the_pace_but_for_its_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "RATE", 0.001)

    async def serve(_: web.Request) -> web.Response:
        return web.Response()

    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", serve)
    async with TestServer(app) as server, ClientSession(trace_configs=[paced()]) as session:
        for _ in range(BURST):
            await session.post(server.make_url("/channels/1/messages"))
        for address in ("/interactions/1/x/callback", "/webhooks/1/x/messages/@original"):
            await session.post(server.make_url(address))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(session.post(server.make_url("/channels/1/messages")), 0.05)
