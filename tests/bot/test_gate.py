"""The gate to Discord, which is closed while a worker is not sure of its shards."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest
from aiohttp import web

from bot.discordkit.lease_check import NotLeaseHolder, bypass_lease, require_lease


async def test_nothing_goes_out_of_a_worker_that_is_not_sure() -> None:
    asked = list[str]()

    async def hear(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response()

    application = web.Application()
    application.add_routes([web.get("/{name}", hear)])
    runner, sure = web.AppRunner(application), True
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    trace = require_lease(aiohttp.TraceConfig(), lambda: sure)
    async with aiohttp.ClientSession(base, trace_configs=[trace]) as http:

        async def ask(name: str) -> None:
            async with http.get(f"/{name}"):
                pass

        await ask("sure")
        sure = False
        with pytest.raises(NotLeaseHolder):
            await ask("unsure")
        with bypass_lease():
            await ask("excused")
        with pytest.raises(NotLeaseHolder):
            await ask("unsure")
        with pytest.raises(aiohttp.WSServerHandshakeError):  # not a gateway, but the request reached it
            await http.ws_connect(base.replace("http", "ws") + "/gateway")

    async def connected(*_: Any) -> None:
        nonlocal sure
        sure = False

    sure = True
    late = require_lease(aiohttp.TraceConfig(), lambda: sure)
    late.on_connection_create_start.append(connected)
    async with aiohttp.ClientSession(base, trace_configs=[late]) as http:
        with pytest.raises(NotLeaseHolder):
            async with http.get("/late"):
                pass
    await runner.cleanup()
    assert asked == ["/sure", "/excused", "/gateway"]
