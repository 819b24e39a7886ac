"""Discord's REST API, version 10: authorisation, bodies, errors, limits, and the table of routes."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import BodyPartReader, web

from .buckets import RateVerdict
from .discord_types import Channel, Guild, Json, Message, User
from .errors import Code, Refusal, invalid
from .gateway import TOKEN
from .parts import Parts
from .payloads import born_at
from .sockets import json_answer, parse_json
from .world import BOT_ID

_log = logging.getLogger(__name__)
_FILE_FIELD = re.compile(r"files\[(\d{1,4})\]")
_OPEN = ("/interactions/", "/webhooks/{webhook_id}/{webhook_token}", "/gateway")
"""Routes that need no bot token: their address holds a token, or they are public."""
CHANNEL_PATH = "/channels/{channel_id}"


@dataclass(frozen=True)
class Call:
    """One request of the bot: the variable parts of its address, its query, its JSON body and uploaded files."""

    parts: Parts
    ids: Mapping[str, str]
    query: Mapping[str, str]
    body: Any = None
    files: Mapping[int, tuple[str, bytes]] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """Returns a snowflake of the address. Refusal: 50035."""
        return snowflake(name, self.ids[name])

    @property
    def form(self) -> Json:
        """The body as a JSON object. Refusal: 50109."""
        if not isinstance(self.body, dict):
            raise Refusal(Code.INVALID_JSON)
        return self.body

    @property
    def bot(self) -> User:
        """The bot."""
        return self.parts.world.people[BOT_ID]

    @property
    def channel(self) -> Channel:
        """The channel of the address. Refusal: 10003."""
        return self.parts.world.channel(self.number("channel_id"))

    @property
    def message(self) -> Message:
        """The message of the address; an ephemeral one is known to its interaction only. Refusals: 10003, 10008."""
        message = self.parts.world.message(self.channel.id, self.number("message_id"))
        if message.only_for is not None:
            raise Refusal(Code.UNKNOWN_MESSAGE)
        return message

    @property
    def guild(self) -> Guild:
        """The server of the address. Refusals: 10004, and 50001 if the bot is not a member."""
        guild = self.parts.world.guild(self.number("guild_id"))
        if BOT_ID not in guild.members:
            raise Refusal(Code.MISSING_ACCESS)
        return guild


Handler = Callable[[Call], object]
Routes = dict[tuple[str, str], Handler]
"""(method, template as in Discord's OpenAPI document) -> handler. It returns the JSON of the answer; None for a 204.

A handler never awaits, so no other request sees its work half done.
"""


def snowflake(name: str, text: str) -> int:
    """Returns a snowflake from text. Refusal: 50035."""
    if not text.isdecimal() or len(text) > 20:
        raise invalid(name, "NUMBER_TYPE_COERCE", f'Value "{text[:40]}" is not snowflake.')
    return int(text)


def routes(parts: Parts, table: Routes) -> Iterator[web.RouteDef]:
    """Yields the table's routes for aiohttp."""
    for (method, template), handler in table.items():
        yield web.route(method, "/api/v10" + template, _Endpoint(parts, method, template, handler).serve)


def refuse_others() -> web.RouteDef:
    """Returns the route that refuses every other request below /api, and logs it."""

    async def not_modelled(request: web.Request) -> web.Response:
        _log.warning("not modelled: %s %s", request.method, request.path)
        return json_answer(Refusal(Code.NOT_MODELLED).body(), Refusal(Code.NOT_MODELLED).status)

    return web.route("*", "/api/{tail:.*}", not_modelled)


@dataclass(frozen=True)
class _Endpoint:
    """A route and its handler. `serve` answers with Discord's limits, faults and delays, `_handle` without them."""

    parts: Parts
    method: str
    template: str
    handler: Handler

    async def serve(self, request: web.Request) -> web.StreamResponse:
        parts, asked = self.parts, f"{self.method} {self.template}"
        hardness, chance = parts.faults.hardness, parts.faults.chance
        under_way = chance.uniform(*hardness.jitter)
        before = under_way * chance.random()
        await _pass(before)
        verdict = _verdict(parts, asked, request)
        if verdict.refusal is not None:
            await request.read()
            found: web.StreamResponse = json_answer(verdict.refusal, 429)
        else:
            found = await parts.faults.serve(asked, request, self._handle)
            losable = found.status < 300 and not asked.startswith("PATCH /webhooks/")
            if hardness.lost_answers and losable and chance.random() < hardness.lost_answers:
                found = web.Response(status=502, text="<html><h1>502</h1></html>", content_type="text/html")
        for name, value in verdict.headers.items():
            found.headers.setdefault(name, value)
        parts.requests.note(asked, found.status, request.match_info.get("channel_id", ""))
        await _pass(under_way - before)
        return found

    async def _handle(self, request: web.Request) -> web.Response:
        try:
            result = await self._result(request)
        except Refusal as refusal:
            _log.info("refused: %s %s: %s", self.method, request.path, refusal)
            return json_answer(refusal.body(), refusal.status)
        except ConnectionResetError:  # the bot's connection ended in the middle of the request: nobody reads the answer
            return web.Response(status=400)
        finally:
            self.parts.world.commit()
        return web.Response(status=204) if result is None else json_answer(result)

    async def _result(self, request: web.Request) -> object:
        """Returns what the handler does. Refusals: 401, those of malformed requests, and the handler's own."""
        needs_token = not self.template.startswith(_OPEN) or self.template == "/gateway/bot"
        if needs_token and request.headers.get("Authorization") != f"Bot {TOKEN}":
            raise Refusal(Code.UNAUTHORIZED)
        for name, text in (*request.match_info.items(), *request.query.items()):
            if text.isdecimal():
                snowflake(name, text)  # refuses one without end
        body, files = await _read(request)
        if body is not None:
            check_payload(self.parts, self.method, self.template, body)
        return self.handler(Call(self.parts, request.match_info, request.query, body, files))


async def _pass(seconds: float) -> None:
    """Waits; 0 seconds do not even give other tasks a turn."""
    if seconds > 0:
        await asyncio.sleep(seconds)


def _verdict(parts: Parts, asked: str, request: web.Request) -> RateVerdict:
    """Returns the verdict of the limits on a request; an empty one if limits are off."""
    if not parts.faults.hardness.limits:
        return RateVerdict({})
    ids = request.match_info
    number = ids.get("message_id", "")
    age = parts.world.clock() - born_at(int(number)) if number.isdecimal() else 0.0
    return parts.buckets.take(asked, ids, age=age, pace=parts.faults.hardness.pace)


def check_payload(parts: Parts, method: str, template: str, body: object) -> None:
    """Refuses what the world's check of payloads, if any, finds wrong (50035)."""
    try:
        if parts.check is not None:
            parts.check(method, template, body)
    except ValueError as error:
        raise invalid("_check", "PAYLOAD_REFUSED", str(error)) from error


async def _read(request: web.Request) -> tuple[object, dict[int, tuple[str, bytes]]]:
    """Returns the JSON body (None without one) and the files of a request, multipart or not. Refusal: 50109."""
    if not request.can_read_body:
        return None, {}
    if not request.content_type.startswith("multipart/"):
        return _parse(await request.read()), {}
    body: object = {}
    files: dict[int, tuple[str, bytes]] = {}
    room = request.client_max_size
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            raise Refusal(Code.INVALID_JSON)
        content = bytearray()
        while chunk := await part.read_chunk():
            content += chunk
            room -= len(chunk)
            if room < 0:
                raise Refusal(Code.ENTITY_TOO_LARGE)
        match = _FILE_FIELD.fullmatch(part.name or "")
        if part.name == "payload_json":
            body = _parse(bytes(content))
        elif match is not None:
            files[int(match[1])] = (part.filename or "unknown", bytes(content))
    return body, files


def _parse(content: bytes) -> object:
    try:
        return parse_json(content) if content else None
    except ValueError:
        raise Refusal(Code.INVALID_JSON) from None
