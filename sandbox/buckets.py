"""Rate limits: buckets by route and channel that empty and refill, with Discord's headers and refusals.

Discord publishes its figures in headers only; these are figures that clients have seen there.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .discord_types import Json
from .errors import Code
from .request_counts import counts

_MESSAGES = "/channels/{channel_id}/messages"
_OLD = "PATCH /channels/{channel_id}/messages/{message_id}"


class Limit(NamedTuple):
    """A number of requests within a number of seconds, counted from the first request."""

    requests: int
    seconds: float


EVERYWHERE = Limit(50, 1.0)
"""The limit of all requests of the bot together, without answers to interactions."""
OLD_EDITS = Limit(3, 6.0)
"""The limit of edits of messages older than an hour, in one channel. No header announces it."""
OLD = 3600.0
"""Age in seconds from which a message counts as old."""
_OTHERS = Limit(10, 1.0)
_LIMITS: Mapping[str, Limit] = {
    f"POST {_MESSAGES}": Limit(5, 5.0),
    _OLD: Limit(5, 5.0),
    f"DELETE {_MESSAGES}/{{message_id}}": Limit(5, 1.0),
    f"GET {_MESSAGES}": Limit(5, 5.0),
    "PATCH /channels/{channel_id}": Limit(5, 5.0),
    "POST /channels/{channel_id}/threads": Limit(10, 10.0),
    f"POST {_MESSAGES}/{{message_id}}/threads": Limit(10, 10.0),
    "GET /guilds/{guild_id}/members/{user_id}": Limit(5, 1.0),
    "POST /users/@me/channels": Limit(10, 10.0),
    "PUT /applications/{application_id}/commands": Limit(5, 20.0),
    "POST /webhooks/{webhook_id}/{webhook_token}": Limit(5, 2.0),
    "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original": Limit(5, 2.0),
}
_UNLIMITED = ("POST /interactions/", "GET /gateway")
"""Requests whose answers have no headers about limits."""
_PLACES = ("channel_id", "guild_id", "webhook_id", "webhook_token")
"""The parts of an address that have buckets of their own: Discord's major parameters."""


@dataclass
class _Bucket:
    limit: Limit
    left: int
    until: float

    def take(self, now: float, pace: float) -> bool:
        """Takes one request out of the bucket. Returns False if it is empty."""
        if now >= self.until:
            self.left, self.until = self.limit.requests, now + self.limit.seconds / pace
        if self.left == 0:
            return False
        self.left -= 1
        return True

    def left_for(self, now: float, pace: float) -> float:
        """Returns the seconds until the bucket is full, for a bot that waits a `pace`-th of what the headers say."""
        return max(0.0, self.until - now) * pace


class RateVerdict(NamedTuple):
    """What the limits add to an answer: its headers, and the body of a 429 if the request is refused."""

    headers: Mapping[str, str]
    refusal: Json | None = None


@dataclass
class Buckets:
    """The limits and their state. Times are those of the monotonic clock, not of the world's."""

    clock: Callable[[], float] = time.monotonic
    _full: dict[tuple[str, ...], _Bucket] = field(default_factory=dict)

    def take(self, asked: str, ids: Mapping[str, str], *, age: float = 0.0, pace: float = 1.0) -> RateVerdict:
        """Returns the verdict on a request for "METHOD template" with these ids.

        `age` is that of the message that the request names, in seconds; `pace`: see `Hardness`.
        """
        now = self.clock()
        if asked.startswith(_UNLIMITED):
            return RateVerdict({})
        if counts(asked):
            whole = self._bucket(("everywhere",), EVERYWHERE)
            if not whole.take(now, pace):
                return refuse_for(whole.left_for(now, pace), everywhere=True)
        place = tuple(f"{name}={ids[name]}" for name in _PLACES if name in ids)
        bucket = self._bucket((asked, *place), _LIMITS.get(asked, _OTHERS))
        old = self._bucket(("old edits", *place), OLD_EDITS)
        verdict = RateVerdict({})
        if not bucket.take(now, pace):
            verdict = refuse_for(bucket.left_for(now, pace))
        elif asked == _OLD and age > OLD and not old.take(now, pace):
            verdict = refuse_for(old.left_for(now, pace), Code.OLD_EDITS)
        return RateVerdict({**_headers(asked, bucket, now, pace), **verdict.headers}, verdict.refusal)

    def _bucket(self, key: tuple[str, ...], limit: Limit) -> _Bucket:
        return self._full.setdefault(key, _Bucket(limit, 0, 0.0))


def _headers(asked: str, bucket: _Bucket, now: float, pace: float) -> dict[str, str]:
    left = bucket.left_for(now, pace)
    return {
        "X-RateLimit-Limit": str(bucket.limit.requests),
        "X-RateLimit-Remaining": str(bucket.left),
        "X-RateLimit-Reset": f"{time.time() + left:.3f}",
        "X-RateLimit-Reset-After": f"{left:.3f}",
        "X-RateLimit-Bucket": hashlib.md5(asked.encode(), usedforsecurity=False).hexdigest(),
        "Via": "1.1 google",
    }


def refuse_for(left: float, code: Code | None = None, *, everywhere: bool = False) -> RateVerdict:
    """Returns the refusal of a request that may come again after that many seconds."""
    left = round(max(0.001, left), 3)
    body: Json = {"message": "You are being rate limited.", "retry_after": left, "global": everywhere}
    if code is not None:
        body |= {"message": code.value[2], "code": code.number}
    headers = {"Via": "1.1 google", "Retry-After": str(math.ceil(left))}
    headers["X-RateLimit-Scope"] = "global" if everywhere else "user"
    if everywhere:
        headers["X-RateLimit-Global"] = "true"
    return RateVerdict(headers, body)
