"""Events of the gateway that discord.py cannot parse: each is logged with its type, and the others go on.

discord.py 2.7.1 ends the client, with all of its servers, at the first error that parsing an event raises.
"""

from __future__ import annotations

import json
from typing import Any

import aiohttp
import discord
import discord.shard
import structlog
from discord.errors import ConnectionClosed
from discord.gateway import DiscordWebSocket, ReconnectWebSocket, WebSocketClosure

from bot.core.log_limiter import LogLimiter

log = structlog.get_logger()

REQUIRED_EVENTS = ("HELLO", "READY")
"""What a session cannot do without: where it cannot be parsed, another session is begun, after a pause."""

_HELLO = 10
_RECONNECT_ERRORS = (ReconnectWebSocket, WebSocketClosure, ConnectionClosed, OSError, aiohttp.ClientError, TimeoutError)
"""What discord.py itself raises while it reads, and what its own reconnecting takes care of."""

_TRACEBACK_LIMIT = LogLimiter()


class ServerCopy:
    """A server as discord.py knew it before an event.

    An event that cannot be parsed leaves it half changed: without roles, for example, and so without any permission.
    """

    def __init__(self, guild: discord.Guild) -> None:
        self._guild = guild
        slots = (slot for base in type(guild).__mro__ for slot in getattr(base, "__slots__", ()))
        known = {slot: getattr(guild, slot) for slot in slots if hasattr(guild, slot)}
        self._known = {slot: dict(value) if isinstance(value, dict) else value for slot, value in known.items()}

    def restore(self) -> None:
        """Let discord.py know the server as it was."""
        for slot, value in self._known.items():
            setattr(self._guild, slot, value)


class TolerantGateway(DiscordWebSocket):
    """discord.py's connection to the gateway, which outlives what it cannot parse."""

    _frame: str | None = None
    _server: ServerCopy | None = None

    def log_receive(self, frame: Any, /) -> None:
        """Note the frame that is parsed next, and the server that it is about to change."""
        self._frame = frame
        kind, server = _type_and_server(frame) if "GUILD_" in frame else ("", None)
        known = server and server.isdecimal() and kind in ("GUILD_CREATE", "GUILD_UPDATE")
        guild = self._connection._get_guild(int(server)) if server and known else None
        self._server = ServerCopy(guild) if guild else None

    async def received_message(self, msg: Any, /) -> None:
        """Parse a frame. Raises ConnectionError where the session cannot go on without it."""
        self._frame = None
        try:
            await super().received_message(msg)
        except _RECONNECT_ERRORS:
            raise
        except Exception as error:  # noqa: BLE001 - whatever one event raises, the others must come through
            if self._server:
                self._server.restore()
            await self._log_unparsed(error)
        finally:
            self._frame = self._server = None

    async def _log_unparsed(self, error: Exception) -> None:
        """Log the error, with its traceback once an hour for each type of event."""
        kind, server = _type_and_server(self._frame)
        traced = error if _TRACEBACK_LIMIT.may_log_now(kind) else None
        log.error("gateway event not parsed", type=kind, server=server, error=repr(error), exc_info=traced)
        if kind in REQUIRED_EVENTS or self._frame is None:  # without a frame the stream could not be unpacked
            await self.close(4000)
            raise ConnectionError(f"{kind} could not be parsed") from error


def use_tolerant_gateway() -> None:
    """Have discord.py's shards connect by a `TolerantGateway`."""
    setattr(discord.shard, "DiscordWebSocket", TolerantGateway)  # noqa: B010 - mypy knows it as a class


def _type_and_server(frame: str | None) -> tuple[str, str | None]:
    """The type of the event in that frame, and the number of its server where it has one."""
    try:
        payload = json.loads(frame or "")
        kind = "HELLO" if payload["op"] == _HELLO else str(payload["t"] or f"op {payload['op']}")
    except (ValueError, TypeError, KeyError):
        return "unreadable", None
    data = payload.get("d")
    if not isinstance(data, dict):
        return kind, None
    server = data.get("id") if kind in ("GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE") else data.get("guild_id")
    return kind, str(server) if server is not None else None
