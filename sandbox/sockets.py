"""JSON, and WebSockets with an outbox: `say` returns at once, and the socket's own task sends."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from aiohttp import web

_DEEPEST = 64
"""How deep JSON may be nested; no request of Discord's is a third of that."""
_MOST_DIGITS = 4000
"""The most digits of a text that is nothing else: as many as a message has signs, and fewer than `int` refuses."""
_CLOSE_WITHIN = 1.0  # seconds that the other end has for its close frame


def json_answer(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """Returns a JSON answer. discord.py reads it as JSON only with exactly this content type."""
    kind = {"Content-Type": "application/json"}
    return web.Response(body=dumps(body).encode(), status=status, headers=kind | {**(headers or {})})


def dumps(thing: object) -> str:
    """Returns compact JSON."""
    return json.dumps(thing, ensure_ascii=False, separators=(",", ":"))


def parse_json(written: str | bytes) -> Any:
    """Returns what the JSON means. Raises ValueError, also for what nothing here could store or look up: deep nesting,
    numbers without end, NaN, and halves of surrogates.
    """
    try:
        found = json.loads(written)
        _check_part(found, _DEEPEST)
    except RecursionError:
        raise ValueError("nested too deep") from None
    return found


def _check_part(part: Any, depth: int) -> None:
    """Raises ValueError unless the part of a JSON text can be used here."""
    if isinstance(part, str):
        part.encode()  # half a surrogate pair cannot be encoded
        is_fine = not part.isdecimal() or len(part) <= _MOST_DIGITS
    elif isinstance(part, int | float):
        is_fine = abs(part) < 1 << 64  # nor is NaN
    else:
        for inner in (*part, *part.values()) if isinstance(part, dict) else part or ():
            _check_part(inner, depth - 1)
        is_fine = depth > 0
    if not is_fine:
        raise ValueError("too deep or too large")


class OutboxSocket:
    """One WebSocket. `say` and `hang_up` return at once; the order is kept."""

    def __init__(self, websocket: web.WebSocketResponse, transport: asyncio.Transport | None) -> None:
        self.websocket = websocket
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
        """Sends what is in the outbox until the socket is hung up or broken."""
        with contextlib.suppress(ConnectionError):
            while isinstance(item := await self._outbox.get(), str):
                await self.websocket.send_str(item)
            await self.websocket.close(code=item)


@contextlib.asynccontextmanager
async def open_socket(request: web.Request, sockets: set[OutboxSocket]) -> AsyncIterator[OutboxSocket]:
    """Opens a socket for a WebSocket request; it is in `sockets` while it is open."""
    websocket = web.WebSocketResponse(timeout=_CLOSE_WITHIN, max_msg_size=1 << 16)
    await websocket.prepare(request)
    socket = OutboxSocket(websocket, request.transport)
    sockets.add(socket)
    pump = asyncio.create_task(socket.pump())
    try:
        yield socket
    finally:
        sockets.discard(socket)
        pump.cancel()
        await asyncio.gather(pump, return_exceptions=True)
        if not websocket.closed:
            await websocket.close()
