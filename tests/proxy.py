"""A network proxy between the bot and its database that tests can freeze or close."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from bot.store.connection import Address

_PIECE = 1 << 16  # bytes that are under way at a time


class Proxy:
    """A port of this machine that leads to a server's socket.

    `flowing` is cleared while the network is frozen: nothing comes through, and nobody is told of it. `heard` is
    cleared while only the server's words are held back. `refusing`: nobody is let in.
    """

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._server: asyncio.Server | None = None
        self._ends: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self._answering = True
        self.trips = 0
        """The number of round trips to the server."""
        self.flowing, self.heard = asyncio.Event(), asyncio.Event()
        self.refusing = False
        self.mend()

    async def open(self) -> int:
        """Opens the proxy and returns its port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1")
        return int(self._server.sockets[0].getsockname()[1])

    def mend(self) -> None:
        """Everything comes through again, also what has been held back."""
        self.flowing.set()
        self.heard.set()
        self.refusing = False

    def cut(self) -> None:
        """Breaks every connection."""
        for end in tuple(self._ends):
            end.transport.abort()

    async def close(self) -> None:
        """Breaks what there is, and listens no more."""
        if self._server is not None:
            self._server.close()
        self.cut()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        self._ends.add(writer)
        ends = [writer]
        try:
            await self.flowing.wait()
            if self.refusing:
                return
            far_reader, far_writer = await asyncio.open_unix_connection(str(self._socket))
            ends.append(far_writer)
            self._ends.add(far_writer)
            pumps = [
                asyncio.create_task(self._pump(reader, far_writer, ())),
                asyncio.create_task(self._pump(far_reader, writer, (self.heard,))),
            ]
            try:
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
        except (OSError, asyncio.CancelledError):
            pass  # the server is away, or all is over
        finally:
            for end in ends:
                end.transport.abort()
                self._ends.discard(end)
            self._serving.discard(task)

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, gates: tuple[asyncio.Event, ...]
    ) -> None:
        """Passes on what comes; the end of it, too, is not noticed while nothing flows."""
        with suppress(OSError):
            while True:
                piece = await reader.read(_PIECE)
                self.trips += self._answering and not gates
                self._answering = bool(gates)
                for gate in (self.flowing, *gates):
                    await gate.wait()
                if not piece:
                    return
                writer.write(piece)
                await writer.drain()


@asynccontextmanager
async def proxied(address: Address) -> AsyncIterator[tuple[Proxy, Address]]:
    """A proxy before that database of a cluster of `tests.postgresql`, and the address that leads through it."""
    parts = urlsplit(address.url)
    (host,), (port,) = (parse_qs(parts.query)[name] for name in ("host", "port"))
    proxy = Proxy(Path(host) / f".s.PGSQL.{port}")
    opened = await proxy.open()
    try:
        yield proxy, Address(f"postgresql://{parts.username}@127.0.0.1:{opened}{parts.path}")
    finally:
        await proxy.close()
