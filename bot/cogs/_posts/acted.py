"""What follows an act that has been stored: it is announced, and whoever did it is told so privately."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import discord

from bot.cogs._answers.buttons import Action
from bot.cogs._answers.options import where
from bot.cogs._answers.permissions import unposted
from bot.cogs._answers.reply import Press, answer, now, reader
from bot.i18n import text
from bot.match import Match
from bot.matches.offers import RequestOf

Answering = Callable[[int, int, int, int, int | None], Awaitable[Match]]
"""A service method by which somebody answers: match, server, user, time, and the event that is answered."""


async def acted(press: Press, match: Match, said: str, view: discord.ui.View | None = None) -> None:
    """Announce what has happened in the match, then answer with `said`, and with what keeps it from the others."""
    trouble = await press.client.announcer.announce(match.id)
    if trouble:
        said = f"{said}\n{unposted(reader(press), trouble, match)}"
    await answer(press, said, view=view)


async def respond(press: Press, action: Action, act: Answering, key: str) -> None:
    """Answer the event whose number the pressed button carries; `key` is the sentence for whoever pressed it."""
    await press.response.defer(ephemeral=True, thinking=True)
    match = await act(action.match, where(press)[0], press.user.id, now(), action.number)
    await acted(press, match, text(reader(press), key, id=match.id))


async def is_own(press: Press, action: Action, request_of: RequestOf) -> bool:
    """Whether it is the person's own request that he refuses: then he takes it back."""
    asked = request_of(await press.client.service.match(action.match, where(press)[0]))
    return asked is not None and asked.user == press.user.id
