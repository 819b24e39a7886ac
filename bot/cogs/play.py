"""`/play` and the buttons of the table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import aiohttp
import discord
from discord import app_commands
from discord.ext import commands

from bot.clock import Pace
from bot.cogs._buttons import Action, on
from bot.cogs._errors import CannotPost
from bot.cogs._options import VARIANT_CHOICES, where
from bot.cogs._permissions import Obstacle, Trouble, complaint, missing_for
from bot.cogs._reply import NOBODY, Press, answer, now, reader, server
from bot.cogs._table import table_text, table_view
from bot.cogs._translator import words
from bot.events import Seating
from bot.match import Match, Phase
from bot.problems import MatchError, Problem

SEAT_CHOICES = [app_commands.Choice(name=words(f"choice.seats.{way.value}"), value=way.value) for way in Seating]


class Play(commands.Cog):
    """Invitations: from the first call to a full table."""

    @app_commands.command(name="play", description=words("command.play.description"))
    @app_commands.describe(
        variant=words("command.play.variant"),
        opponent=words("command.play.opponent"),
        second_opponent=words("command.play.second_opponent"),
        seats=words("command.play.seats"),
        thread=words("command.play.thread"),
    )
    @app_commands.choices(variant=VARIANT_CHOICES, seats=SEAT_CHOICES)
    async def play(
        self,
        interaction: Press,
        variant: str,
        opponent: discord.User | None = None,
        second_opponent: discord.User | None = None,
        seats: str = Seating.RANDOM.value,
        thread: bool = False,
    ) -> None:
        """Offer a game. The table's message is the answer itself, so that it pings those who are invited."""
        guild, channel = where(interaction)
        _require_permissions(interaction, wants_thread=thread)
        guests = [user for user in (opponent, second_opponent) if user is not None]
        if any(user.bot for user in guests):
            raise MatchError(Problem.OPPONENT_IS_BOT)
        match = await interaction.client.service.open_table(
            guild,
            channel,
            interaction.user.id,
            variant,
            [user.id for user in guests],
            Seating(seats),
            thread,
            now(),
            pace=Pace.NONE,  # until the command asks for one
        )
        locale = server(interaction)
        pings = discord.AllowedMentions(everyone=False, roles=False, users=guests)
        view = table_view(locale, match)
        assert view is not None
        try:
            sent = await interaction.response.send_message(table_text(locale, match), view=view, allowed_mentions=pings)
        except (discord.HTTPException, aiohttp.ClientError, OSError):
            # Too late, or delivered twice: nobody would ever see this table.
            await interaction.client.service.cancel(match.id, guild, interaction.user.id, now())
            raise
        assert sent.message_id is not None
        await interaction.client.service.set_table_message(match.id, channel, sent.message_id)


def _require_permissions(interaction: Press, *, wants_thread: bool) -> None:
    """Refuse a game where its turns could not be posted, before anybody has been invited."""
    is_thread = isinstance(interaction.channel, discord.Thread)
    granted = interaction.app_permissions
    missing = missing_for(granted, is_thread=is_thread, wants_thread=wants_thread and not is_thread)
    if missing:
        raise CannotPost(Trouble(Obstacle.FORBIDDEN, where(interaction)[1], missing))


Sit = Callable[[int, int, int, int], Awaitable[Match]]
"""A service method of the table: match, server, user, time."""


@on("join")
async def join(press: Press, action: Action) -> None:
    """Take a seat; the last one starts the game."""
    await _sit(press, action, press.client.service.join)


@on("leave")
async def leave(press: Press, action: Action) -> None:
    """Give a seat up."""
    await _sit(press, action, press.client.service.leave)


@on("decline")
async def decline(press: Press, action: Action) -> None:
    """Say no to an invitation."""
    await _sit(press, action, press.client.service.decline)


@on("cancel")
async def cancel(press: Press, action: Action) -> None:
    """Close the table."""
    await _sit(press, action, press.client.service.cancel)


async def _sit(press: Press, action: Action, act: Sit) -> None:
    """Do it, and bring the table's message up to date; when the game begins, the announcer sees to both."""
    guild, _ = where(press)
    service = press.client.service
    try:
        match = await act(action.match, guild, press.user.id, now())
    except MatchError as error:
        if error.problem is Problem.TABLE_CLOSED:  # an edit must have failed: the buttons should be gone
            await _show_table(press, await service.match(action.match, guild))
        raise
    if match.phase is Phase.OPEN:
        # Read again: somebody else may have pressed meanwhile, and the later edit must not show the older table.
        await _show_table(press, await service.match(match.id, guild))
        return
    await press.response.defer()
    trouble = await press.client.announcer.announce(match.id)
    if trouble:
        await answer(press, complaint(reader(press), trouble))


async def _show_table(press: Press, match: Match) -> None:
    """Bring the message whose button was pressed up to date. An edit pings nobody."""
    locale = server(press)
    await press.response.edit_message(
        content=table_text(locale, match), view=table_view(locale, match), allowed_mentions=NOBODY
    )
