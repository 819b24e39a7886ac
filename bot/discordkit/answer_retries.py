"""Answers to interactions that get through a broken connection, or an error reported for a received answer.

The usual case is an idle connection that Discord has just closed: the request fails, and nobody knows whether Discord
received it. The same holds for a 500 or 502 from a proxy in front of Discord. Sending a first answer again does no
harm, because an interaction is answered only once. If the lost answer came through, Discord says so (40060), and the
bot fetches the message. Without such a retry, 40060 means that another instance has answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any

import aiohttp
import discord
import structlog
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

from bot.core.timings import Timings
from bot.discordkit.log_limiter import LogLimiter
from bot.discordkit.reply import UNKNOWN_MESSAGE_CODE

log = structlog.get_logger()

NETWORK_ERRORS = (aiohttp.ClientError, ConnectionError, TimeoutError)
"""The errors of a request that Discord may or may not have received."""

ALREADY_ANSWERED_CODE = 40060
TOO_LATE_CODE = 10062
_MESSAGE_KINDS = (4, 5)
"""Discord's numbers for answers that are messages of their own: sent, or still "thinking"."""
_SUGGESTIONS_KIND = 8
"""Discord's number for suggestions, which nobody waits for once they have typed on."""
_FORM_KIND = 9
"""Discord's number for a form: the only kind of answer that leaves `@original` without a message."""


def is_outage(error: BaseException) -> bool:
    """True if the connection, a fault of Discord or its rate limit failed the request, so that a later
    try may succeed.
    """
    if isinstance(error, discord.HTTPException):
        return error.status >= 500 or error.status == 429
    return isinstance(error, (*NETWORK_ERRORS, discord.RateLimited))


def retry_answers(application_id: int, on_taken: Callable[[int], None], timings: Timings) -> None:
    """Sends every answer of this task, and of the tasks that it starts, through a `RetryingAdapter`."""
    async_context.set(RetryingAdapter(application_id, on_taken, timings))


class RetryingAdapter(AsyncWebhookAdapter):
    """discord.py's requests by the token of an interaction, tried again if the connection breaks.

    Follow-ups are not tried again: nothing would keep Discord from posting them twice. `on_taken` gets the number of
    each interaction whose first answer Discord has taken.
    """

    def __init__(self, application_id: int, on_taken: Callable[[int], None], timings: Timings) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # discord.py's has no annotations
        self._application_id = application_id
        self._on_taken = on_taken
        self._pauses_s = timings.answer_retry_pauses_s

    async def request(self, route: Any, session: aiohttp.ClientSession, **how: Any) -> Any:
        """Returns what Discord returns. Raises what discord.py raises, after the last try."""
        if route.method == "POST":
            return await super().request(route, session, **how)
        for pause in self._pauses_s:
            try:
                return await super().request(route, session, **how)
            except NETWORK_ERRORS:
                await asyncio.sleep(pause)
                _rewind_files(how.get("files"))
        return await super().request(route, session, **how)

    async def create_interaction_response(
        self, interaction_id: int, token: str, *, session: aiohttp.ClientSession, **how: Any
    ) -> Any:
        """Returns what Discord returns for a first answer, also if an earlier try was received.

        Raises the error of the last try if none was received: 10062 and 40060 then mean that nobody waits for this
        answer. Those two are common for suggestions, and are ignored there.
        """
        watched_session = _WatchedSession(session)
        try:
            response = await self._send_response(interaction_id, token, watched_session, **how)
        except (discord.HTTPException, *NETWORK_ERRORS) as error:
            if _response_kind(how["params"]) == _SUGGESTIONS_KIND and _discord_code(error) in (
                ALREADY_ANSWERED_CODE,
                TOO_LATE_CODE,
            ):
                return {"interaction": {"id": str(interaction_id)}}  # discord.py would log the error as a fault
            if not watched_session.may_be_heard or (
                _discord_code(error) != ALREADY_ANSWERED_CODE and not is_outage(error)
            ):
                raise
            response = await self._recover_response(error, interaction_id, token, session=session, **how)
        self._on_taken(interaction_id)
        return _usable_response(response, interaction_id)

    async def edit_original_interaction_response(
        self, application_id: int, token: str, *, session: aiohttp.ClientSession, **how: Any
    ) -> Any:
        """Returns the message as Discord returns it. If the reply to the edit is unusable, fetches the message."""
        reply: Any = await super().edit_original_interaction_response(application_id, token, session=session, **how)
        if isinstance(reply, dict) and "id" in reply:
            return reply
        _note_unusable("edit", reply)
        way = {name: how[name] for name in ("proxy", "proxy_auth") if name in how}
        return await self.get_original_interaction_response(application_id, token, session=session, **way)

    async def _send_response(self, interaction_id: int, token: str, session: Any, **how: Any) -> Any:
        for pause in self._pauses_s:
            try:
                return await super().create_interaction_response(interaction_id, token, session=session, **how)
            except NETWORK_ERRORS:
                await asyncio.sleep(pause)
                _rewind_files(how["params"].files)
        return await super().create_interaction_response(interaction_id, token, session=session, **how)

    async def _recover_response(
        self, error: Exception, interaction_id: int, token: str, *, params: Any, **how: Any
    ) -> Any:
        """Returns what Discord would have returned for the answer that came through; raises `error` if none did.

        The result lacks the message if it exists but cannot be read.
        """
        response: dict[str, Any] = {"interaction": {"id": str(interaction_id)}}
        kind, was_answered = _response_kind(params), _discord_code(error) == ALREADY_ANSWERED_CODE
        if was_answered and kind not in _MESSAGE_KINDS:
            return response
        try:
            message = await self.get_original_interaction_response(self._application_id, token, **how)
        except (discord.HTTPException, *NETWORK_ERRORS) as unseen:
            if not was_answered and (kind, _discord_code(unseen)) != (_FORM_KIND, UNKNOWN_MESSAGE_CODE):
                raise error from unseen
            return response
        if kind in _MESSAGE_KINDS:
            response["interaction"]["response_message_id"] = message["id"]
            response["resource"] = {"type": kind, "message": message}
        return response


_UNUSABLE_LOG_LIMIT = LogLimiter()


def _usable_response(reply: Any, interaction_id: int) -> Any:
    """Returns Discord's reply to an answer that it has taken, or a minimal one if the reply is unusable.

    An empty 200 or a proxy's page is unusable, although the answer stands.
    """
    if isinstance(reply, dict) and isinstance(reply.get("interaction"), dict) and "id" in reply["interaction"]:
        return reply
    _note_unusable("callback", reply)
    return {"interaction": {"id": str(interaction_id)}}


def _note_unusable(request: str, reply: Any) -> None:
    if _UNUSABLE_LOG_LIMIT.may_log_now(request):
        got = repr(reply)[:200] if isinstance(reply, str) else type(reply).__name__  # a message's words are private
        log.warning("answer accepted without a usable body", request=request, got=got)


class OutcomeUnknown(aiohttp.ClientError):
    """Discord may have carried out a request, and would carry it out a second time."""


_possible_faults: ContextVar[list[bool] | None] = ContextVar("possible_faults", default=None)


@contextmanager
def no_retries() -> Iterator[None]:
    """Within the block, discord.py does not repeat this task's request after a fault that leaves open whether Discord
    has carried it out. Instead it raises OutcomeUnknown, or the fault itself. The block must make only one request.

    This serves requests without a nonce, because Discord would carry out a second one.
    """
    before = _possible_faults.set([])
    try:
        yield
    finally:
        _possible_faults.reset(before)


def watch_for_faults(trace: aiohttp.TraceConfig) -> aiohttp.TraceConfig:
    """Returns the trace that makes a discord.py client respect `no_retries`."""

    async def refuse_repeat(*_: object) -> None:
        if _possible_faults.get():
            raise OutcomeUnknown

    async def note_server_error(_: object, __: object, params: aiohttp.TraceRequestEndParams) -> None:
        if params.response.status >= 500:
            await note_fault()

    async def note_fault(*_: object) -> None:
        faults = _possible_faults.get()
        if faults is not None:
            faults.append(True)

    trace.on_request_start.append(refuse_repeat)
    trace.on_request_end.append(note_server_error)
    trace.on_request_exception.append(note_fault)
    return trace


class _WatchedSession:
    """A session that notes whether Discord may have received a request without acknowledging it."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session
        self.may_be_heard = False

    @asynccontextmanager
    async def request(self, *asked: Any, **how: Any) -> AsyncIterator[aiohttp.ClientResponse]:
        """Works like the session's own `request`, the only method that discord.py's adapter uses."""
        try:
            async with self._session.request(*asked, **how) as response:
                self.may_be_heard |= response.status >= 500
                yield response
        except NETWORK_ERRORS as error:
            self.may_be_heard |= not isinstance(error, aiohttp.ClientConnectorError)
            raise


def _discord_code(error: BaseException) -> int | None:
    """Returns Discord's code for what it has refused; None if Discord gave no answer."""
    return error.code if isinstance(error, discord.HTTPException) else None


def _response_kind(params: Any) -> int:
    """Returns the kind of answer in a request with these parameters."""
    payload = params.payload
    if params.multipart:
        payload_text = next(part["value"] for part in params.multipart if part["name"] == "payload_json")
        payload = discord.utils._from_json(payload_text)
    return int(payload["type"])


def _rewind_files(files: Any) -> None:
    """Rewinds the files: a file that was read already would be sent empty, without an error."""
    for file in files or ():
        file.reset(seek=True)
