"""Events of the gateway that discord.py cannot parse: each is logged with its type, and the other events still arrive.

discord.py 2.7.1 ends the client, with all its servers, at the first error raised while it parses an event.
"""

from __future__ import annotations

import json
import re
from typing import Any

import aiohttp
import discord
import discord.shard
import structlog
from discord.errors import ConnectionClosed
from discord.gateway import DiscordWebSocket, ReconnectWebSocket, WebSocketClosure

from bot.discordkit.metrics import LogLimiter
from bot.texts.markup import clean_payload

log = structlog.get_logger()

REQUIRED_EVENTS = ("HELLO", "READY")
"""Events that a session cannot do without. If one cannot be parsed, a new session begins after a pause."""

_HELLO = 10
_RECONNECT_ERRORS = (ReconnectWebSocket, WebSocketClosure, ConnectionClosed, OSError, aiohttp.ClientError, TimeoutError)
"""The errors that discord.py raises while it reads, and that its own reconnecting handles."""

_TRACEBACK_LIMIT = LogLimiter()


class TolerantGateway(DiscordWebSocket):
    """discord.py's connection to the gateway, which survives events that it cannot parse."""

    _frame: str | None = None

    def log_receive(self, frame: Any, /) -> None:
        """Notes the frame that is parsed next."""
        self._frame = frame

    async def received_message(self, msg: object, /) -> None:
        """Parses a frame. Raises ConnectionError if the session cannot continue without it."""
        self._frame = None
        try:
            await super().received_message(msg)
        except _RECONNECT_ERRORS:
            raise
        except Exception as error:  # noqa: BLE001 - the other events must come through after any error
            await self._log_unparsed(error)
        finally:
            self._frame = None

    async def _log_unparsed(self, error: Exception) -> None:
        """Logs the error; the traceback at most once an hour for each type of event."""
        kind = _event_type(self._frame)
        traced = error if _TRACEBACK_LIMIT.may_log_now(kind) else None
        log.error("gateway event not parsed", type=kind, error=repr(error), exc_info=traced)
        if kind in REQUIRED_EVENTS or self._frame is None:  # without a frame, the stream itself could not be unpacked
            await self.close(4000)
            raise ConnectionError(f"{kind} could not be parsed") from error


def use_tolerant_gateway() -> None:
    """Makes discord.py's shards connect through a `TolerantGateway`, and read JSON by `read_payload`."""
    setattr(discord.shard, "DiscordWebSocket", TolerantGateway)  # noqa: B010 - mypy knows it as a class
    setattr(discord.utils, "_from_json", read_payload)  # noqa: B010 - chosen by discord.py at import


def read_payload(written: str) -> object:
    """Returns an event or an answer of Discord's. All typed text comes in here: options, fields of forms, and names."""
    payload = json.loads(written)
    return clean_payload(payload) if _UNCLEAN.search(written) else payload


_UNCLEAN = re.compile(r"\\[bfru]|[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Matches JSON that `clean_payload` may change. Most has nothing of it, and a large server would take 40 ms."""


def _event_type(frame: str | None) -> str:
    """Returns the type of the event in that frame."""
    try:
        payload = json.loads(frame or "")
        return "HELLO" if payload["op"] == _HELLO else str(payload["t"] or f"op {payload['op']}")
    except (ValueError, TypeError, KeyError):
        return "unreadable"


def is_connected(client: discord.Client) -> bool:
    """Returns True if Discord can reach the client now, through at least one shard."""
    assert isinstance(client, discord.AutoShardedClient)
    return client.is_ready() and not all(shard.is_closed() for shard in client.shards.values())


def has_one_connection(client: discord.Client) -> bool:
    """Returns True if the client serves all its servers through one shard."""
    return not isinstance(client, discord.AutoShardedClient) or len(client.shards) == 1


def lost_shards(client: discord.Client) -> list[int]:
    """Returns the disconnected shards if there are several; none for a single shard, without which nobody can be
    reached at all.
    """
    if has_one_connection(client):
        return []
    assert isinstance(client, discord.AutoShardedClient)
    return [number for number, shard in client.shards.items() if shard.is_closed()]
