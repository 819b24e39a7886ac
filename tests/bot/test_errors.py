"""Errors are logged with their place of origin before anybody is answered."""

from __future__ import annotations

import asyncio
import traceback
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from structlog.testing import capture_logs
from yarl import URL

from bot import client as client_module
from bot.__main__ import _run_until_set
from bot.client import RoundTable
from bot.core.timings import DEFAULT_TIMINGS
from bot.discordkit.errors import UNKNOWN_CHANNEL_CODE, error_sentence, is_expected_error, nobody_waits
from bot.discordkit.reply import UNKNOWN_MESSAGE_CODE, update_message
from bot.discordkit.requests import GateShut
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
    interaction: Any = SimpleNamespace(extras={})

    async def hang(*_: object) -> None:
        raise asyncio.CancelledError  # a stop during the answer

    monkeypatch.setattr(client_module, "explain_error", hang)
    with capture_logs() as logged, pytest.raises(asyncio.CancelledError):
        await client.answer_error(interaction, error := KeyError("key"))
    assert [(line["event"], line["exc_info"]) for line in logged] == [("unexpected", error)]


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
    assert is_expected_error(_refusal(url, code)) is not waits


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

    def fail(_: object) -> bool:
        raise ZeroDivisionError

    monkeypatch.setattr(client, "take_on_work", fail)
    monkeypatch.setattr(client, "answer_error", answer)
    interaction: Any = SimpleNamespace(type=discord.InteractionType.component)
    assert not await client.tree.interaction_check(interaction)
    await client.on_interaction(interaction)
    assert [type(error) for error in answered] == [ZeroDivisionError] * 2
