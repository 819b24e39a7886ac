"""A house with a standby: one Discord with six servers, one PostgreSQL, and a proxy before it for each process."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from bot.core.settings import GuildSettings, Threads
from bot.store import Store
from bot.store.servers import set_guild_settings
from sandbox.discord_types import Channel, Guild
from sandbox.faults import Serve
from sandbox.limits.interactions import ANSWER_WITHIN
from tests.e2e.house import PATIENCE, Bot, House
from tests.e2e.room import Room
from tests.e2e.workers.database import AwayError, Database
from tests.proxy import Proxy

SHARDS = 6
"""The servers, one for each shard if there are so many."""
STARTS_WITHIN = 300.0
"""Seconds that a start may take on a busy machine, where a worker may lose its session before it is ready."""
GLANCE = 0.1
"""Seconds between two looks at which process plays."""
_SPEAKING = re.compile(r"(POST|PATCH|PUT|DELETE) /channels/")
"""The requests that only the process that plays may make. Answers to interactions are not among them."""


class Worker(Bot):
    """One of the processes, with its own proxy to the database."""

    def __init__(self, folder: Path, number: int, proxy: Proxy, **settings: str) -> None:
        folder.mkdir()
        super().__init__(folder, "tests.e2e.hasty_program", HASTY_NAME=str(number), **settings)
        self.number = number
        self.proxy = proxy
        self.stopped = False
        self._begun = 0

    async def start(self) -> None:
        """See `Bot.start`."""
        self.stopped, self._begun = False, len(self.log)
        await super().start()

    @property
    def at_work(self) -> bool:
        """True if the process runs and, since its start, has played or stood by."""
        return self.running and any(sign in self.log[self._begun :] for sign in ("event=ready", "event=standby"))

    def stop_now(self) -> None:
        """Sends SIGSTOP: the process stops without noticing."""
        os.kill(self.pid, signal.SIGSTOP)
        self.stopped = True

    def go_on(self) -> None:
        """Sends SIGCONT: the stopped process continues."""
        if self.running:
            os.kill(self.pid, signal.SIGCONT)
        self.stopped = False

    async def end(self, number: int) -> int:
        """See `Bot.end`; works for a stopped process too."""
        if self.stopped:
            self.go_on()
        return await super().end(number)


class Crew:
    """All workers in the place of the bot: their logs and their database."""

    def __init__(self, workers: list[Worker], database: Database) -> None:
        self._workers = workers
        self._database = database

    @property
    def log(self) -> str:
        """The logs of all workers, one after the other."""
        return "".join(f"=== worker {one.number}\n{one.log}" for one in self._workers)

    @property
    def running(self) -> bool:
        """True if any worker runs."""
        return any(one.running for one in self._workers)

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Runs a statement and returns its rows; raises AwayError."""
        return self._database.query(sql, *values)


@dataclass
class Ears:
    """A record of the workers' requests to Discord."""

    lines: Counter[str] = field(default_factory=Counter)
    """The number of open gateway connections of each worker."""
    refused: Counter[tuple[str, int]] = field(default_factory=Counter)
    """How often each kind of request was refused with which status."""
    spoken: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    """The posts and edits of each worker, with their times."""

    async def hear(self, request: web.Request, serve: Serve) -> web.StreamResponse:
        """Records every request and lets it pass; the effect of a fault rule."""
        name = request.headers.get("X-Worker", "")
        route = request.match_info.route.resource
        asked = f"{request.method} {route.canonical.removeprefix('/api/v10') if route else ''}"
        if asked == "GET /gateway":
            self.lines[name] += 1
            try:
                return await serve(request)
            finally:
                self.lines[name] -= 1
        if _SPEAKING.match(asked):
            self.spoken.setdefault(name, []).append((time.monotonic(), asked))
        found = await serve(request)
        if found.status >= 400:
            self.refused[asked, found.status] += 1
        return found

    def said_by(self, worker: Worker, since: float, until: float = float("inf")) -> list[str]:
        """Returns the worker's posts and edits between those instants of the monotonic clock."""
        return [asked for at, asked in self.spoken.get(str(worker.number), []) if since <= at < until]


class WorkersHouse(House):
    """A Discord that recommends so many `shards`, with a bot of several processes."""

    shards = 1
    answer_within = ANSWER_WITHIN

    def __init__(self, folder: Path, database: Database, workers: int, **settings: str) -> None:
        super().__init__(folder, "tests.e2e.hasty_program", **settings)
        self.database = database
        self.ears = Ears()
        self.workers: list[Worker] = []
        self._count = workers
        self.down: set[Worker] = set()
        """The workers that must stay down for now."""
        self.held: list[tuple[float, int | None]] = []
        """(instant, the process that plays) at each look since `watch` was called."""
        self._watching: asyncio.Task[None] | None = None

    async def open(self, *, start: bool = True) -> None:
        """Opens Discord and the database, and starts all workers."""
        await super().open(start=False)
        self.server.gateway.shards = self.shards
        self.server.faults.add("* *", self.ears.hear, times=None)
        self._found_servers()
        try:
            async with Store.open(self.database.address) as store, store.write_transaction() as tx:
                for guild in self.server.world.guilds:
                    await set_guild_settings(tx, guild, GuildSettings(threads=Threads.ASK))
            await asyncio.to_thread(self.database.hurt_on_demand)
            for number in range(self._count):
                self.workers.append(await self._hire(number))
            self.bot = Crew(self.workers, self.database)  # type: ignore[assignment]  # as far as anybody asks for it
            if start:
                await self.start_bot()
        except BaseException:
            await self.close()
            raise

    async def _hire(self, number: int) -> Worker:
        proxy = Proxy(self.database.socket)
        address = self.database.through(await proxy.open(), number)
        settings = {**self._settings, "ROUNDTABLE_DB": address, "ROUNDTABLE_SANDBOX_URL": self.url}
        return Worker(self._folder / f"worker{number}", number, proxy, **settings)

    def _found_servers(self) -> None:
        """Makes a server with a channel for each shard."""
        world = self.server.world
        people = tuple(one.id for one in world.people.values())
        born = (world.next_id() >> 22) - SHARDS
        for number in range(born, born + SHARDS):
            guild = Guild(number << 22, f"Court {number % SHARDS}", members=people, community=True)
            world.put(guild)
            world.put(Channel(guild.id + 1, guild.id, f"court-{number % SHARDS}"))

    def server_rooms(self, stack: AsyncExitStack) -> Iterator[Room]:
        """Yields a room in a server of each shard, in the order of shards."""
        channels = {one.name: str(one.id) for one in self.server.world.channels.values()}
        for number in range(SHARDS):
            yield Room(self, f"court-{number}", channels[f"court-{number}"], stack)

    async def close(self) -> None:
        """Stops everything."""
        self.watch_no_more()
        for worker in self.workers:
            if worker.running:
                await worker.end(signal.SIGKILL)
            await worker.proxy.close()
        await self.server.close()

    async def start_bot(self) -> None:
        """Starts all stopped workers and waits until every shard is connected."""
        await asyncio.gather(*(one.start() for one in self.workers if not one.running))
        await self.until(self.whole, "whole", STARTS_WITHIN)

    def watch(self) -> None:
        """Keeps noting which process plays, and restarts ended ones as a supervisor does."""
        self._watching = asyncio.create_task(self._watch())

    def watch_no_more(self) -> None:
        """Stops noting and restarting."""
        if self._watching is not None:
            self._watching.cancel()

    async def _watch(self) -> None:
        while True:
            with suppress(AwayError):
                self.held.append((time.monotonic(), self.database.holder()))
            for worker in self.workers:
                if not worker.running and worker not in self.down:
                    await worker.start()
            await asyncio.sleep(GLANCE)

    def held_again(self, worker: Worker, since: float) -> float:
        """Returns the first look since that instant at which the process played; infinity if there is none."""
        return next((at for at, held in self.held if at >= since and held == worker.number), float("inf"))

    def whole(self) -> bool:
        """Returns True if some process is connected for every server."""
        live, count = self.server.gateway.live, self.shards
        return {*live} >= {(number, count) for number in range(count)}

    async def until(self, come_true: Callable[[], bool], what: str, patience: float = PATIENCE) -> None:
        """Waits until the condition is true; raises AssertionError with `what` and the log if it takes too long."""
        begun = time.monotonic()
        while not come_true():
            if self._watching is not None and self._watching.done():
                self._watching.result()
            late = time.monotonic() - begun > patience
            assert not late, f"not {what}:\n" + "\n".join(one.log[-3000:] for one in self.workers)
            await asyncio.sleep(0.05)
