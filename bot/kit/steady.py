"""Answers to interactions that survive a broken connection. discord.py gives up at the first one.

An idle connection that Discord has just closed is the everyday case: the request dies on it, and nobody knows whether
it was heard. Sent again, a first answer does no harm, for an interaction is answered only once: where the lost one has
come through, Discord says so (40060), and what it shows is asked for instead.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import aiohttp
import discord
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

BROKEN = (aiohttp.ClientError, ConnectionError, TimeoutError)
"""What a request raises that may or may not have been heard."""

PAUSES = (0.2, 0.8)
"""Seconds before each further try. All must fit into the three that Discord waits for a first answer."""

ALREADY_ANSWERED = 40060
_WITH_MESSAGE = (4, 5)
"""The kinds of answers, in Discord's numbers, that are messages of their own: said, or still "thinking"."""


def is_outage(error: BaseException) -> bool:
    """Whether it is the connection, or Discord's own trouble or haste, so that the same may work a little later."""
    if isinstance(error, discord.HTTPException):
        return error.status >= 500 or error.status == 429
    return isinstance(error, (*BROKEN, discord.RateLimited))


def steady_answers(application_id: int, taken: Callable[[int], None]) -> None:
    """Make every answer of this task, and of those that it will start, go through a `SteadyAdapter`."""
    async_context.set(SteadyAdapter(application_id, taken))


class SteadyAdapter(AsyncWebhookAdapter):
    """discord.py's requests by the token of an interaction, tried again where the connection breaks.

    Follow-ups are not: nothing would keep Discord from posting them twice. `taken` is told the number of each
    interaction whose first answer Discord has taken.
    """

    def __init__(self, application_id: int, taken: Callable[[int], None]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # discord.py's has no annotations
        self._application_id = application_id
        self._taken = taken

    async def request(self, route: Any, session: aiohttp.ClientSession, **how: Any) -> Any:
        """What Discord returns. Raises as discord.py's own does, only later."""
        if route.method == "POST":
            return await super().request(route, session, **how)
        for pause in PAUSES:
            try:
                return await super().request(route, session, **how)
            except BROKEN:
                await asyncio.sleep(pause)
                _rewind(how.get("files"))
        return await super().request(route, session, **how)

    async def create_interaction_response(self, interaction_id: int, token: str, **how: Any) -> Any:
        """What Discord returns for a first answer, also where an earlier try has been heard."""
        broken = False
        for pause in (*PAUSES, None):
            try:
                found = await super().create_interaction_response(interaction_id, token, **how)
            except BROKEN:
                if pause is None:
                    raise
                broken = True
                await asyncio.sleep(pause)
                _rewind(how["params"].files)
            except discord.HTTPException as error:
                if not broken or error.code != ALREADY_ANSWERED:
                    raise
                self._taken(interaction_id)
                return await self._answered(interaction_id, token, **how)
            else:
                self._taken(interaction_id)
                return found
        raise AssertionError("the last try returns or raises")

    async def _answered(self, interaction_id: int, token: str, *, params: Any, **how: Any) -> Any:
        """What Discord would have returned for the answer that has come through."""
        found: dict[str, Any] = {"interaction": {"id": str(interaction_id)}}
        kind = _kind(params)
        if kind in _WITH_MESSAGE:
            message = await self.get_original_interaction_response(self._application_id, token, **how)
            found["interaction"]["response_message_id"] = message["id"]
            found["resource"] = {"type": kind, "message": message}
        return found


def _kind(params: Any) -> int:
    """What kind of answer these parameters of a request are."""
    payload = params.payload
    if params.multipart:
        written = next(part["value"] for part in params.multipart if part["name"] == "payload_json")
        payload = discord.utils._from_json(written)
    return int(payload["type"])


def _rewind(files: Any) -> None:
    """Back to the beginning: a file that has been read would be sent empty, without an error."""
    for file in files or ():
        file.reset(seek=True)
