"""Answers to interactions that survive a broken connection, and an answer that came through but is told as failed.

An idle connection that Discord has just closed is the everyday case: the request dies on it, and nobody knows whether
it was heard. So it is with a 500 or 502 from what stands before Discord. Sent again, a first answer does no harm, for
an interaction is answered only once: where the lost one has come through, Discord says so (40060), and what it shows
is asked for instead. Without such a try of our own, 40060 means that another instance has answered.
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

from bot.core.log_limiter import LogLimiter
from bot.discordkit.reply import UNKNOWN_MESSAGE_CODE

log = structlog.get_logger()

NETWORK_ERRORS = (aiohttp.ClientError, ConnectionError, TimeoutError)
"""What a request raises that may or may not have been heard."""

ANSWER_RETRY_PAUSES_S = (0.2, 0.8)
"""Seconds before each further try. All must fit into the three that Discord waits for a first answer."""

ALREADY_ANSWERED_CODE = 40060
TOO_LATE_CODE = 10062
_MESSAGE_KINDS = (4, 5)
"""The kinds of answers, in Discord's numbers, that are messages of their own: said, or still "thinking"."""
_SUGGESTIONS_KIND = 8
"""The kind of answer that nobody waits for once they have typed on."""
_FORM_KIND = 9
"""The kind of answer that is a form: the only one that leaves `@original` without a message."""


def is_outage(error: BaseException) -> bool:
    """Whether it is the connection, or Discord's own trouble or haste, so that the same may work a little later."""
    if isinstance(error, discord.HTTPException):
        return error.status >= 500 or error.status == 429
    return isinstance(error, (*NETWORK_ERRORS, discord.RateLimited))


def retry_answers(application_id: int, on_taken: Callable[[int], None]) -> None:
    """Make every answer of this task, and of those that it will start, go through a `RetryingAdapter`."""
    async_context.set(RetryingAdapter(application_id, on_taken))


class RetryingAdapter(AsyncWebhookAdapter):
    """discord.py's requests by the token of an interaction, tried again where the connection breaks.

    Follow-ups are not: nothing would keep Discord from posting them twice. `on_taken` is told the number of each
    interaction whose first answer Discord has taken.
    """

    def __init__(self, application_id: int, on_taken: Callable[[int], None]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # discord.py's has no annotations
        self._application_id = application_id
        self._on_taken = on_taken

    async def request(self, route: Any, session: aiohttp.ClientSession, **how: Any) -> Any:
        """What Discord returns. Raises as discord.py's own does, only later."""
        if route.method == "POST":
            return await super().request(route, session, **how)
        for pause in ANSWER_RETRY_PAUSES_S:
            try:
                return await super().request(route, session, **how)
            except NETWORK_ERRORS:
                await asyncio.sleep(pause)
                _rewind_files(how.get("files"))
        return await super().request(route, session, **how)

    async def create_interaction_response(
        self, interaction_id: int, token: str, *, session: aiohttp.ClientSession, **how: Any
    ) -> Any:
        """What Discord returns for a first answer, also where an earlier try has been heard.

        Raises what the last try did where none has: 10062 and 40060 then mean that nobody waits for this one. Of
        suggestions that is everyday, and nothing more to be said.
        """
        watched_session = _WatchedSession(session)
        try:
            response = await self._send_response(interaction_id, token, watched_session, **how)
        except (discord.HTTPException, *NETWORK_ERRORS) as error:
            if _response_kind(how["params"]) == _SUGGESTIONS_KIND and _discord_code(error) in (
                ALREADY_ANSWERED_CODE,
                TOO_LATE_CODE,
            ):
                return {"interaction": {"id": str(interaction_id)}}  # which discord.py would log as a fault
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
        """The message as Discord returns it; where it has said nothing usable about the edit, as it is asked for."""
        found: Any = await super().edit_original_interaction_response(application_id, token, session=session, **how)
        if isinstance(found, dict) and "id" in found:
            return found
        _note_unusable("edit", found)
        way = {name: how[name] for name in ("proxy", "proxy_auth") if name in how}
        return await self.get_original_interaction_response(application_id, token, session=session, **way)

    async def _send_response(self, interaction_id: int, token: str, session: Any, **how: Any) -> Any:
        for pause in ANSWER_RETRY_PAUSES_S:
            try:
                return await super().create_interaction_response(interaction_id, token, session=session, **how)
            except NETWORK_ERRORS:
                await asyncio.sleep(pause)
                _rewind_files(how["params"].files)
        return await super().create_interaction_response(interaction_id, token, session=session, **how)

    async def _recover_response(
        self, error: Exception, interaction_id: int, token: str, *, params: Any, **how: Any
    ) -> Any:
        """What Discord would have returned for the answer that has come through; raises `error` where none has.

        Without the message, where it cannot be read, although it is there.
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


def _usable_response(found: Any, interaction_id: int) -> Any:
    """Returns what Discord has said about an answer that it has taken, or the least of it where that is unusable.

    An empty 200, or a proxy's page, has come instead: the answer stands all the same.
    """
    if isinstance(found, dict) and isinstance(found.get("interaction"), dict) and "id" in found["interaction"]:
        return found
    _note_unusable("callback", found)
    return {"interaction": {"id": str(interaction_id)}}


def _note_unusable(request: str, found: Any) -> None:
    if _UNUSABLE_LOG_LIMIT.may_log_now(request):
        log.warning("an answer was taken without a word about it", request=request, got=repr(found)[:200])


class OutcomeUnknown(aiohttp.ClientError):
    """Discord may have carried a request out, and would carry it out once more."""


_possible_faults: ContextVar[list[bool] | None] = ContextVar("possible_faults", default=None)


@contextmanager
def no_retries() -> Iterator[None]:
    """The one request of this task within is not sent again after a fault at which Discord may have carried it out.

    For those that bear no nonce, which discord.py would repeat by itself. Raises PerhapsDoneError then, or what the
    fault was.
    """
    before = _possible_faults.set([])
    try:
        yield
    finally:
        _possible_faults.reset(before)


def watch_for_faults(trace: aiohttp.TraceConfig) -> aiohttp.TraceConfig:
    """What makes a client of discord.py heed `no_retries`."""

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
    """A session that notes whether a request may have been heard without Discord's saying so."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session
        self.may_be_heard = False

    @asynccontextmanager
    async def request(self, *asked: Any, **how: Any) -> AsyncIterator[aiohttp.ClientResponse]:
        """As the session's own, which is all that discord.py's adapter asks of it."""
        try:
            async with self._session.request(*asked, **how) as response:
                self.may_be_heard |= response.status >= 500
                yield response
        except NETWORK_ERRORS as error:
            self.may_be_heard |= not isinstance(error, aiohttp.ClientConnectorError)
            raise


def _discord_code(error: BaseException) -> int | None:
    """Discord's number for what it has refused; None where it has said nothing."""
    return error.code if isinstance(error, discord.HTTPException) else None


def _response_kind(params: Any) -> int:
    """What kind of answer these parameters of a request are."""
    payload = params.payload
    if params.multipart:
        payload_text = next(part["value"] for part in params.multipart if part["name"] == "payload_json")
        payload = discord.utils._from_json(payload_text)
    return int(payload["type"])


def _rewind_files(files: Any) -> None:
    """Back to the beginning: a file that has been read would be sent empty, without an error."""
    for file in files or ():
        file.reset(seek=True)
