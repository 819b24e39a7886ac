"""WebSockets with an outbox: `say` returns at once, and the socket's own task sends."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

from aiohttp import web

_CLOSE_WITHIN = 1.0  # seconds that the other end has for its close frame


def dumps(thing: Any) -> str:
    """Returns compact JSON."""
    return json.dumps(thing, ensure_ascii=False, separators=(",", ":"))


class Line:
    """One WebSocket. `say` and `hang_up` return at once; the order is kept."""

    def __init__(self, socket: web.WebSocketResponse, transport: asyncio.Transport | None) -> None:
        self.socket = socket
        self._transport = transport
        self._outbox: asyncio.Queue[str | int] = asyncio.Queue()

    def say(self, text: str) -> None:
        """Sends a text message."""
        self._outbox.put_nowait(text)

    def hang_up(self, code: int) -> None:
        """Closes the socket with a close code, after everything in the outbox."""
        self._outbox.put_nowait(code)

    def cut(self) -> None:
        """Breaks the connection without a close frame."""
        if self._transport is not None:
            self._transport.abort()

    async def pump(self) -> None:
        """Sends what is in the outbox until the line is hung up or broken."""
        with contextlib.suppress(ConnectionError):
            while isinstance(item := await self._outbox.get(), str):
                await self.socket.send_str(item)
            await self.socket.close(code=item)


@contextlib.asynccontextmanager
async def open_line(request: web.Request, lines: set[Line]) -> AsyncIterator[Line]:
    """Opens a line on a WebSocket request; it is in `lines` while it is open."""
    socket = web.WebSocketResponse(timeout=_CLOSE_WITHIN, max_msg_size=1 << 16)
    await socket.prepare(request)
    line = Line(socket, request.transport)
    lines.add(line)
    pump = asyncio.create_task(line.pump())
    try:
        yield line
    finally:
        lines.discard(line)
        pump.cancel()
        await asyncio.gather(pump, return_exceptions=True)
        if not socket.closed:
            await socket.close()
