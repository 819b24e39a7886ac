"""Faults that a test sets: what Discord, or the network before it, may do to the bot.

    sandbox.faults.add("POST /channels/*/messages", status(503), times=2)

None of it can be reached through the server's port, by the page or by the bot.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from aiohttp import web

from .buckets import refuse_for
from .errors import Code, Refusal
from .hardness import Hardness
from .sockets import json_answer

Serve = Callable[[web.Request], Awaitable[web.StreamResponse]]
Effect = Callable[[web.Request, Serve], Awaitable[web.StreamResponse]]
"""Answers a request in its own way, given the request and the function that would have served it."""

CONNECT = "CONNECT /gateway"
"""The pattern of connections to the gateway; the fault comes before their first frame."""


@dataclass
class Rule:
    """One fault: it hits the next `left` requests that match `pattern` (None: all, until it is lifted).

    `pattern` is "METHOD template" with `*` for anything: "PATCH /channels/{channel_id}/messages/*", "* *".
    """

    pattern: str
    effect: Effect
    left: int | None = 1
    struck: int = 0


class Faults:
    """The faults that are set. The first matching rule hits a request.

    `invalid_sessions`: how many of the next IDENTIFYs and RESUMEs are answered by op 9, "invalid session";
    `identify_refused`: the code with which the gateway closes at IDENTIFY, such as 4014, or 0;
    `ready_after`: seconds until READY and the servers; `members_lost`: the members that the bot asks for over the
    gateway never come; `ready_lacks`: fields missing from the next READY; `clock`: the `Date` of every answer, None for
    the world's. `hardness` and `clock` are not faults: they stay when the faults are lifted.
    """

    def __init__(self, hardness: Hardness | None = None) -> None:
        self.hardness = hardness or Hardness()
        self.chance = random.Random(self.hardness.seed)  # noqa: S311 - the seed repeats it
        self.clock: Callable[[], float] | None = None
        self.lift()

    def add(self, pattern: str, effect: Effect, *, times: int | None = 1) -> Rule:
        """Adds a rule and returns it; its `struck` counts the requests that it has hit."""
        rule = Rule(pattern, effect, times)
        self._rules.append(rule)
        return rule

    def lift(self) -> None:
        """Removes all faults."""
        self.invalid_sessions = 0
        self.identify_refused = 0
        self.ready_after = 0.0
        self.members_lost = False
        self.ready_lacks: list[str] = []
        self._rules: list[Rule] = []

    def strike(self, asked: str) -> Effect | None:
        """Returns the effect on that request ("METHOD template"), and counts it; None if no rule matches."""
        for rule in self._rules:
            if rule.left != 0 and fnmatchcase(asked, rule.pattern):
                rule.struck += 1
                rule.left = None if rule.left is None else rule.left - 1
                return rule.effect
        return None

    async def serve(self, asked: str, request: web.Request, serve: Serve) -> web.StreamResponse:
        """Answers that request, by the fault that hits it or as usual."""
        effect = self.strike(asked)
        return await (effect(request, serve) if effect else serve(request))


def status(number: int, *, done: bool = False) -> Effect:
    """Answers with that status: 500 as Discord does, others with the web page of the proxy before it.

    `done`: the request has been carried out all the same.
    """

    async def effect(request: web.Request, serve: Serve) -> web.StreamResponse:
        if done:
            await serve(request)
        await request.read()  # an answer before the end of an upload would break the connection
        if number == 500:
            return json_answer({"message": "500: Internal Server Error", "code": 0}, 500)
        return web.Response(status=number, text=f"<html><h1>{number}</h1></html>", content_type="text/html")

    return effect


def taken(body: str = "", number: int = 200) -> Effect:
    """Carries out the request and answers with success, but with that body instead of the expected one."""

    async def effect(request: web.Request, serve: Serve) -> web.StreamResponse:
        await serve(request)
        kind = "application/json" if body[:1] in ("{", "[") else "text/plain"
        return web.Response(status=number, text=body, content_type=kind)

    return effect


def refused(code: Code) -> Effect:
    """Answers with that refusal."""

    async def effect(request: web.Request, _: Serve) -> web.StreamResponse:
        await request.read()
        refusal = Refusal(code)
        return json_answer(refusal.body(), refusal.status)

    return effect


def limited(retry_after: float, *, everywhere: bool = False) -> Effect:
    """Answers with Discord's own rate limit: 429 with `Via`, for that number of seconds.

    `everywhere`: the limit of all requests of the bot together, so it may send none until then.
    """

    async def effect(request: web.Request, _: Serve) -> web.StreamResponse:
        await request.read()
        verdict = refuse_for(retry_after, everywhere=everywhere)
        return json_answer(verdict.refusal, 429, verdict.headers)

    return effect


def banned() -> Effect:
    """Answers as the proxy before Discord does to a banned address: 429 without `Via`."""

    async def effect(request: web.Request, _: Serve) -> web.StreamResponse:
        await request.read()
        return web.Response(status=429, text="error code: 1015", headers={"Retry-After": "600"})

    return effect


def cut(*, done: bool) -> Effect:
    """Breaks the connection instead of answering, after the request is carried out (`done`) or before."""

    async def effect(request: web.Request, serve: Serve) -> web.StreamResponse:
        if done:
            await serve(request)
        if request.transport is not None:
            request.transport.abort()
        return web.Response()  # which nobody receives

    return effect


def late(seconds: float) -> Effect:
    """Carries out the request that many seconds later."""

    async def effect(request: web.Request, serve: Serve) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return await serve(request)

    return effect
