"""Helpers for all hunts through the real process: their settings, nasty texts, and checks of an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from bot.texts.i18n import LANGUAGES, text
from sandbox.people import Reply
from tests.examples import examples

Test = TypeVar("Test", bound=Callable[..., Any])

FAILURE = tuple(text(locale, "failure.unknown", code="").split("`")[0] for locale in LANGUAGES)


def hunt(test: Test) -> Test:
    """Turns a property into a hunt that talks to the real process in each example."""
    profile = settings(
        examples(0.5),
        phases=[Phase.explicit, Phase.generate],  # shrinking takes too long
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    return pytest.mark.long(profile(test))


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

junk = st.sampled_from(NASTY) | st.text(max_size=200) | st.text(alphabet="F7-x. 0123#@`", max_size=40)


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


def commands(found: list[dict[str, Any]], *path: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Returns every command that can be run, as typed, with its options."""
    for one in found:
        below = [option for option in one["options"] if option["type"] in ("subcommand", "group")]
        if below:
            yield from commands(below, *path, one["name"])
        else:
            yield " ".join((*path, one["name"])), one["options"]
