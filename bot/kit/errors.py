"""From what went wrong to one private answer in the reader's language."""

from __future__ import annotations

import re
from typing import Any

import discord
from discord import app_commands

from bot.kit.permissions import CannotPost, complaint
from bot.kit.reply import UNKNOWN_MESSAGE, Interaction, answer, reader
from bot.kit.steady import ALREADY_ANSWERED, TOO_LATE, is_outage
from bot.ladder.conditions import LadderError
from bot.people.problems import MatchError, Problem
from bot.store.migrations import Fault, StoreError
from bot.texts.clocks import instant
from bot.texts.i18n import Language, join, plural, text
from bot.texts.ladder import refused
from bot.texts.sentences import mention, plain, refusal
from rules import RulesError

UNKNOWN_WEBHOOK, INVALID_TOKEN = 10015, 50027
NOBODY_WAITS = (TOO_LATE, ALREADY_ANSWERED, UNKNOWN_MESSAGE, UNKNOWN_WEBHOOK, INVALID_TOKEN)
"""Discord's codes for an interaction that has died of old age, one delivered twice and answered already, an answer that
has been dismissed, and a token that has died since."""

_OF_INTERACTIONS = re.compile(r"/(webhooks|interactions)/\d+/")
"""The addresses by which interactions are answered. From any other, such as a channel's, those codes say nothing about
who waits."""


SHOWN_AT_MOST = 10
"""Games, channels or people that a sentence lists; the suggestions of the option have the others."""


COUNTED = {
    Problem.NO_SUCH_PLY: "last",
    Problem.NO_SUCH_STRETCH: "count",
    Problem.VACATION_SPENT: "left",
    Problem.TOO_MANY_OPEN: "most",
    Problem.TOO_MANY_HOUSE: "most",
}
"""The problems that are told with a number of things, which may be one; by the name of the number."""


class Declined(Exception):
    """What the bot does not do for a reason that lies in Discord, or in what was typed; `key` is its sentence."""

    def __init__(self, key: str, **values: object) -> None:
        self.key = key
        self.values = values
        super().__init__(key)


async def explain(interaction: Interaction, error: BaseException, code: str) -> None:
    """Answer the error; the log has what nobody can be told by the code."""
    locale = reader(interaction)
    if nobody_waits(error):
        return
    if isinstance(error, StoreError):
        await answer(interaction, unsaved(locale, error, code))
        return
    await answer(interaction, sentence(locale, error) or text(locale, "failure.unknown", code=f"`{code}`"))


def nobody_waits(error: BaseException) -> bool:
    """Returns whether Discord has refused an answer because nobody waits for it any longer."""
    if not isinstance(error, discord.HTTPException) or error.code not in NOBODY_WAITS:
        return False
    return bool(_OF_INTERACTIONS.search(error.response.url.path))


def unsaved(locale: Language, error: StoreError, code: str) -> str:
    """That something is not saved, or perhaps not; the log has more by the code."""
    key = "storage.unknown" if error.fault is Fault.UNKNOWN else "storage.failing"
    return text(locale, key, code=f"`{code}`")


def is_known(error: BaseException) -> bool:
    """Whether the error is one that people can meet, and so no mistake of the program's."""
    return nobody_waits(error) or sentence("en", error) is not None


def sentence(locale: Language, error: BaseException) -> str | None:
    """The error in words, if it is one that people can meet."""
    if isinstance(error, RulesError):
        return refusal(locale, error)
    if isinstance(error, MatchError):
        return problem(locale, error)
    if isinstance(error, LadderError):
        return refused(locale, error)
    if isinstance(error, Declined):
        return text(locale, error.key, **error.values)
    if isinstance(error, CannotPost):
        return complaint(locale, error.trouble)
    if isinstance(error, app_commands.NoPrivateMessage):
        return text(locale, "failure.wrong-place")
    if isinstance(error, app_commands.TransformerError):  # such as a channel of another server, named by its number
        return text(locale, "failure.unfit-option", value=plain(str(error.value)))
    if isinstance(error, (app_commands.CommandNotFound, app_commands.CommandSignatureMismatch)):
        # Discord offers a command of an older version until it has taken ours, and people's apps a while longer.
        return text(locale, f"problem.{Problem.NO_SUCH_BUTTON.value}")
    if is_outage(error):
        return text(locale, "failure.outage")
    return None


def problem(locale: Language, error: MatchError) -> str:
    """Why a request about a game is refused."""
    values: dict[str, Any] = dict(error.values)
    for name in ("next", "host", "user"):
        if isinstance(user := values.get(name), int):
            values[name] = mention(user, locale)
    for name in ("again", "until"):
        if isinstance(at := values.get(name), int):
            values[name] = instant(at)
    if isinstance(zone := values.get("zone"), str):
        values["zone"] = plain(zone)
    if isinstance(channels := values.get("channels"), tuple):
        values["channels"] = join(locale, [f"<#{channel}>" for channel in channels[:SHOWN_AT_MOST]], "or")
    for name in ("reserved", "candidates"):
        if isinstance(found := values.get(name), tuple | list):
            shown = [mention(item, locale) if name == "reserved" else f"#{item}" for item in found[:SHOWN_AT_MOST]]
            values[name] = join(locale, shown, "or") if shown else ""
    key = f"problem.{error.problem.value}"
    if error.problem in COUNTED:
        return plural(locale, key, values.pop(COUNTED[error.problem]), **values)
    return text(locale, key, **values)
