"""The server: its routes, the page's files and attachments, and the guard against other pages and machines."""

from __future__ import annotations

import mimetypes
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from email.utils import formatdate
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from aiohttp import web

from . import answers, app, founding, rest
from .faults import Faults
from .gateway import Gateway
from .hardness import Hardness
from .limits.messages import LARGEST_FILE
from .live import Live
from .parts import Parts, PayloadCheck
from .profile import BotProfile
from .rest_commands import COMMAND_ROUTES
from .rest_guilds import GUILD_ROUTES
from .rest_interactions import INTERACTION_ROUTES
from .rest_messages import MESSAGE_ROUTES
from .rest_threads import THREAD_ROUTES
from .world import World
from .world_files import WorldFiles

PAGE = Path(__file__).parent / "page"
_LARGEST_REQUEST = 25 * 1024 * 1024
_SHOWN_INLINE = ("image/png", "image/gif", "image/jpeg", "image/webp")
_FILE_NAME = "{name:[\\w-]+(?:\\.[\\w-]+)+}"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
assert _LARGEST_REQUEST > LARGEST_FILE


class Sandbox:
    """A running sandbox.

    `url` is the address of its chat page; REST lies below /api/v10, the gateway at /gateway. Tests use `world`,
    `gateway` and `faults` to move the clock, break connections and fail requests; `requests` counts the bot's requests.
    """

    def __init__(self, parts: Parts, runner: web.AppRunner) -> None:
        self._parts = parts
        self._runner = runner
        self._closed = False
        self.world = parts.world
        self.gateway = parts.gateway
        self.faults = parts.faults
        self.requests = parts.requests

    @property
    def url(self) -> str:
        """The address, without a slash at the end."""
        return self.world.url

    @classmethod
    async def start(
        cls,
        folder: Path,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        check: PayloadCheck | None = None,
        clock: Callable[[], float] = time.time,
        hardness: Hardness | None = None,
        profile: BotProfile | None = None,
    ) -> Self:
        """Starts a server whose world lies in `folder`, which is made if need be. Port 0 takes a free one.

        `check` is called with every payload of the bot; `clock` returns the time in seconds since 1970; `hardness` says
        how unpleasant the server is at first; `profile` names what is in a new world, and may add to the page.
        Raises ValueError for a host that is not this machine alone; OSError if the port is taken or the folder
        cannot be used.
        """
        profile = profile or BotProfile()
        if not ip_address(host).is_loopback:
            raise ValueError(f"the sandbox listens on this machine only, not on {host}")
        world = _world(folder, clock)
        if not world.people:
            founding.settle(world, profile)
        live = Live(world)
        faults = Faults(hardness)
        gateway = Gateway(world, faults, on_presence=lambda: live.presence(online=gateway.online))
        parts = Parts(world, gateway, live, check, faults)
        # A compressed body would be unpacked before anything could refuse it.
        runner = web.AppRunner(
            _application(parts, profile), access_log=None, shutdown_timeout=2.0, auto_decompress=False
        )
        await _listen(runner, world, host, port)
        _resume_clocks(parts)
        return cls(parts, runner)

    def routes(self) -> Iterator[tuple[str, str]]:
        """Yields everything that is served: a method, "*" for all of them, and the template of a path."""
        for route in self._runner.app.router.routes():
            if route.resource is not None:
                yield route.method, route.resource.canonical

    async def close(self) -> None:
        """Closes all connections, the port and the files. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self._parts.close()
        await self._runner.cleanup()
        self.world.files.close()


def _world(folder: Path, clock: Callable[[], float]) -> World:
    """Returns the world in the folder. Raises OSError, with nothing left open."""
    try:
        with ExitStack() as held:
            held.callback((files := WorldFiles(folder)).close)
            world = World.load(files, clock)
            held.pop_all()
    except sqlite3.Error as error:
        raise OSError(f"the sandbox's world in {folder} cannot be used: {error}") from error
    return world


async def _listen(runner: web.AppRunner, world: World, host: str, port: int) -> None:
    """Opens the port, and sets the world's address. Raises OSError, with nothing left open."""
    try:
        await runner.setup()
        await web.TCPSite(runner, host, port).start()
    except OSError:
        await runner.cleanup()
        world.files.close()
        raise
    name = f"[{host}]" if ":" in host else host
    world.url = f"http://{name}:{runner.addresses[0][1]}"


def _application(parts: Parts, profile: BotProfile) -> web.Application:
    application = web.Application(client_max_size=_LARGEST_REQUEST, middlewares=[_guarded])

    async def add_date(_: web.Request, response: web.StreamResponse) -> None:
        response.headers["Date"] = formatdate((parts.faults.clock or parts.world.clock)(), usegmt=True)

    application.on_response_prepare.extend((_add_headers, add_date))
    application.add_routes(_routes(parts, profile))
    return application


def _routes(parts: Parts, profile: BotProfile) -> Iterator[web.RouteDef]:
    for table in (COMMAND_ROUTES, MESSAGE_ROUTES, THREAD_ROUTES, GUILD_ROUTES, INTERACTION_ROUTES):
        yield from rest.routes(parts, table)
    yield rest.refuse_others()
    yield from app.routes(parts)
    yield web.get("/gateway", parts.gateway.serve)
    yield web.get("/attachments/{channel_id:\\d+}/{file_id:\\d+}/{name}", partial(_attachment, parts))
    yield web.get("/", _index)
    yield web.get(f"/page/{_FILE_NAME}", partial(_file_in, PAGE))
    if profile.page is None:
        yield web.get("/extension/extension.js", _no_extension)
    else:
        yield web.get(f"/extension/{_FILE_NAME}", partial(_file_in, profile.page))


def _resume_clocks(parts: Parts) -> None:
    """Restarts the timers of a killed process, for unanswered interactions and for thinking messages."""
    for asked in tuple(parts.world.interactions.values()):
        if asked.answer is None and not asked.failed:
            answers.watch(parts, asked)
        elif asked.placeholder:
            answers.watch_placeholder(parts, asked)


@web.middleware
async def _guarded(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Refuses compressed bodies, requests for other host names than this server's loopback names,
    and scripts of other pages.

    Otherwise another web page could act for people here, by a form or by a name that resolves to 127.0.0.1.
    """
    if not _is_here(request.host, request):
        raise web.HTTPForbidden(text="wrong host")
    origin = request.headers.get("Origin")
    if origin is not None and (urlsplit(origin).scheme != "http" or urlsplit(origin).netloc != request.host):
        raise web.HTTPForbidden(text="wrong origin")
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise web.HTTPBadRequest(text="no compressed bodies")
    return await handler(request)


def _is_here(host: str, request: web.Request) -> bool:
    assert request.transport is not None
    port = request.transport.get_extra_info("sockname")[1]
    return host in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}")


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    headers = response.headers
    headers.setdefault("Content-Security-Policy", _POLICY.format(host=request.host))
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "no-referrer"
    headers.setdefault("Cache-Control", "no-store")


async def _index(_: web.Request) -> web.StreamResponse:
    return _file(PAGE / "index.html")


async def _file_in(folder: Path, request: web.Request) -> web.StreamResponse:
    return _file(folder / request.match_info["name"])


def _file(path: Path) -> web.StreamResponse:
    if not path.is_file():
        raise web.HTTPNotFound
    return web.FileResponse(path, headers={"Cache-Control": "no-cache"})


async def _no_extension(_: web.Request) -> web.StreamResponse:
    return web.Response(text="export {};\n", content_type="text/javascript")


async def _attachment(parts: Parts, request: web.Request) -> web.StreamResponse:
    """Returns an attachment's bytes: pictures to show, everything else to download."""
    path = parts.world.files.file(int(request.match_info["file_id"]))
    if path is None:
        raise web.HTTPNotFound
    kind = mimetypes.guess_type(request.match_info["name"])[0] or "application/octet-stream"
    headers = {"Content-Type": kind, "Cache-Control": "private, max-age=31536000, immutable"}
    if kind not in _SHOWN_INLINE:
        headers["Content-Disposition"] = "attachment"
        headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return web.FileResponse(path, headers=headers)
