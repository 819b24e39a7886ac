"""What every request to Discord passes: the gate, the pace, and what is done if its outcome is in doubt.

Nothing is sent while nothing can be stored, or while another process may be playing: a frozen, cut-off or slow process
may be taken for dead, and when it wakes, another one has done what it still had in hand.

Discord takes 50 requests a second from a bot, and counts what exceeds that as invalid. discord.py notices the limit
only after hitting it. Answers to interactions do not count, and never wait.

discord.py repeats a request after a 5xx or 429 of Discord's, but not over a connection that was reset, which is common:
Discord closes idle ones.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
from discord.http import HTTPClient, Route
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

from bot.core.timings import Timings


class GateShut(aiohttp.ClientError):
    """A request was not sent. Its caller treats that as an outage: it passes, or the client ends."""


_gate_bypassed: ContextVar[bool] = ContextVar("gate_bypassed", default=False)


@contextmanager
def bypass_gate() -> Iterator[None]:
    """Lets this task's requests through a shut gate, for an answer that Discord accepts from one process only."""
    before = _gate_bypassed.set(True)
    try:
        yield
    finally:
        _gate_bypassed.reset(before)


def shut_gate(trace: aiohttp.TraceConfig, shut_reason: Callable[[], str | None]) -> aiohttp.TraceConfig:
    """Returns the trace that makes a discord.py client send nothing while there is a reason, checked after everything
    else that a request waits for.

    Gateway connections pass: listening changes nothing, and a session that is not resumed in time is lost.
    """

    async def check_gate(_: object, request: SimpleNamespace, params: object) -> None:
        if isinstance(params, aiohttp.TraceRequestStartParams):
            request.listens = params.url.scheme in ("ws", "wss")
        if not (request.listens or _gate_bypassed.get()) and (reason := shut_reason()):
            raise GateShut(reason)

    trace.on_request_start.append(check_gate)
    trace.on_connection_create_end.append(check_gate)  # connecting takes time, so check again
    return trace


# The pace


REQUESTS_AT_ONCE = 5
"""Requests that may go at once after a rest."""

UNCOUNTED_PATHS = ("/interactions/", "/webhooks/")
"""Parts of the addresses by which interactions are answered."""


class RequestPacer:
    """Lets requests through one by one. Edits go last: they only tidy messages that stand already.

    `per_s`: requests in a second.
    """

    def __init__(self, per_s: float) -> None:
        self._rate, self._tokens = per_s, float(REQUESTS_AT_ONCE)
        self._refilled_at = 0.0
        self._queue_locks = {urgent: asyncio.Lock() for urgent in (True, False)}

    async def wait_turn(self, *, urgent: bool) -> None:
        """Waits for the turn of a request."""
        async with self._queue_locks[urgent]:
            needed = 1 if urgent else REQUESTS_AT_ONCE / 2
            while (missing := needed - self._refill_tokens()) > 0:  # noqa: ASYNC110 - only time refills it
                await asyncio.sleep(missing / self._rate)
            self._tokens -= 1

    def _refill_tokens(self) -> float:
        """Returns how many requests may go now."""
        now = asyncio.get_running_loop().time()
        self._tokens = min(self._tokens + (now - self._refilled_at) * self._rate, REQUESTS_AT_ONCE)
        self._refilled_at = now
        return self._tokens


def pace_requests(per_s: float) -> aiohttp.TraceConfig:
    """Returns the trace that makes a discord.py client keep the pace, repeated tries included."""
    pace, trace = RequestPacer(per_s), aiohttp.TraceConfig()

    async def wait_for_turn(_: object, __: object, params: aiohttp.TraceRequestStartParams) -> None:
        if not any(path_part in params.url.path for path_part in UNCOUNTED_PATHS):
            await pace.wait_turn(urgent=params.method != "PATCH")

    trace.on_request_start.append(wait_for_turn)
    return trace


# Requests whose outcome is in doubt: answers that got lost, posts without a nonce, and wrong 404s


NETWORK_ERRORS = (aiohttp.ClientError, ConnectionError, TimeoutError)
"""The errors of a request that Discord may or may not have received."""

ALREADY_ANSWERED_CODE = 40060
TOO_LATE_CODE = 10062


def is_outage(error: BaseException) -> bool:
    """True if the connection, a fault of Discord or its rate limit failed the request, so that a later
    try may succeed.
    """
    if isinstance(error, discord.HTTPException):
        return error.status >= 500 or error.status == 429
    return isinstance(error, (*NETWORK_ERRORS, discord.RateLimited))


@dataclass
class _Faults:
    """The faults of a task's requests in a block."""

    may_repeat: bool
    seen: bool = False


_faults: ContextVar[_Faults | None] = ContextVar("faults", default=None)


class OutcomeUnknown(aiohttp.ClientError):
    """Discord may have carried out a request, and would carry it out a second time."""


@contextmanager
def note_faults(*, may_repeat: bool = True) -> Iterator[_Faults]:
    """Within the block, notes whether Discord may have carried out a request of this task without saying so.

    Without `may_repeat`, discord.py does not repeat it then, but gets OutcomeUnknown. That serves posts without a
    nonce, which would appear twice; the block makes only one request.
    """
    faults = _Faults(may_repeat)
    before = _faults.set(faults)
    try:
        yield faults
    finally:
        _faults.reset(before)


def watch_for_faults(trace: aiohttp.TraceConfig) -> aiohttp.TraceConfig:
    """Returns the trace that makes a discord.py client respect `note_faults`."""

    async def refuse_repeat(*_: object) -> None:
        faults = _faults.get()
        if faults and faults.seen and not faults.may_repeat:
            raise OutcomeUnknown

    async def note_server_error(_: object, __: object, params: aiohttp.TraceRequestEndParams) -> None:
        if params.response.status >= 500:
            await note_fault()

    async def note_fault(*_: object) -> None:
        if faults := _faults.get():
            faults.seen = True

    trace.on_request_start.append(refuse_repeat)
    trace.on_request_end.append(note_server_error)
    trace.on_request_exception.append(note_fault)
    return trace


def retry_answers(on_taken: Callable[[int], None], timings: Timings) -> None:
    """Sends every answer of this task, and of the tasks that it starts, through a `RetryingAdapter`."""
    async_context.set(RetryingAdapter(on_taken, timings))


class RetryingAdapter(AsyncWebhookAdapter):
    """discord.py's requests by the token of an interaction, tried again if the connection is reset.

    Follow-ups are not tried again: nothing would keep Discord from posting them twice. `on_taken` gets the number of
    each interaction whose first answer Discord has taken.
    """

    def __init__(self, on_taken: Callable[[int], None], timings: Timings) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # discord.py's has no annotations
        self._on_taken = on_taken
        self._pauses_s = timings.answer_retry_pauses_s

    async def request(self, route: Any, session: aiohttp.ClientSession, **how: Any) -> object:
        """Returns what Discord returns. Raises what discord.py raises, after the last try."""
        is_follow_up = route.method == "POST" and not route.path.endswith("/callback")
        for pause in () if is_follow_up else self._pauses_s:
            try:
                return await super().request(route, session, **how)
            except NETWORK_ERRORS:
                await asyncio.sleep(pause)
                for file in how.get("files") or ():
                    file.reset(seek=True)  # one that was read already would be sent empty, without an error
        return await super().request(route, session, **how)

    async def create_interaction_response(self, interaction_id: int, token: str, **how: Any) -> Any:
        """Returns what Discord returns for a first answer; only the interaction if an earlier try had come through, or
        if the body says nothing.

        Discord takes one answer and refuses a second (40060). If no try got lost, another instance has answered.
        """
        reply: object = None
        with note_faults() as faults:
            try:
                reply = await super().create_interaction_response(interaction_id, token, **how)
            except discord.HTTPException as error:
                if error.code != ALREADY_ANSWERED_CODE or not faults.seen:
                    raise
        self._on_taken(interaction_id)
        is_told = isinstance(reply, dict) and "interaction" in reply
        return reply if is_told else {"interaction": {"id": str(interaction_id)}}


# Channels, threads and messages that are gone. What the bot does about a lost place cannot be undone.

_PLACE = re.compile(r"/channels/(\d+)(?:/messages/(\d+))?")
"""The part of an address that names a channel or thread, and perhaps a message in it."""


class StillThere(aiohttp.ClientError):
    """Discord has answered 404 about something that it shows when asked again. A later try may succeed."""


def confirm_losses(http: HTTPClient) -> None:
    """Makes that client ask for a channel, thread or message again before its requests raise NotFound.

    If Discord then shows it, they raise StillThere; a request that only reads returns what Discord shows.
    """
    ask = http.request

    async def ask_twice(route: Route, **how: Any) -> object:
        try:
            return await ask(route, **how)
        except discord.NotFound as error:
            place = _PLACE.search(route.url)
            if place is None:
                raise
            if route.method == "GET":
                return await ask(route, **how)
            channel, message = place.groups()
            path = "/channels/{channel_id}" if message is None else "/channels/{channel_id}/messages/{message_id}"
            await ask(Route("GET", path, channel_id=channel, message_id=message))
            raise StillThere(str(error)) from error

    http.request = ask_twice  # type: ignore[method-assign]  # a function in the place of a method
