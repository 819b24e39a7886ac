"""Errors that are logged and answered, requests that are refused or lost, and the gate to Discord."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest
from aiohttp import web
from discord.http import Route
from structlog.testing import capture_logs
from yarl import URL

from bot import client as client_module
from bot.__main__ import _run_until_set
from bot.client import RoundTable
from bot.core.timings import DEFAULT_TIMINGS
from bot.discordkit.errors import UNKNOWN_CHANNEL_CODE, error_sentence, nobody_waits
from bot.discordkit.permissions import Obstacle, obstacle_of
from bot.discordkit.reply import UNKNOWN_MESSAGE_CODE, update_message
from bot.discordkit.requests import GateShut, StillThere, bypass_gate, confirm_losses, shut_gate
from bot.texts.i18n import LANGUAGES, text


async def _where_it_arises() -> None:
    await asyncio.sleep(0)
    raise ZeroDivisionError


async def test_what_ends_the_client_says_where_it_arose() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        await _run_until_set(asyncio.Event(), _where_it_arises(), DEFAULT_TIMINGS)
    assert "_where_it_arises" in {frame.name for frame in traceback.extract_tb(caught.tb)}


async def test_an_unexpected_error_is_logged_before_it_is_answered(
    client: RoundTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    interaction: Any = SimpleNamespace(extras={}, locale=discord.Locale.american_english)

    async def hang(*_: object, **__: object) -> None:
        raise asyncio.CancelledError  # a stop during the answer

    monkeypatch.setattr(client_module, "send_answer", hang)
    with capture_logs() as logged, pytest.raises(asyncio.CancelledError):
        await client.answer_error(interaction, error := KeyError("key"))
    assert [(line["event"], line["exc_info"]) for line in logged] == [("unexpected", error)]


async def test_an_outage_is_a_line_and_an_answer_that_fails_another(
    client: RoundTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    interaction: Any = SimpleNamespace(extras={}, locale=discord.Locale.american_english)

    async def refuse(*_: object, **__: object) -> None:
        raise _refusal("/interactions/1/token/callback")

    monkeypatch.setattr(client_module, "send_answer", refuse)
    with capture_logs() as logged:
        await client.answer_error(interaction, aiohttp.ClientConnectionError("cut"))
    assert [line["event"] for line in logged] == ["outage", "not answered"]


async def test_a_client_closed_before_it_is_ready_leaves_no_task(client: RoundTable) -> None:
    waiting = client._connection._ready_task = asyncio.create_task(asyncio.sleep(60))
    await client.close()
    await asyncio.wait({waiting}, timeout=1)
    assert waiting.cancelled()


def _refusal(url: str, code: int = UNKNOWN_MESSAGE_CODE) -> discord.NotFound:
    response: Any = SimpleNamespace(status=404, reason="Not Found", url=URL(f"https://discord.com/api/v10{url}"))
    return discord.NotFound(response, {"code": code, "message": "Unknown"})


@pytest.mark.parametrize(
    ("url", "waits"),
    [
        ("/webhooks/1/token/messages/@original", False),
        ("/interactions/1/token/callback", False),
        ("/channels/1/messages/2", True),
    ],
)
@pytest.mark.parametrize("code", [UNKNOWN_MESSAGE_CODE, UNKNOWN_CHANNEL_CODE])
def test_only_an_answer_that_is_gone_means_that_nobody_waits(url: str, waits: bool, code: int) -> None:
    assert nobody_waits(_refusal(url, code)) is not waits


def test_a_lost_database_is_not_called_an_outage_of_discord() -> None:
    for locale in LANGUAGES:
        assert error_sentence(locale, GateShut()) == text(locale, "storage.cut-off")


class _Press:
    """A press on a message that is deleted before the bot answers."""

    def __init__(self, *, done: bool, ephemeral: bool) -> None:
        self.locale, self.said, self._done = discord.Locale.american_english, list[tuple[str, Any]](), done
        self.extras: dict[str, Any] = {}
        self.message = SimpleNamespace(flags=SimpleNamespace(ephemeral=ephemeral, components_v2=False))
        kind = discord.InteractionResponseType.deferred_message_update
        self.response = SimpleNamespace(
            is_done=lambda: done, type=kind, edit_message=self._fail, send_message=self._hear
        )
        self.followup = SimpleNamespace(send=self._hear)
        self.edit_original_response = self._fail

    async def _fail(self, **_: object) -> None:
        raise _refusal("/webhooks/1/token/messages/@original")

    async def _hear(self, content: str, *, view: Any, ephemeral: bool, **_: object) -> None:
        assert ephemeral
        self.said.append((content, view or None))


@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize("ephemeral", [True, False])
async def test_who_pressed_on_a_message_that_has_been_deleted_is_answered(done: bool, ephemeral: bool) -> None:
    press: Any = _Press(done=done, ephemeral=ephemeral)
    view = discord.ui.View()
    await update_message(press, "done", view=view)
    assert press.said == [("done", view if ephemeral else None)]


async def test_what_fails_before_a_command_begins_is_answered(
    client: RoundTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = list[BaseException]()

    async def answer(_: object, error: BaseException) -> None:
        answered.append(error)

    def fail(*_: object) -> bool:
        raise ZeroDivisionError

    monkeypatch.setattr(client, "take_on_work", fail)
    monkeypatch.setattr(client, "answer_error", answer)
    interaction: Any = SimpleNamespace(type=discord.InteractionType.component, data={})
    assert not await client.tree.interaction_check(interaction)
    await client.on_interaction(interaction)
    assert [type(error) for error in answered] == [ZeroDivisionError] * 2


# The gate to Discord


async def test_nothing_goes_out_while_another_process_may_be_playing() -> None:
    asked = list[str]()

    async def hear(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response()

    application = web.Application()
    application.add_routes([web.get("/{name}", hear)])
    runner, sure = web.AppRunner(application), True
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    trace = shut_gate(aiohttp.TraceConfig(), lambda: None if sure else "no answer")
    async with aiohttp.ClientSession(base, trace_configs=[trace]) as http:

        async def ask(name: str) -> None:
            async with http.get(f"/{name}"):
                pass

        await ask("sure")
        sure = False
        with pytest.raises(GateShut):
            await ask("unsure")
        with bypass_gate():
            await ask("excused")
        with pytest.raises(GateShut):
            await ask("unsure")
        with pytest.raises(aiohttp.WSServerHandshakeError):  # not a gateway, but the request reached it
            await http.ws_connect(base.replace("http", "ws") + "/gateway")

    async def connected(*_: Any) -> None:
        nonlocal sure
        sure = False

    sure = True
    late = shut_gate(aiohttp.TraceConfig(), lambda: None if sure else "no answer")
    late.on_connection_create_start.append(connected)
    async with aiohttp.ClientSession(base, trace_configs=[late]) as http:
        with pytest.raises(GateShut):
            async with http.get("/late"):
                pass
    await runner.cleanup()
    assert asked == ["/sure", "/excused", "/gateway"]


# A 404 about a channel, thread or message counts only if Discord says so twice


POST = Route("POST", "/channels/{channel_id}/messages", channel_id=7)
EDIT = Route("PATCH", "/channels/{channel_id}/messages/{message_id}", channel_id=7, message_id=8)
LOOK = Route("GET", "/channels/{channel_id}", channel_id=7)
ROLE = Route("PUT", "/guilds/{guild_id}/members/{user_id}/roles/{role_id}", guild_id=1, user_id=2, role_id=3)


def answering(statuses: Sequence[int]) -> tuple[Any, list[str]]:
    """A client's `http` that gets these statuses in turn, and what it asks."""
    asked, errors = list[str](), {404: discord.NotFound, 403: discord.Forbidden, 503: discord.DiscordServerError}

    async def request(route: Route, **_: object) -> str:
        asked.append(f"{route.method} {route.url.removeprefix(Route.BASE)}")
        status = statuses[len(asked) - 1]
        if status in errors:
            response: Any = SimpleNamespace(status=status, reason="")
            raise errors[status](response, "")
        return "shown"

    http = SimpleNamespace(request=request)
    confirm_losses(http)  # type: ignore[arg-type]
    return http, asked


@pytest.mark.parametrize(("route", "again"), [(POST, "GET /channels/7"), (EDIT, "GET /channels/7/messages/8")])
async def test_what_discord_shows_when_asked_again_is_not_lost(route: Route, again: str) -> None:
    http, asked = answering([404, 200])
    with pytest.raises(StillThere) as error:
        await http.request(route)
    assert asked[1:] == [again]
    assert obstacle_of(error.value) is Obstacle.OUTAGE, "so it is tried again"


@pytest.mark.parametrize(
    ("route", "statuses", "error"),
    [
        (POST, [404, 404], discord.NotFound),
        (EDIT, [404, 404], discord.NotFound),
        (POST, [404, 403], discord.Forbidden),
        (POST, [404, 503], discord.DiscordServerError),
        (ROLE, [404], discord.NotFound),  # which is in no channel
    ],
)
async def test_what_discord_says_the_second_time_counts(
    route: Route, statuses: list[int], error: type[Exception]
) -> None:
    http, asked = answering(statuses)
    with pytest.raises(error):
        await http.request(route)
    assert len(asked) == len(statuses)


async def test_a_request_that_reads_returns_what_discord_shows_the_second_time() -> None:
    http, asked = answering([404, 200])
    assert await http.request(LOOK) == "shown"
    assert asked == ["GET /channels/7"] * 2
