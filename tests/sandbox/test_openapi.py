"""Discord's own description of its API, and that the tests really hold payloads and answers against it."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from sandbox import Sandbox

from .openapi_check import DOCUMENT, check_answer, check_payload
from .scripted_bot import ScriptedBot

pytestmark = pytest.mark.skipif(
    not DOCUMENT.is_file(), reason="Discord's OpenAPI document is not at ../shared/discord/openapi.json"
)
MESSAGES = "/channels/{channel_id}/messages"


def button(custom_id: str) -> dict[str, Any]:
    return {"components": [{"type": 1, "components": [{"type": 2, "style": 1, "label": "x", "custom_id": custom_id}]}]}


def test_payloads_are_held_against_the_document() -> None:
    check_payload("POST", MESSAGES, {"content": "hello", "nonce": "7:12", "enforce_nonce": True})
    check_payload("POST", MESSAGES, button("x" * 100))
    with pytest.raises(ValueError, match="POST /channels"):
        check_payload("POST", MESSAGES, button("x" * 101))
    with pytest.raises(ValueError, match="no POST /nowhere"):
        check_payload("POST", "/nowhere", {})


def test_answers_are_held_against_the_document() -> None:
    check_answer("DELETE", "/channels/1/messages/2", 204, None)
    with pytest.raises(ValueError, match="required"):
        check_answer("GET", "/channels/1/messages/2", 200, {"id": "2"})
    with pytest.raises(ValueError, match="without a body"):
        check_answer("GET", "/channels/1/messages/2", 204, None)


async def test_the_sandbox_refuses_what_the_document_does_not_allow(sandbox: Sandbox, bot: ScriptedBot) -> None:
    with pytest.raises(discord.HTTPException, match="50035"):
        await bot.http.request(
            discord.http.Route("POST", MESSAGES, channel_id=bot.channel("lobby").id), json={"content": 7}
        )
