"""Turns an error into a sentence in the reader's language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import discord
from discord import app_commands

from bot.discordkit.permissions import CannotPost, trouble_sentence
from bot.discordkit.reply import UNKNOWN_MESSAGE_CODE
from bot.discordkit.requests import ALREADY_ANSWERED_CODE, TOO_LATE_CODE, GateShut, is_outage
from bot.texts.i18n import Language, text
from bot.texts.markup import escape_markup

UNKNOWN_WEBHOOK, INVALID_TOKEN, UNKNOWN_CHANNEL_CODE = 10015, 50027, 10003
NOBODY_WAITS_CODES = (
    *(TOO_LATE_CODE, ALREADY_ANSWERED_CODE, UNKNOWN_MESSAGE_CODE),
    *(UNKNOWN_WEBHOOK, INVALID_TOKEN, UNKNOWN_CHANNEL_CODE),
)
"""Discord's codes for an interaction that has expired, one that was delivered twice and answered already, an answer
that was dismissed, a token that has expired since, and a channel that was deleted before the answer.
"""

_OF_INTERACTIONS = re.compile(r"/(webhooks|interactions)/\d+/")
"""The addresses by which interactions are answered. From any other address, such as a channel's, those codes do not say
whether somebody waits.
"""


NO_SUCH_BUTTON = "problem.no-such-button"
"""The sentence about a command or component that this version does not know."""


class Declined(Exception):
    """The bot declines a request for a reason in Discord or in what was typed. `key` names the sentence."""

    def __init__(self, key: str, **values: object) -> None:
        self.key = key
        self.values = values
        super().__init__(key)


class Explanation(NamedTuple):
    """The function that returns the sentence for errors of a class, which people can cause."""

    kind: type[Exception]
    explain: Callable[[Language, Any], str]


def nobody_waits(error: BaseException) -> bool:
    """True if Discord refused an answer because the interaction has ended."""
    if not isinstance(error, discord.HTTPException) or error.code not in NOBODY_WAITS_CODES:
        return False
    return bool(_OF_INTERACTIONS.search(error.response.url.path))


def error_sentence(locale: Language, error: BaseException, explanations: Iterable[Explanation] = ()) -> str | None:
    """Returns the error in words; None if people cannot cause it."""
    if isinstance(error, Declined):
        return text(locale, error.key, **error.values)
    if isinstance(error, CannotPost):
        return trouble_sentence(locale, error.trouble)
    if isinstance(error, app_commands.NoPrivateMessage):
        return text(locale, "failure.wrong-place")
    if isinstance(error, app_commands.TransformerError):  # such as a channel of another server, typed as its number
        return text(locale, "failure.unfit-option", value=escape_markup(str(error.value)))
    if isinstance(error, (app_commands.CommandNotFound, app_commands.CommandSignatureMismatch)):
        # Discord offers an old version's commands until it has taken ours, and people's apps offer them a while longer.
        return text(locale, NO_SUCH_BUTTON)
    if isinstance(error, GateShut):  # an outage too, but Discord is well
        return text(locale, "storage.cut-off")
    if is_outage(error):
        return text(locale, "failure.outage")
    return next((one.explain(locale, error) for one in explanations if isinstance(error, one.kind)), None)
