"""The gateway's numbers, and a session of the bot: the events that it has been sent."""

from __future__ import annotations

import secrets
from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum

from .sockets import OutboxSocket

_REMEMBERED = 1000  # events kept for RESUME


class Op(IntEnum):
    """The gateway's opcodes."""

    HEARTBEAT = 1
    IDENTIFY = 2
    RESUME = 6
    REQUEST_MEMBERS = 8
    INVALID_SESSION = 9
    HELLO = 10
    ACK = 11


class Close(IntEnum):
    """The gateway's close codes."""

    NORMAL = 1000
    GOING_AWAY = 1001
    UNKNOWN_OPCODE = 4001
    DECODE_ERROR = 4002
    NOT_AUTHENTICATED = 4003
    AUTHENTICATION_FAILED = 4004
    TIMED_OUT = 4009
    DISALLOWED_INTENTS = 4014


@dataclass(eq=False)
class Session:
    """A session of the bot. It outlives its connection: events are numbered and kept for RESUME."""

    shard: int = 0
    shards: int = 1
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    sequence: int = 0
    socket: OutboxSocket | None = None
    died: float = 0.0
    """When it lost its socket, in seconds of the monotonic clock; 0 if it never did."""
    _events: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))

    def serves(self, guild_id: int) -> bool:
        """Returns whether it gets that server's events; 0 stands for direct messages, which the first shard gets."""
        return (guild_id >> 22) % self.shards == self.shard

    def tell(self, event: str, text: str) -> None:
        """Sends an event with the JSON `text`, or keeps it until the bot resumes."""
        self.sequence += 1
        frame = f'{{"op":0,"t":"{event}","s":{self.sequence},"d":{text}}}'
        self._events.append((self.sequence, frame))
        if self.socket is not None:
            self.socket.say(frame)

    def missed(self, after: int) -> list[str] | None:
        """Returns the frames after a sequence number; None if they are forgotten or the number is unknown."""
        oldest = self._events[0][0] if self._events else self.sequence + 1
        if not oldest - 1 <= after <= self.sequence:
            return None
        return [frame for number, frame in self._events if number > after]
