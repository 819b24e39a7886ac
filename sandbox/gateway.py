"""The gateway, version 10: IDENTIFY, heartbeats, events of servers, and RESUME with the events that were missed."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from aiohttp import WSMsgType, web

from . import payloads
from .discord_types import Json
from .faults import CONNECT, Faults
from .sessions import Close, Op, Session
from .sockets import OutboxSocket, dumps, open_socket, parse_json
from .world import BOT_ID, World

TOKEN = "MTEwMDAwMDAwMDAwMDAwMDAwMQ.sandbox.loopback"  # noqa: S105 - public: it opens nothing but the sandbox
"""The bot token that the sandbox accepts."""
HEARTBEAT = 41.25  # seconds, Discord's own figure
_RESUMABLE = 180.0  # seconds for which a session can be resumed; Discord gives no figure
_LOOSE = 0.4  # seconds of delay of loose events, at most
_TWICE = 0.05  # the share of events that come twice
_GUILDS = 1
"""The bot's only intent. There are no events of messages, members or presence."""
STARTS = 1000
"""IDENTIFYs a day; a bot with more of them loses its token."""
_DAY = 86400.0
_MAX_REQUESTED_MEMBERS = 100  # in one request

_log = logging.getLogger(__name__)


class Gateway:
    """All sessions of the bot, of all its processes. `on_presence` is called when it goes online or offline.

    `shards` are what the bot is advised to open; `members_asked` has the ids of each request for members.
    """

    def __init__(self, world: World, faults: Faults, on_presence: Callable[[], None]) -> None:
        self._world = world
        self._faults = faults
        self._on_presence = on_presence
        self.shards = 1
        self.members_asked: list[tuple[int, ...]] = []
        self._sessions: dict[str, Session] = {}
        self._sockets: set[OutboxSocket] = set()
        self._starts: list[float] = []
        self._identified = -math.inf

    @property
    def online(self) -> bool:
        """Whether the bot is connected and identified."""
        return bool(self.live)

    @property
    def live(self) -> Counter[tuple[int, int]]:
        """The number of connected sessions of each (shard, number of shards)."""
        return Counter((one.shard, one.shards) for one in self._sessions.values() if one.socket is not None)

    def dispatch(self, event: str, payload: Json) -> None:
        """Sends an event to all sessions of the server, also to those that may still resume."""
        text = dumps(payload)
        of_guild = "guild_id" in payload or not event.startswith("GUILD_")
        guild_id = int(payload.get("guild_id", 0) if of_guild else payload["id"])
        for session in self._sessions.values():
            if session.serves(guild_id):
                self._tell(session, event, text)

    def tell_anything(self, event: str, text: str) -> None:
        """Sends an event of any name and data to every session, as a newer Discord may."""
        for session in self._sessions.values():
            session.tell(event, text)

    def say_anything(self, frame: str) -> None:
        """Sends any frame, valid JSON or not, over every connection."""
        for socket in tuple(self._sockets):
            socket.say(frame)

    def _tell(self, session: Session, event: str, text: str) -> None:
        """Sends an event at once, or late, out of order or twice if the hardness says so."""
        hardness, chance = self._faults.hardness, self._faults.chance
        if hardness.loose_events:
            self._world.after(chance.uniform(0, _LOOSE), partial(session.tell, event, text))
            if chance.random() < _TWICE:
                self._world.after(chance.uniform(0, _LOOSE), partial(session.tell, event, text))
        elif event == "INTERACTION_CREATE" and hardness.jitter[1]:
            self._world.after(chance.uniform(*hardness.jitter), partial(session.tell, event, text))
        else:
            session.tell(event, text)

    def cut(self) -> None:
        """Breaks every connection without a close frame, as a network does; the sessions can be resumed."""
        for socket in tuple(self._sockets):
            socket.cut()

    def forget_sessions(self) -> None:
        """Forgets every session, as a restart does: RESUME will be refused with op 9."""
        self._sessions.clear()

    def close(self) -> None:
        """Closes every connection."""
        for socket in tuple(self._sockets):
            socket.hang_up(Close.GOING_AWAY)

    @property
    def starts_left(self) -> int:
        """How many IDENTIFYs the bot has left today."""
        return STARTS - len(self._today())

    @property
    def starts_reset_after(self) -> float:
        """Seconds until all IDENTIFYs of a day are available again."""
        return self._today()[-1] + _DAY - self._world.clock() if self._today() else 0.0

    def _today(self) -> list[float]:
        self._starts = [one for one in self._starts if one > self._world.clock() - _DAY]
        return self._starts

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Talks with one connection of the bot until it ends."""
        return await self._faults.serve(CONNECT, request, self._talk)

    async def _talk(self, request: web.Request) -> web.WebSocketResponse:
        async with open_socket(request, self._sockets) as socket:
            socket.say(dumps({"op": Op.HELLO, "d": {"heartbeat_interval": int(HEARTBEAT * 1000)}}))
            try:
                await self._listen(socket)
            finally:
                self._lose(socket)
        return socket.websocket

    def _lose(self, socket: OutboxSocket) -> None:
        """Ends the sessions of a closed socket; they can be resumed unless the bot closed it properly."""
        for session in [one for one in self._sessions.values() if one.socket is socket]:
            session.socket, session.died = None, time.monotonic()
            if socket.websocket.close_code in (Close.NORMAL, Close.GOING_AWAY):
                del self._sessions[session.id]
        self._on_presence()

    async def _listen(self, socket: OutboxSocket) -> None:
        while True:
            try:
                frame = await socket.websocket.receive(timeout=HEARTBEAT * 1.5)
            except TimeoutError:
                socket.hang_up(Close.TIMED_OUT)
                return
            if frame.type is not WSMsgType.TEXT:
                return
            try:
                said = parse_json(frame.data)
                code = self._hear(socket, Op(said["op"]), said.get("d"))
            except (ValueError, KeyError, TypeError):
                code = Close.DECODE_ERROR
            if code is not None:
                socket.hang_up(code)

    def _hear(self, socket: OutboxSocket, op: Op, given: Any) -> int | None:
        """Reacts to one frame. Returns a close code if the connection must end, else None."""
        known = any(session.socket is socket for session in self._sessions.values())
        match op:
            case Op.HEARTBEAT:
                # discord.py notes the time of its heartbeat after sending it: it would take an immediate answer
                # for one to the heartbeat before, and log a latency of 41 seconds.
                asyncio.get_running_loop().call_later(0.02, socket.say, dumps({"op": Op.ACK, "d": None}))
            case Op.IDENTIFY | Op.RESUME if given["token"] != TOKEN:
                return Close.AUTHENTICATION_FAILED
            case Op.IDENTIFY | Op.RESUME if self._faults.invalid_sessions > 0:
                self._faults.invalid_sessions -= 1
                socket.say(dumps({"op": Op.INVALID_SESSION, "d": False}))
            case Op.IDENTIFY if self._faults.identify_refused:
                return self._faults.identify_refused
            case Op.IDENTIFY if given["intents"] != _GUILDS:
                return Close.DISALLOWED_INTENTS
            case Op.IDENTIFY if self.starts_left <= 0:
                return Close.AUTHENTICATION_FAILED
            case Op.IDENTIFY if time.monotonic() - self._identified < self._faults.hardness.identify_every:
                socket.say(dumps({"op": Op.INVALID_SESSION, "d": False}))
            case Op.IDENTIFY:
                self._identified = time.monotonic()
                self._starts.append(self._world.clock())
                if late := self._faults.ready_after:
                    self._world.after(late, partial(self._identify, socket, given))
                else:
                    self._identify(socket, given)
            case Op.RESUME:
                self._resume(socket, given)
            case _ if not known:
                return Close.NOT_AUTHENTICATED
            case Op.REQUEST_MEMBERS:
                return self._ask_for_members(socket, given)
            case _:
                return Close.UNKNOWN_OPCODE
        return None

    def _ask_for_members(self, socket: OutboxSocket, given: Json) -> Close | None:
        """Answers a request for members by id, which needs no privileged intent; other requests get no answer."""
        asked = given.get("user_ids") or []
        numbers = asked if isinstance(asked, list) else [asked]
        guild = self._world.guilds.get(int(given["guild_id"]))
        session = next(one for one in self._sessions.values() if one.socket is socket)
        if "query" in given or guild is None or BOT_ID not in guild.members or not session.serves(guild.id):
            return None
        if len(numbers) > _MAX_REQUESTED_MEMBERS:
            return Close.DECODE_ERROR
        self.members_asked.append(tuple(int(number) for number in numbers))
        found = [self._world.people[number] for number in self.members_asked[-1] if number in guild.members]
        known = {str(person.id) for person in found}
        chunk: Json = {
            "guild_id": str(guild.id),
            "members": [payloads.member(guild, person) for person in found],
            "chunk_index": 0,
            "chunk_count": 1,
            "not_found": [number for number in map(str, numbers) if number not in known],
        }
        if given.get("nonce"):
            chunk["nonce"] = given["nonce"]
        if not self._faults.members_lost:
            # discord.py waits for them once its request is on its way; within one process they could come before.
            asyncio.get_running_loop().call_soon(session.tell, "GUILD_MEMBERS_CHUNK", dumps(chunk))
        return None

    def _identify(self, socket: OutboxSocket, given: Json) -> None:
        if socket not in self._sockets:
            return  # the bot has closed the connection while it waited
        session = Session(*_shard(given), socket=socket)
        since = time.monotonic() - _RESUMABLE  # else sessions that nobody resumes would collect events without end
        waiting = (one for one in self._sessions.values() if one.socket or one.died > since)
        self._sessions = {one.id: one for one in (*waiting, session)}
        world = self._world
        guilds = [one for one in world.guilds.values() if BOT_ID in one.members and session.serves(one.id)]
        ready: Json = {
            "v": 10,
            "user": {**payloads.user(world.people[BOT_ID]), "verified": True, "mfa_enabled": False, "email": None},
            "guilds": [{"id": str(guild.id), "unavailable": True} for guild in guilds],
            "session_id": session.id,
            "session_type": "normal",
            "resume_gateway_url": world.url.replace("http", "ws", 1) + "/gateway",
            "application": {"id": str(BOT_ID), "flags": 0},
            "private_channels": [],
            "relationships": [],
            "user_settings": {},
            "presences": [],
            "_trace": ["sandbox"],
        }
        if "shard" in given:
            ready["shard"] = given["shard"]
        while self._faults.ready_lacks:
            ready.pop(self._faults.ready_lacks.pop(), None)
        session.tell("READY", dumps(ready))
        for number, guild in enumerate((one for one in guilds if not one.away), 1):
            if late := number * self._faults.hardness.late_servers:
                self._world.after(late, partial(self._bring, session, guild.id))
            else:
                self._bring(session, guild.id)
        _log.debug("session %s identified", session.id)
        self._on_presence()

    def _bring(self, session: Session, guild_id: int) -> None:
        """Announces a server as it is now, unless the bot has been removed from it."""
        guild = self._world.guilds.get(guild_id)
        if guild is not None and BOT_ID in guild.members and not guild.away:
            session.tell("GUILD_CREATE", dumps(payloads.whole_guild(self._world, guild)))

    def _resume(self, socket: OutboxSocket, given: Json) -> None:
        session = self._sessions.get(given["session_id"])
        missed = session.missed(int(given["seq"])) if session is not None and given["seq"] is not None else None
        if session is None or missed is None:
            socket.say(dumps({"op": Op.INVALID_SESSION, "d": False}))
            return
        if session.socket is not None:  # the server has not noticed its end yet; the bot uses the new connection
            session.socket.hang_up(Close.GOING_AWAY)
        session.socket = socket
        for frame in missed:
            socket.say(frame)
        session.tell("RESUMED", dumps({"_trace": ["sandbox"]}))
        self._on_presence()


def _shard(given: Json) -> tuple[int, int]:
    """Returns the shard that IDENTIFY asks for, and the number of shards. Raises ValueError, TypeError."""
    number, count = given.get("shard", (0, 1))
    return int(number), int(count)
