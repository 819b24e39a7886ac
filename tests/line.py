"""A line between the bot and its database that a test can freeze: nothing comes through, and nobody is told."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from bot.store.address import Address


class Line:
    """Forwards what comes to a socket of its own to the server's. `address` is the database at its far end."""

    def __init__(self, address: Address, folder: Path) -> None:
        parts = urlsplit(address.url)
        (host,), (port,) = (parse_qs(parts.query)[name] for name in ("host", "port"))
        self._far, self._near = (Path(where) / f".s.PGSQL.{port}" for where in (host, folder))
        self.address = Address(f"postgresql://{parts.netloc}{parts.path}?host={folder}&port={port}")
        self._open = asyncio.Event()
        self._open.set()
        self._ways: set[asyncio.Task[None]] = set()
        self._answering = True
        self.trips = 0
        """How often the server has been waited for."""

    def freeze(self) -> None:
        """From now on nothing comes through, in either direction."""
        self._open.clear()

    def thaw(self) -> None:
        """What was sent meanwhile arrives, late, also from who has hung up since."""
        self._open.set()

    @asynccontextmanager
    async def laid(self) -> AsyncIterator[None]:
        """While it is there."""
        async with await asyncio.start_unix_server(self._connect, self._near):
            try:
                yield
            finally:
                self.thaw()
                for way in self._ways:
                    way.cancel()
                await asyncio.gather(*self._ways, return_exceptions=True)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._open.wait()
        there, back = await asyncio.open_unix_connection(self._far)
        self._ways.add(asyncio.create_task(self._carry(reader, back, answering=False)))
        self._ways.add(asyncio.create_task(self._carry(there, writer, answering=True)))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answering: bool) -> None:
        try:
            with suppress(ConnectionError):
                while part := await reader.read(1 << 16):
                    self.trips += self._answering and not answering
                    self._answering = answering
                    await self._open.wait()
                    writer.write(part)
                    await writer.drain()
                await self._open.wait()
        finally:
            writer.close()


@asynccontextmanager
async def line_to(address: Address) -> AsyncIterator[Line]:
    """A line to that database, which a cluster of `tests.postgresql` has."""
    with tempfile.TemporaryDirectory(prefix="rt-line-") as folder:  # the name of a socket must be short
        line = Line(address, Path(folder))
        async with line.laid():
            yield line
