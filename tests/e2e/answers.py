"""Answers to people whose bot may be dying or without its database."""

from __future__ import annotations

from bot.texts.i18n import text
from sandbox.people import Reply, TooLateError

UNSTORED = tuple(
    text("en", f"storage.{key}", code="").split(".")[0] for key in ("failing", "unknown", "away", "cut-off")
)
"""The beginnings of answers that promise nothing."""


def require_answer(reply: Reply) -> Reply:
    """Returns the reply. Raises TooLateError if there is none, or one that promises nothing."""
    if reply.failed or reply.text.startswith(UNSTORED):
        raise TooLateError(reply)
    return reply
