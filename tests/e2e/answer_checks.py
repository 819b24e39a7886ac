"""What holds of an answer, whatever somebody has typed; and answers of a bot that dies or is without its database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from bot.texts.i18n import LANGUAGES, text
from sandbox.people import Reply, TooLateError

FAILURE = tuple(text(locale, "failure.unknown", code="").split("`")[0] for locale in LANGUAGES)
"""How an answer begins that reports a fault of the program."""

UNSTORED = tuple(
    text("en", f"storage.{key}", code="").split(".")[0] for key in ("failing", "unknown", "away", "cut-off")
)
"""The beginnings of answers that promise nothing."""

NASTY = (
    "@everyone",
    "@here <@1> <@&1> <@!1> <#1> </move:1>",
    "`" * 7,
    "```\n**_~~||",
    "\u202etxt.exe\u202c",
    "\u200b\u2060\ufeff",
    "Z" + "\u0351\u0489" * 300,
    "👩‍👩‍👧‍👦" * 40,
    "[free](https://evil.example) https://evil.example",
    "#1\n# Headline\n> quoted\n-# small",
    "'; DROP TABLE events; --",
    "../../../etc/passwd",
    "{game} {0.__class__} %s $(id)",
    "\x00\x07\x1b[31m",
    "9" * 5000,
    "F7-" * 1500,
    "١٢",
    "İıſK",
)
"""Texts of people who want to break something."""


def require_answer(reply: Reply) -> Reply:
    """Returns the reply. Raises TooLateError if there is none, or one that promises nothing."""
    if reply.failed or reply.text.startswith(UNSTORED):
        raise TooLateError(reply)
    return reply


def check_answer(reply: Reply, *, public: bool = False) -> None:
    """Asserts that the answer is a private message, a form or an edit in place, in time, and reports no fault.

    With `public`, it may be for everybody if it shows a board, a replay or a table, or a table whose game a house
    player has begun with the first move. A refusal is always private.
    """
    assert not reply.failed  # not even begun within the three seconds that Discord gives, and the sandbox after it
    assert not reply.text.startswith(FAILURE), reply.text
    in_rows = reply.message is not None and reply.message.json["components_v2"]
    assert len(reply.text) <= (4000 if in_rows else 2000)
    shows = reply.attachments or reply.buttons or any(sign in reply.text for sign in ("```", "· game #"))
    for_all = public and shows
    assert reply.answer in ("update", "silent", "modal") or reply.ephemeral or for_all, reply


@asynccontextmanager
async def unheard(acting: Coroutine[Any, Any, object]) -> AsyncIterator[None]:
    """Has somebody act during the block, at whose end nobody waits for the answer any more."""
    task = asyncio.create_task(acting)
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
