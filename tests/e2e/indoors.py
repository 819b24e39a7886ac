"""The bot in the process of its tests, and the sandbox's world without a server: requests and events are plain calls.

No network, no process and no picture is between a person's act and the bot's handler, so a test takes a tenth of the
time that it takes in a `House`. What only the real thing can show, such as kills and lost connections, needs that one.
"""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from email.utils import formatdate
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Self, TypeVar, get_args

import discord
import pytest
from discord import app_commands
from discord.http import Route
from discord.webhook.async_ import AsyncWebhookAdapter
from structlog.processors import format_exc_info
from structlog.testing import capture_logs

from bot import client
from bot.client import RoundTable
from bot.demo import SANDBOX_PROFILE
from bot.discordkit.slash import CatalogueTranslator
from bot.discordkit.wall_clock import WALL_CLOCK
from bot.play.announcing.ticker import Ticker
from bot.play.background import Pictures
from bot.store import Store
from bot.store.connection import Address
from render import View
from sandbox import Hardness, app, founding, views
from sandbox.errors import Refusal
from sandbox.faults import Faults
from sandbox.gateway import TOKEN, Gateway
from sandbox.live import Live
from sandbox.options import ActError
from sandbox.page_requests import PageRequest
from sandbox.parts import Parts
from sandbox.people import Json, Person, RefusedError
from sandbox.rest import Call, check_payload
from sandbox.rest_commands import COMMAND_ROUTES
from sandbox.rest_guilds import GUILD_ROUTES
from sandbox.rest_interactions import INTERACTION_ROUTES
from sandbox.rest_messages import MESSAGE_ROUTES
from sandbox.rest_threads import THREAD_ROUTES
from sandbox.sockets import dumps, parse_json
from sandbox.world import BOT_ID, World
from sandbox.world_files import WorldFiles
from tests.e2e.hasty_program import hasty_timings
from tests.e2e.house import Bot, House

T = TypeVar("T")

GUILDS = 1
"""The bot's only intent."""
NEVER_S = 1e6
TICK_EVERY_S = 0.2
"""Seconds for which a person waits until the bot ticks."""

ERRORS = {403: discord.Forbidden, 404: discord.NotFound}


class Routes:
    """Handlers by method and path, found by the path of a request."""

    def __init__(self, table: Mapping[tuple[str, str], Any]) -> None:
        self._table = [
            (method, re.compile(re.sub(r"\{(\w+)(?::[^}]+)?\}", r"(?P<\1>[^/]+)", path)), path, handler)
            for (method, path), handler in table.items()
        ]

    def find(self, method: str, path: str) -> tuple[str, dict[str, str], Any]:
        """Returns the template, the variable parts of the path, and the handler."""
        for known, pattern, template, handler in self._table:
            if known == method and (found := pattern.fullmatch(path)):
                return template, found.groupdict(), handler
        raise AssertionError(f"not modelled: {method} {path}")


REST: Routes = Routes(COMMAND_ROUTES | MESSAGE_ROUTES | THREAD_ROUTES | GUILD_ROUTES | INTERACTION_ROUTES)
PAGE: Routes = Routes(app._TABLE)


def _remembering_options() -> Callable[[Json, str], Json]:
    """Returns `views._option` with a memory: each person who joins is told of every command."""
    known, shown = dict[tuple[int, str], tuple[Json, Json]](), views._option

    def show_option(option: Json, locale: str) -> Json:
        key = id(option), locale
        if key not in known:
            known[key] = option, shown(option, locale)  # kept, so that no other option has its id
        return known[key][1]

    return show_option


CommandKind = app_commands.Command | app_commands.Group | app_commands.ContextMenu


def _remembering_payloads(shown: Callable[..., Awaitable[Json]]) -> Callable[..., Awaitable[Json]]:
    """Returns `get_translated_payload` with a memory: each house would translate the same commands twice."""
    known = dict[str, Json]()

    async def get_translated_payload(command: CommandKind, *how: Any) -> Json:
        if command.qualified_name not in known:
            known[command.qualified_name] = await shown(command, *how)
        return known[command.qualified_name]

    return get_translated_payload


PAYLOADS = {kind: _remembering_payloads(kind.get_translated_payload) for kind in get_args(CommandKind)}
"""Memories for all houses of a process: every house has all commands."""


class Wire:
    """One end of a line: calls a function with each text that is said."""

    def __init__(self, hear: Callable[[Any], None]) -> None:
        self._hear = hear

    def say(self, text: str) -> None:
        """Hands the text over, at the loop's next turn."""
        asyncio.get_running_loop().call_soon(lambda: self._hear(json.loads(text)))

    def hang_up(self, code: int) -> None:
        """Nothing is to be closed."""


class FilesInMemory(WorldFiles):
    """Keeps only the bytes of attachments, and those in memory."""

    def __init__(self) -> None:
        self._contents: dict[int, bytes] = {}

    def all(self, kind: str) -> Iterator[Json]:
        """Yields nothing."""
        yield from ()

    def put(self, kind: str, key: str, thing: object) -> None:
        """Does nothing: the world has it."""

    def drop(self, kind: str, key: str) -> None:
        """Does nothing."""

    def commit(self) -> None:
        """Does nothing."""

    def put_file(self, number: int, content: bytes) -> None:
        """Keeps the bytes."""
        self._contents[number] = content

    def content(self, number: int) -> bytes:
        """Returns the bytes."""
        return self._contents[number]

    def drop_file(self, number: int) -> None:
        """Forgets the bytes."""
        self._contents.pop(number, None)


class ColdPictures(Pictures):
    """Draws as the program does, but nothing before it is needed, and no picture twice in a process."""

    _drawn: ClassVar[dict[View, bytes]] = {}

    def __enter__(self) -> Self:
        self._public_thread.__enter__()
        self.thread.__enter__()
        return self

    async def draw_board(self, view: View, *, public: bool = False) -> bytes:
        """Returns the view as a PNG."""
        if view not in self._drawn:
            self._drawn[view] = await super().draw_board(view, public=public)
        return self._drawn[view]


class Visitor(Person):
    """A person whose page is a plain call away."""

    def __init__(self, house: Indoors, me: Json) -> None:
        super().__init__(None, me)  # type: ignore[arg-type]  # all requests go through `call`
        self._house = house
        self._wire: Any = Wire(self._hear)

    async def call(self, method: str, path: str, body: Json | None = None) -> Any:
        """Does what the page's server does with such a request."""
        parts = self._house.parts
        path, _, query = path.partition("?")
        _, found, handler = PAGE.find(method, path)
        request: Any = SimpleNamespace(match_info=found, query=dict(one.split("=") for one in query.split("&") if one))
        try:
            answer = handler(PageRequest(parts, request, body or {}))
            return await answer if isinstance(answer, Awaitable) else answer
        except ActError as error:
            raise RefusedError(error.code, str(error)) from error
        except Refusal as refusal:
            raise RefusedError(str(refusal.code.number), str(refusal)) from refusal

    async def _until(self, probe: Callable[[], T | None], timeout: float) -> T:  # noqa: ASYNC109 - as there
        """Waits as on the page. The bot ticks now and then, as it does by itself twice a minute."""
        async with asyncio.timeout(timeout):
            while True:
                with suppress(TimeoutError):
                    return await super()._until(probe, TICK_EVERY_S)
                self._house.tick_beside()

    async def picture(self, attachment: Json) -> bytes:
        """Returns the bytes of an attachment."""
        files = self._house.parts.world.files
        assert isinstance(files, FilesInMemory)
        return files.content(int(attachment["url"].split("/")[-2]))

    async def leave(self) -> None:
        """Closes the page."""
        self._house.parts.live._sockets[int(self.id)].discard(self._wire)


class IndoorBot(Bot):
    """The bot as a task of this process."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.lines: list[Any] = []
        self.life: AsyncExitStack | None = None
        self._base: sqlite3.Connection | None = None

    @property
    def log(self) -> str:
        """Everything that it has logged."""
        return "\n".join(
            " ".join(f"{'level' if name == 'log_level' else name}={value}" for name, value in line.items())
            for line in self.lines
        )

    def query_all(self, statements: Iterable[str]) -> list[list[tuple[Any, ...]]]:
        """Returns the rows of each of those questions. The file stays open: it is this test's own."""
        if isinstance(self.database, Address):
            return super().query_all(statements)
        self._base = self._base or sqlite3.connect(self.database, isolation_level=None)
        return [self._base.execute(sql).fetchall() for sql in statements]

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Runs a statement on the database beside the running bot and returns its rows."""
        return super().query(sql, *values) if values or not sql.startswith("SELECT") else self.query_all([sql])[0]

    def close(self) -> None:
        """Closes the file."""
        if self._base is not None:
            self._base.close()

    @property
    def running(self) -> bool:
        """True except between an end and a start."""
        return self.life is not None


class Indoors(House):
    """The world with the bot in it. Its clock stands until a test moves it."""

    bot: IndoorBot
    client: RoundTable
    parts: Parts

    def __init__(self, folder: Path, start: float) -> None:
        super().__init__(folder)
        self.time, self._opened_at = start, time.monotonic()
        self._ticking: asyncio.Task[None] | None = None

    @classmethod
    @asynccontextmanager
    async def at(cls, folder: Path, start: float) -> AsyncIterator[Self]:
        """Opens the house at that time."""
        house = cls(folder, start)
        async with AsyncExitStack() as stack:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(AsyncWebhookAdapter, "request", _request_of_webhook)
                patch.setattr(client, "know_commands", lambda _: None)  # else the tests' own texts would name them
                patch.setattr(client, "freeze_garbage_collector", lambda: None)  # a second's work in a full process
                patch.setattr(views, "_option", _remembering_options())
                for kind, payload in PAYLOADS.items():
                    patch.setattr(kind, "get_translated_payload", payload)
                patch.setattr(WALL_CLOCK, "_wall", lambda: house.time)
                patch.setattr(WALL_CLOCK, "_steady", lambda: house.time)
                patch.setattr(WALL_CLOCK, "_lead", None)  # what the house notes ends with it
                await house._furnish_indoors(stack)
                yield house

    async def _furnish_indoors(self, stack: AsyncExitStack) -> None:
        world = World.load(FilesInMemory(), self._discords_time)
        founding.settle(world, SANDBOX_PROFILE)
        for guild in tuple(world.guilds.values()):
            world.put(replace(guild, community=True))
        faults = Faults(Hardness(answer_within=self.answer_within))
        live = Live(world)
        gateway = Gateway(world, faults, lambda: live.presence(online=gateway.online))
        self.parts = Parts(world, gateway, live, self._check, faults)
        self.server = SimpleNamespace(world=world, gateway=gateway, faults=faults, requests=self.parts.requests)  # type: ignore[assignment]
        stack.callback(self.parts.close)
        self.bot = IndoorBot(self._folder)
        stack.callback(self.bot.close)
        self.bot.lines = stack.enter_context(capture_logs([format_exc_info]))
        await self.start_bot()
        stack.push_async_callback(self.kill_bot)

    async def start_bot(self) -> None:
        """Opens the database, and brings a new client online."""
        await self.furnish()
        timings = replace(
            hasty_timings(),
            tick_interval_s=NEVER_S,
            question_interval_s=0,
            first_edit_delay_s=0,
            old_edit_pause_s=0,
            # A test that reads the database stops the bot's loop, for seconds on a busy machine.
            defer_after_s=30,
            database_answer_timeout_s=30,
            lock_valid_s=30,
            session_dropped_s=60,
        )
        async with AsyncExitStack() as life:
            store = await life.enter_async_context(Store.open(self.bot.database, timings=timings))
            pictures = life.enter_context(ColdPictures(timings))
            self.client = await life.enter_async_context(RoundTable(store, pictures, timings=timings))
            self.bot.life = life.pop_all()
        await self._connect(self.client)

    async def kill_bot(self) -> None:
        """Ends the client. What it is answering is finished first: only a `House` really kills."""
        life, self.bot.life = self.bot.life, None
        self.parts.gateway._sockets.clear()
        if self._ticking:
            self._ticking.cancel()
        if life:
            await life.aclose()

    async def stop_bot(self) -> int:
        """Ends the client as `kill_bot` does."""
        await self.kill_bot()
        return 0

    async def _connect(self, bot: RoundTable) -> None:
        """Brings the bot online, as READY and the servers' events do."""
        state, gateway = bot._connection, self.parts.gateway
        bot.http.request = self.serve  # type: ignore[method-assign]
        bot.http._HTTPClient__session = self  # type: ignore[attr-defined]

        def hear(frame: Json) -> None:
            if hear_event := state.parsers.get(frame["t"]):
                hear_event(frame["d"] | {"__shard_id__": 0})

        line: Any = Wire(hear)
        gateway._sockets.add(line)
        socket = SimpleNamespace(open=True, session_id=None, request_chunks=partial(self._ask_for_members, line))
        shards: Any = {0: SimpleNamespace(id=0, ws=socket, close=self.close)}
        bot._AutoShardedClient__shards = shards  # type: ignore[attr-defined]
        state._get_websocket = lambda *_, **__: socket  # type: ignore[assignment]
        state.shard_count = bot.shard_count = 1
        state.shard_ids = [0]
        self._tell_time()
        await bot.tree.set_translator(CatalogueTranslator())
        state.application_id = BOT_ID
        await bot.context.servers.load_all()
        await bot.add_all_cogs()
        gateway._identify(line, {"token": TOKEN, "intents": GUILDS, "shard": [0, 1]})
        await bot.wait_until_ready()
        assert await bot.sync_if_changed(), self.bot.log

    async def close(self) -> None:
        """Does nothing: there is no connection."""

    async def _ask_for_members(self, line: Any, guild_id: int, **given: Any) -> None:
        wanted = {name: value for name, value in given.items() if value is not None}
        self.parts.gateway._ask_for_members(line, {"guild_id": guild_id, **wanted})

    async def serve(
        self, route: Route, *, form: Any = None, files: Any = None, params: Any = None, **given: Any
    ) -> Any:
        """Does what Discord does with such a request."""
        template, found, handler = REST.find(route.method, route.url.removeprefix(Route.BASE).partition("?")[0])
        query = {key: str(value) for key, value in (params or {}).items()}
        body, uploads = given.get("json"), dict[int, tuple[str, bytes]]()
        for part in form or ():
            if part["name"] == "payload_json":
                body = json.loads(part["value"])
            else:
                number = int(part["name"].removeprefix("files[").removesuffix("]"))
                uploads[number] = (part["filename"], part["value"].read())
        body = None if body is None else parse_json(dumps(body))
        await asyncio.sleep(0)
        try:
            if body is not None:
                check_payload(self.parts, route.method, template, body)
            answer = handler(Call(self.parts, found, query, body, uploads))
            self.parts.requests.note(f"{route.method} {template}", 200)
            return None if answer is None else json.loads(dumps(answer))
        except Refusal as refusal:
            self.parts.requests.note(f"{route.method} {template}", refusal.status)
            response: Any = SimpleNamespace(status=refusal.status, reason="", headers={})
            raise ERRORS.get(refusal.status, discord.HTTPException)(response, refusal.body()) from refusal

    async def join(self, name: str) -> Person:
        """Returns the person of that name, with the page open."""
        world = self.parts.world
        me = next(one for one in world.people.values() if one.name == name and not one.bot)
        person = Visitor(self, {"id": me.id, "name": name})
        self.parts.live._sockets.setdefault(me.id, set()).add(person._wire)
        self.parts.live.state(me)
        return person

    @property
    def url(self) -> str:
        """There is none."""
        return ""

    @property
    def now(self) -> int:
        """The time of day, in unix seconds."""
        return int(self.time)

    @now.setter
    def now(self, instant: int) -> None:
        self.time = instant
        self._tell_time()

    def _discords_time(self) -> float:
        """Discord's own clock goes on: the ids of menus come from it."""
        return self.time + time.monotonic() - self._opened_at

    @property
    def clock(self) -> Self:
        """Has the time of day, as that of a `ClockHouse`."""
        return self

    async def set_clock(self, instant: int) -> None:
        """Sets the clock, then waits as `move_clock` does."""
        await self.move_clock(instant - self.now)

    async def move_clock(self, seconds: int) -> None:
        """Moves the clock, as if the bot had been there all the time, and does what then is due."""
        self.now += seconds
        if not self.bot.running:
            return
        presence = self.client.context.service.presence
        if presence._last_seen_at is not None and not presence._away_since:
            presence._last_seen_at = self.now
        await self.tick()

    async def tick(self) -> None:
        """Waits for a whole tick and its posts."""
        ticker = self.client.get_cog(Ticker.__cog_name__)
        assert isinstance(ticker, Ticker)
        await self.rest(ticker)
        await ticker.tick()
        await self.rest(ticker)

    def tick_beside(self) -> None:
        """Begins a tick, unless one goes on."""
        if self.bot.running and (self._ticking is None or self._ticking.done()):
            self._ticking = asyncio.create_task(self.tick())

    async def rest(self, ticker: Ticker) -> None:
        """Waits until nothing is to be posted."""
        context = ticker._context
        waking = context.announcements_due, context.jobs_due
        while ticker._lanes or any(one.is_set() for one in waking) or not context.background.is_idle:  # noqa: ASYNC110
            await asyncio.sleep(0.001)

    async def until(self, come_true: Callable[[], bool], what: str) -> None:
        """Waits until the condition is true."""
        for patience in range(5_000):
            if come_true():
                return
            await asyncio.sleep(0.004)  # each look may ask the database
            if patience % 12 == 11:  # as the bot itself does twice a minute
                await self.tick()
        raise AssertionError(f"not {what}:\n{self.bot.log[-3000:]}")

    def _tell_time(self) -> None:
        """Lets the bot's clock know that it agrees with Discord's."""
        WALL_CLOCK.note_date(formatdate(self.time, usegmt=True))


async def _request_of_webhook(
    _: AsyncWebhookAdapter, route: Route, session: Any, *, payload: Any = None, multipart: Any = None, **given: Any
) -> Any:
    """Hands an answer's request to the house, which stands in the place of the session."""
    return await session.serve(route, json=payload, form=multipart, params=given.get("params"))
