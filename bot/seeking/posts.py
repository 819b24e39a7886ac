"""Puts people who look for a game on a list, and calls them to tables that have stayed open for an hour."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import discord
import structlog

from bot.core.match import Match
from bot.discordkit.components import Button, make_view
from bot.discordkit.permissions import Obstacle, obstacle_of, timeout_trouble
from bot.discordkit.reply import Interaction, send_answer
from bot.play.access import may_see_game
from bot.play.announcing.outbox import UNSENT_ERRORS
from bot.play.announcing.pinging import pinging_only
from bot.play.app import Caller
from bot.play.context import BotContext, ButtonPlace
from bot.play.names import GATEWAY_ERRORS
from bot.play.shared_components import Action, action_button, handles_action
from bot.seeking.service import Seekers
from bot.texts.i18n import Language, join_list, text
from bot.texts.people import mention_users
from bot.texts.sentences import message_url, variant_name

log = structlog.get_logger()

MAX_SEEKERS_CALLED = 25
"""People called to one table."""


def seek_button(locale: Language, *, looking: bool = False) -> Button:
    """Returns the button that puts a person on the list of seekers; for a person on it, the one that takes them off."""
    return action_button(locale, "seek-no-more" if looking else "seek")


def seek_buttons_at(locale: Language, match: Match, place: ButtonPlace) -> Sequence[Button]:
    """Returns the button below a table with a free seat."""
    return (seek_button(locale),) if place is ButtonPlace.TABLE else ()


async def seek_buttons_below_games(interaction: Interaction) -> Sequence[Button]:
    """Returns the button below a person's own games."""
    caller = Caller(interaction)
    looking = await caller.part(Seekers).is_looking(caller.guild, caller.user)
    return (seek_button(caller.locale, looking=looking),)


@handles_action("seek")
async def start_seeking(interaction: Interaction, action: Action) -> None:
    """Puts the person on the list of seekers, who are called to tables that stay open. Everybody presses the same
    public button, so it takes nobody off the list.
    """
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = Caller(interaction)
    await caller.part(Seekers).add_seeker(caller.guild, caller.user)
    stop = make_view(seek_button(caller.locale, looking=True))
    await send_answer(interaction, text(caller.locale, "seek.on"), view=stop)


@handles_action("seek-no-more")
async def stop_seeking(interaction: Interaction, action: Action) -> None:
    """Takes the person off the list of seekers."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = Caller(interaction)
    await caller.part(Seekers).remove_seeker(caller.guild, caller.user)
    await send_answer(interaction, text(caller.locale, "seek.off"))


async def call_seekers(context: BotContext, now: int) -> None:
    """Calls seekers to every table that waits for them, each once. Trouble with one table does not hold
    up the others.
    """
    attempts = context.service.attempts
    with attempts.contain_failures("seekers"):
        for match in await context.service.part(Seekers).tables_to_fill(now):
            with attempts.contain_failures("seekers", game=match.id):
                await _call_to_table(context, match, now)


async def _call_to_table(context: BotContext, match: Match, now: int) -> None:
    service = context.service
    users = await service.part(Seekers).seekers_in_turn(match, now)
    guild = context.client.get_guild(match.guild)
    place = guild.get_channel_or_thread(match.thread_or_channel) if guild else None
    if not users or guild is None or place is None or timeout_trouble(guild, match.thread_or_channel):
        return
    if isinstance(place, discord.Thread) and place.is_private():
        await service.part(Seekers).note_called(match, (), now)
        return
    callees = await _find_callees(context, match, guild, users)
    if callees is None:
        return
    seekers, departed = callees
    try:
        if seekers:
            await _post_call(context, match, seekers)
    except UNSENT_ERRORS as error:
        if obstacle_of(error) is Obstacle.OUTAGE:
            return
        seekers = []  # means that nobody has been called
    await service.part(Seekers).note_called(match, seekers, now, departed)


@asynccontextmanager
async def call_to_seat(context: BotContext, match: Match, now: int) -> AsyncIterator[Sequence[int]]:
    """Calls seekers to a vacant seat, in turn and as often as to a table. Notes them as called if no error follows."""
    part, guild = context.service.part(Seekers), context.client.get_guild(match.guild)
    users = await part.seekers_in_turn(match, now)
    callees = await _find_callees(context, match, guild, users) if users and guild else None
    yield callees[0] if callees else ()
    if callees:
        await part.note_called(match, callees[0], now, callees[1])


async def _find_callees(
    context: BotContext, match: Match, guild: discord.Guild, users: Sequence[int]
) -> tuple[list[int], list[int]] | None:
    """Returns those among the users who may see the game, and those who have left the server. None if Discord does not
    say.
    """
    try:
        members = await context.names.fetch_members(match.guild, users)
    except GATEWAY_ERRORS as error:
        log.info("members not told", match=match.id, error=str(error) or type(error).__name__)
        return None
    seekers = [user for user in users if user in members and may_see_game(guild, members[user], match)]
    return seekers[:MAX_SEEKERS_CALLED], [user for user in users if user not in members]


async def _post_call(context: BotContext, match: Match, users: list[int]) -> None:
    locale = context.server_language(match.guild)
    post = (await context.service.posts_of(match.id)).table
    url = message_url(match.guild, post) if post else ""
    content = text(
        locale,
        "seek.call" if post else "seek.call-here",
        variant=variant_name(locale, match.variant),
        id=match.id,
        players=join_list(locale, mention_users(locale, users)),
        url=url,
    )
    await context.send_message(
        match.thread_or_channel,
        content,
        f"s{match.created:x}:{match.id}",  # after a crash before the note, Discord drops the repeat
        guild=match.guild,
        ping=pinging_only(users),
        buttons=[seek_button(locale)],
    )
