"""The first answer to an interaction, and the pace of requests."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from discord import InteractionResponseType, InteractionType

from bot.discordkit.errors import Declined
from bot.discordkit.interactions import FirstAnswer, answer_in_time
from bot.discordkit.reply import send_answer
from bot.discordkit.requests import REQUESTS_AT_ONCE, RequestPacer, pace_requests

DEFERRED, BESIDE = InteractionResponseType.deferred_message_update, InteractionResponseType.deferred_channel_message


class Asked:
    """An interaction whose first answers are noted, and take a moment to be sent."""

    def __init__(self, kind: InteractionType, *, on_message: bool = True) -> None:
        self.type = kind
        self.message = SimpleNamespace() if on_message else None
        self.extras: dict[str, Any] = {}
        self.heard: list[Any] = []
        self._cs_response: Any = None
        self.followup = SimpleNamespace(send=self.follow)

    @property
    def response(self) -> Any:
        return self._cs_response

    async def follow(self, **fields: Any) -> None:
        self.heard.append(("follow", fields["content"]))

    async def edit_original_response(self, **fields: Any) -> None:
        self.heard.append(("edit", fields["content"]))


@pytest.fixture(autouse=True)
def noted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def sent(response: Any, kind: InteractionResponseType, what: Any) -> None:
        await asyncio.sleep(0.05)
        assert response._response_type is None, "Discord takes one answer"
        response._response_type = kind
        response._parent.heard.append(what)

    async def defer(response: Any, *, ephemeral: bool = False, thinking: bool = False) -> None:
        await sent(response, BESIDE if thinking else DEFERRED, ("defer", ephemeral, thinking))

    async def send_message(response: Any, **fields: Any) -> None:
        await sent(response, InteractionResponseType.channel_message, ("send", fields["content"]))

    async def autocomplete(response: Any, choices: Any) -> None:
        await sent(response, InteractionResponseType.autocomplete_result, ("choices", choices))

    for method in (defer, send_message, autocomplete):
        monkeypatch.setattr(discord.InteractionResponse, method.__name__, method)


async def answered_after(asked: Any, seconds: float) -> list[Any]:
    """Returns what Discord has heard of an answer that comes after so many seconds."""

    async def work() -> None:
        answer_in_time(asked, asyncio.get_running_loop().time(), 0.02)
        await asyncio.sleep(seconds)
        if asked.type is InteractionType.autocomplete:
            await asked.response.autocomplete(["late"])
        else:
            await send_answer(asked, "Played.")

    await asyncio.create_task(work())
    await asyncio.sleep(0.1)
    heard: list[Any] = asked.heard
    return heard


COMMAND, PRESS = InteractionType.application_command, InteractionType.component
PRIVATELY = [("defer", True, True), ("edit", "Played.")]


@pytest.mark.parametrize(
    ("kind", "seconds", "heard"),
    [
        *((kind, 0, [("send", "Played.")]) for kind in (COMMAND, PRESS)),
        *((COMMAND, seconds, PRIVATELY) for seconds in (0.03, 0.06, 0.2)),
        (PRESS, 0.06, [("defer", False, False), ("follow", "Played.")]),
        (InteractionType.modal_submit, 0.06, PRIVATELY),  # opened by a command
        (InteractionType.autocomplete, 0.06, [("choices", [])]),
    ],
)
async def test_only_a_late_answer_is_deferred(kind: InteractionType, seconds: float, heard: list[Any]) -> None:
    asked: Any = Asked(kind, on_message=kind is not InteractionType.modal_submit)
    assert await answered_after(asked, seconds) == heard


async def test_a_second_answer_stands_beside_the_first() -> None:
    asked: Any = Asked(InteractionType.application_command)
    await answered_after(asked, 0.06)
    await send_answer(asked, "It is posted.")
    assert asked.heard[1:] == [("edit", "Played."), ("follow", "It is posted.")]


async def test_what_is_deferred_is_deferred_once_and_neither_a_form_nor_public() -> None:
    asked: Any = Asked(InteractionType.component)
    response = FirstAnswer(asked)
    await response.defer(ephemeral=True, thinking=True)
    await response.defer()
    assert asked.heard == [("defer", True, True)]
    with pytest.raises(Declined):
        await response.defer(thinking=True)
    with pytest.raises(Declined):
        await response.send_modal(discord.ui.Modal(title="x"))


# The pace of requests


FAST, SLOW = 500, 0.001
"""Requests in a second."""


async def test_at_most_a_burst_goes_at_once_then_one_by_one() -> None:
    one, loop = RequestPacer(FAST), asyncio.get_running_loop()
    begun = loop.time()
    await asyncio.gather(*(one.wait_turn(urgent=True) for _ in range(REQUESTS_AT_ONCE + 50)))
    assert loop.time() - begun >= 50 / FAST


async def test_an_edit_waits_for_whatever_else_there_is() -> None:
    one = RequestPacer(SLOW)
    for _ in range(REQUESTS_AT_ONCE - 2):
        await one.wait_turn(urgent=True)
    edit = asyncio.create_task(one.wait_turn(urgent=False))
    await asyncio.sleep(0)
    assert not edit.done(), "it has begun to wait"
    for _ in range(2):
        await one.wait_turn(urgent=True)
    assert not edit.done()
    edit.cancel()


async def test_a_client_keeps_the_pace_but_for_its_answers() -> None:
    async def serve(_: web.Request) -> web.Response:
        return web.Response()

    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", serve)
    async with TestServer(app) as server, ClientSession(trace_configs=[pace_requests(SLOW)]) as session:
        for _ in range(REQUESTS_AT_ONCE):
            await session.post(server.make_url("/channels/1/messages"))
        for address in ("/interactions/1/x/callback", "/webhooks/1/x/messages/@original"):
            await session.post(server.make_url(address))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(session.post(server.make_url("/channels/1/messages")), 0.05)
