"""A loopback Discord reduced to its surface: it answers at once, stores nothing, and notes when the bot answered.

The sandbox checks and stores everything; a measurement of the bot with it would mostly measure the sandbox.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter
from types import SimpleNamespace
from typing import Any

from aiohttp import WSMsgType, web

from sandbox import payloads
from sandbox.discord_types import Channel, Guild, User
from sandbox.world import BOT_ID

Json = dict[str, Any]
BOT = User(BOT_ID, "Round Table", bot=True)

FIRST = 1200000000000000000
STEP = 1 << 22
CHANNELS = 12
MEMBERS = 20


def guild_id(number: int) -> int:
    """Returns the id of the `number`th server, from 0."""
    return FIRST + number * STEP


def channel_id(guild: int, number: int = 0) -> int:
    """Returns the id of a channel of that server."""
    return guild_id(guild) + 1000 + number


def user_id(guild: int, number: int) -> int:
    """Returns the id of a member of that server, who is in no other."""
    return guild_id(guild) + 2000 + number % MEMBERS


@dataclass(eq=False)
class Asked:
    """An interaction: the times of sending, first answer and last answer, in seconds of `perf_counter`."""

    sent: float
    first: asyncio.Future[float]
    last: asyncio.Future[float]


@dataclass(eq=False)
class DiscordStub:
    """The server. `url` is its root; `strange` collects unknown requests."""

    guilds: int
    url: str = ""
    strange: Counter[str] = field(default_factory=Counter)
    uploads: Counter[int] = field(default_factory=Counter)
    """The number of new messages, by channel."""
    online: asyncio.Event = field(default_factory=asyncio.Event)
    _posted: asyncio.Event = field(default_factory=asyncio.Event)
    _socket: web.WebSocketResponse | None = None
    _asked: dict[str, Asked] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=lambda: count(FIRST + (1 << 40)))
    _said: int = 0

    @classmethod
    @asynccontextmanager
    async def serve(cls, guilds: int) -> AsyncIterator[DiscordStub]:
        """Runs a server with so many guilds."""
        discord = cls(guilds)
        application = web.Application(client_max_size=1 << 25)
        application.add_routes(
            [
                web.get("/gateway", discord._talk),
                web.post("/api/v10/interactions/{id}/{token}/callback", discord._answer),
                web.patch("/api/v10/webhooks/{id}/{token}/messages/@original", discord._complete),
                web.post("/api/v10/webhooks/{id}/{token}", discord._complete),
                web.post("/api/v10/channels/{id}/messages", discord._post),
                web.patch("/api/v10/channels/{id}/messages/{message}", discord._edit),
                web.get("/api/v10/gateway/bot", discord._gateway),
                web.get("/api/v10/users/@me", discord._me),
                web.get("/api/v10/oauth2/applications/@me", discord._me),
                web.put("/api/v10/applications/{id}/commands", discord._commands),
                web.route("*", "/{path:.*}", discord._unknown),
            ]
        )
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        discord.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield discord
        finally:
            if discord._socket is not None:
                await discord._socket.close()
            await runner.cleanup()

    async def command(self, guild: int, user: int, name: str, **options: str) -> Asked:
        """Sends a slash command of a member in the first channel of their server."""
        inner: list[Json] = [{"name": key, "type": 3, "value": value} for key, value in options.items()]
        first, *words = name.split(" ")
        for word in reversed(words):
            inner = [{"name": word, "type": 1, "options": inner}]
        return await self._ask(
            guild, user, {"type": 2, "data": {"id": "7", "name": first, "type": 1, "options": inner}}
        )

    async def press(self, guild: int, user: int, custom_id: str, *values: str) -> Asked:
        """Sends a member's press of a button, or their choice of these values in a menu, below a message of the bot."""
        pressed: Json = {"custom_id": custom_id, "component_type": 3 if values else 2, "values": list(values)}
        message = _message(next(self._numbers), channel_id(guild))
        return await self._ask(guild, user, {"type": 3, "data": pressed, "message": {**message, "flags": 64}})

    async def _ask(self, guild: int, user: int, given: Json) -> Asked:
        token, loop = f"token-{next(self._numbers)}", asyncio.get_running_loop()
        payload = {**_interaction(guild, user), "id": str(next(self._numbers)), "token": token, **given}
        asked = self._asked[token] = Asked(perf_counter(), loop.create_future(), loop.create_future())
        await self._tell("INTERACTION_CREATE", payload)
        return asked

    async def until(self, come_true: Callable[[], bool]) -> None:
        """Waits until the condition, which is checked after each upload, is true."""
        while not come_true():
            self._posted.clear()
            await self._posted.wait()

    async def _tell(self, event: str, payload: Json) -> None:
        assert self._socket is not None
        self._said += 1
        await self._socket.send_str(json.dumps({"op": 0, "t": event, "s": self._said, "d": payload}))

    async def _talk(self, request: web.Request) -> web.StreamResponse:
        self._socket = socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 41250}})
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                break
            said = json.loads(frame.data)
            match said["op"]:
                case 1:
                    await socket.send_json({"op": 11, "d": None})
                case 2:
                    await self._welcome()
                case 8:
                    await self._tell("GUILD_MEMBERS_CHUNK", _members(said["d"]))
        self.online.clear()
        return socket

    async def _welcome(self) -> None:
        """Sends READY and every server."""
        ready = {
            "v": 10,
            "user": payloads.user(BOT),
            "guilds": [{"id": str(guild_id(number)), "unavailable": True} for number in range(self.guilds)],
            "session_id": "discord",
            "resume_gateway_url": self.url.replace("http", "ws", 1) + "/gateway",
            "application": {"id": str(BOT_ID), "flags": 0},
            "private_channels": [],
            "shard": [0, 1],
        }
        await self._tell("READY", ready)
        for number in range(self.guilds):
            await self._tell("GUILD_CREATE", _guild(number))
        self.online.set()

    async def _answer(self, request: web.Request) -> web.Response:
        heard = perf_counter()
        asked = self._asked[request.match_info["token"]]
        if not asked.first.done():  # asked again, where an answer was slow
            asked.first.set_result(heard)
        kind = json.loads(await _payload(request))["type"]
        number = next(self._numbers)
        described = {"id": request.match_info["id"], "type": 2, "response_message_id": str(number)}
        if kind not in (4, 7, 9):
            return _json({"interaction": described})
        if not asked.last.done():
            asked.last.set_result(heard)
        if kind == 9:
            return _json({"interaction": described})
        return _json({"interaction": described, "resource": {"type": 4, "message": _message(number, channel_id(0))}})

    async def _complete(self, request: web.Request) -> web.Response:
        heard = perf_counter()
        asked = self._asked[request.match_info["token"]]
        if not asked.last.done():
            asked.last.set_result(heard)
        await request.read()
        return _json(_message(next(self._numbers), channel_id(0)))

    async def _post(self, request: web.Request) -> web.Response:
        await request.read()
        place = int(request.match_info["id"])
        self.uploads[place] += 1
        self._posted.set()
        return _json(_message(next(self._numbers), place))

    async def _edit(self, request: web.Request) -> web.Response:
        await request.read()
        return _json(_message(int(request.match_info["message"]), int(request.match_info["id"])))

    async def _gateway(self, request: web.Request) -> web.Response:
        starts = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
        where = self.url.replace("http", "ws", 1) + "/gateway"
        return _json({"url": where, "shards": 1, "session_start_limit": starts})

    async def _me(self, request: web.Request) -> web.Response:
        about = {
            "name": "Round Table",
            "description": "",
            "summary": "",
            "bot_public": True,
            "verify_key": "",
            "icon": None,
        }
        return _json(
            {**payloads.user(BOT), **about, "bot_require_code_grant": False, "owner": payloads.user(BOT), "flags": 0}
        )

    async def _commands(self, request: web.Request) -> web.Response:
        given = await request.json()
        common = {"application_id": str(BOT_ID), "version": "1", "default_member_permissions": None}
        return _json(
            [{"type": 1, "description": "", **one, **common, "id": str(number)} for number, one in enumerate(given, 1)]
        )

    async def _unknown(self, request: web.Request) -> web.Response:
        self.strange[f"{request.method} {request.path}"] += 1
        return _json({"code": 0, "message": "404: Not Found"}, status=404)


def _json(payload: object, status: int = 200) -> web.Response:
    # discord.py reads exactly this type as JSON.
    return web.Response(body=json.dumps(payload).encode(), status=status, headers={"Content-Type": "application/json"})


async def _payload(request: web.Request) -> str:
    """Returns the JSON of a request, with or without files."""
    if not request.content_type.startswith("multipart/"):
        return await request.text()
    return str((await request.post())["payload_json"])


def _member(guild: int, user: int) -> Json:
    return payloads.member(Guild(guild, "Guild"), User(user, f"Member {user}"))


def _members(asked: Json) -> Json:
    """Returns the data of GUILD_MEMBERS_CHUNK for that request."""
    guild = int(asked["guild_id"])
    found = [_member(guild, int(user)) for user in asked["user_ids"]]
    return {"guild_id": str(guild), "members": found, "chunk_index": 0, "chunk_count": 1, "nonce": asked["nonce"]}


def _guild(number: int) -> Json:
    """Returns the data of GUILD_CREATE."""
    guild = Guild(guild_id(number), f"Server {number}", members=(BOT_ID,))
    ids = [channel_id(number, index) for index in range(CHANNELS)]
    channels = {one: Channel(one, guild.id, f"channel-{index}") for index, one in enumerate(ids)}
    world: Any = SimpleNamespace(people={BOT_ID: BOT}, channels=channels, last_message=lambda _: None)
    return {**payloads.whole_guild(world, guild), "member_count": MEMBERS}


def _interaction(guild: int, user: int) -> Json:
    place, server = str(channel_id(guild)), str(guild_id(guild))
    rights = str((1 << 50) - 1)
    return {
        "application_id": str(BOT_ID),
        "version": 1,
        "channel_id": place,
        "channel": {"id": place, "type": 0, "guild_id": server, "name": "channel-0", "permissions": rights},
        "app_permissions": rights,
        "locale": "en-US",
        "guild_locale": "en-US",
        "entitlements": [],
        "attachment_size_limit": 10485760,
        "guild_id": server,
        "guild": {"id": server, "locale": "en-US", "features": []},
        "member": {**_member(int(server), user_id(guild, user)), "permissions": rights},
        "context": 0,
        "authorizing_integration_owners": {"0": server},
    }


def _message(number: int, place: int) -> Json:
    nothing: Json = {name: [] for name in ("mentions", "mention_roles", "attachments", "embeds", "components")}
    return {
        "id": str(number),
        "channel_id": str(place),
        "author": payloads.user(BOT),
        "type": 0,
        "content": "",
        "timestamp": payloads.born(number),
        "edited_timestamp": None,
        "tts": False,
        "pinned": False,
        "mention_everyone": False,
        "flags": 0,
        **nothing,
    }
