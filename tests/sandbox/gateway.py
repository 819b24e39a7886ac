"""A connection to the sandbox's gateway, and its first message."""

from __future__ import annotations

from typing import Any

import aiohttp

from sandbox import TOKEN, Sandbox


async def hello(http: aiohttp.ClientSession, sandbox: Sandbox) -> aiohttp.ClientWebSocketResponse:
    socket = await http.ws_connect(sandbox.url + "/gateway")
    assert (await socket.receive_json())["op"] == 10
    return socket


def identify(token: str = TOKEN, intents: int = 1, **more: Any) -> dict[str, Any]:
    return {"op": 2, "d": {"token": token, "intents": intents, "properties": {}, **more}}
