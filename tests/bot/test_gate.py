"""The gate to Discord, which is shut while nothing can be stored."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest
from aiohttp import web

from bot.discordkit.requests import GateShut, bypass_gate, shut_gate


async def test_nothing_goes_out_while_another_process_may_be_playing() -> None:
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
    trace = shut_gate(aiohttp.TraceConfig(), lambda: None if sure else "no answer")
    async with aiohttp.ClientSession(base, trace_configs=[trace]) as http:

        async def ask(name: str) -> None:
            async with http.get(f"/{name}"):
                pass

        await ask("sure")
        sure = False
        with pytest.raises(GateShut):
            await ask("unsure")
        with bypass_gate():
            await ask("excused")
        with pytest.raises(GateShut):
            await ask("unsure")
        with pytest.raises(aiohttp.WSServerHandshakeError):  # not a gateway, but the request reached it
            await http.ws_connect(base.replace("http", "ws") + "/gateway")

    async def connected(*_: Any) -> None:
        nonlocal sure
        sure = False

    sure = True
    late = shut_gate(aiohttp.TraceConfig(), lambda: None if sure else "no answer")
    late.on_connection_create_start.append(connected)
    async with aiohttp.ClientSession(base, trace_configs=[late]) as http:
        with pytest.raises(GateShut):
            async with http.get("/late"):
                pass
    await runner.cleanup()
    assert asked == ["/sure", "/excused", "/gateway"]
