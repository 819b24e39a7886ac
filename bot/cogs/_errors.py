"""From what went wrong to one private answer in the reader's language."""

from __future__ import annotations

import discord
from discord import app_commands

from bot.cogs._permissions import Trouble, complaint
from bot.cogs._reply import Press, answer, reader
from bot.i18n import Language, join, text
from bot.problems import MatchError
from bot.words import mention, plain, refusal
from rules import RulesError

NOBODY_WAITS = (10062, 40060)
"""Discord's codes for an interaction that has died of old age, and for one delivered twice and answered already."""


SHOWN_GAMES = 10
"""Games that a question lists; the suggestions of the option have the others."""


class CannotPost(Exception):
    """The bot cannot do what was asked where it was asked."""

    def __init__(self, trouble: Trouble) -> None:
        self.trouble = trouble
        super().__init__(f"{trouble.obstacle.value} in {trouble.where}: {', '.join(trouble.missing)}")


async def explain(press: Press, error: BaseException, code: str) -> bool:
    """Answer the error; False if it is one that nobody should meet, which is then answered with the code."""
    locale = reader(press)
    if isinstance(error, discord.HTTPException) and error.code in NOBODY_WAITS:
        return True
    said = sentence(locale, error)
    await answer(press, said or text(locale, "failure.unknown", code=f"`{code}`"))
    return said is not None


def sentence(locale: Language, error: BaseException) -> str | None:
    """The error in words, if it is one that people can meet."""
    if isinstance(error, RulesError):
        return refusal(locale, error)
    if isinstance(error, MatchError):
        return problem(locale, error)
    if isinstance(error, CannotPost):
        return complaint(locale, error.trouble)
    if isinstance(error, app_commands.NoPrivateMessage):
        return text(locale, "failure.wrong-place")
    return None


def problem(locale: Language, error: MatchError) -> str:
    """Why a request about a game is refused."""
    values = dict(error.values)
    for name in ("next", "host", "user"):
        if isinstance(user := values.get(name), int):
            values[name] = mention(user)
    if isinstance(again := values.get("again"), int):
        values["again"] = f"<t:{again}:R>"
    if isinstance(zone := values.get("zone"), str):
        values["zone"] = plain(zone)
    if isinstance(channels := values.get("channels"), tuple):
        values["channels"] = join(locale, [f"<#{channel}>" for channel in channels[:SHOWN_GAMES]], "list.or")
    for name in ("reserved", "candidates"):
        if isinstance(found := values.get(name), tuple | list):
            shown = [mention(item) if name == "reserved" else f"#{item}" for item in found[:SHOWN_GAMES]]
            values[name] = join(locale, shown, "list.or") if shown else ""
    return text(locale, f"problem.{error.problem.value}", **values)
