"""Where games are played: `/game move-here`, and what becomes of games whose channel or thread is deleted."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.ext import commands

from bot.cogs._answers.cooldowns import require_calm
from bot.cogs._answers.errors import CannotPost
from bot.cogs._answers.options import is_private, parent, suggest_games, the_game, where
from bot.cogs._answers.permissions import Obstacle, Trouble, missing_for
from bot.cogs._answers.reply import Press, now, reader
from bot.cogs._answers.translator import words
from bot.cogs._ladder.place import require_open
from bot.cogs._posts.acted import acted
from bot.cogs._posts.homeless import bring_home, leave_homeless
from bot.i18n import text
from bot.match import Match
from bot.problems import MatchError

if TYPE_CHECKING:
    from bot.client import RoundTable


@app_commands.command(name="move-here", description=words("command.game.move-here.description"))
@app_commands.describe(game=words("command.game.move-here.game"))
@app_commands.autocomplete(game=suggest_games)
async def move_here(interaction: Press, game: str | None = None) -> None:
    """Take a game to the channel or thread in which this is said; a player may."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    guild, here = where(interaction)
    match_id = await the_game(interaction, game, "resign")
    above = parent(interaction)
    # A private thread is a place of its own: nothing of its games is its channel's, also when the thread is put away.
    channel, thread = (here, None) if above is None or is_private(interaction) else (above, here)
    missing = missing_for(interaction.app_permissions, is_thread=above is not None)
    if missing:
        raise CannotPost(Trouble(Obstacle.FORBIDDEN, here, missing))
    require_calm(interaction, "ask")
    service = interaction.client.service
    if (await service.match(match_id, guild)).ladder:
        require_open(interaction, channel)
    match = await service.move_here(match_id, guild, interaction.user.id, channel, now(), thread, parent=above)
    await acted(interaction, match, text(reader(interaction), "place.moved", id=match.id))


class Places(commands.Cog):
    """Hears of places that are deleted, so that nobody has to wait for the next move to learn of it."""

    def __init__(self, client: RoundTable) -> None:
        self._client = client

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Tell the players of its games, and close its tables."""
        for match in await self._played_in(channel.guild.id, channel.id):
            await self._lose(match, channel.id)

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """Let the game of the thread go on in its channel; those that were begun in the thread have no other place."""
        for match in await self._played_in(payload.guild_id, payload.thread_id):
            if match.thread == payload.thread_id:
                await bring_home(self._client, await self._client.service.set_thread(match.id, None, now()))
            else:
                await self._lose(match, payload.thread_id)

    async def _played_in(self, guild: int, place: int) -> list[Match]:
        service = self._client.service
        return [await service.match(match_id, guild) for match_id in await service.played_in(guild, place)]

    async def _lose(self, match: Match, place: int) -> None:
        """Tell the players of a game that has lost its place, or close a table that nobody can see any more."""
        if match.is_live:
            await leave_homeless(self._client, match, Trouble(Obstacle.GONE, place))
        else:
            with contextlib.suppress(MatchError):  # it has waited in vain, and the next tick closes it
                await self._client.service.cancel(match.id, match.guild, match.host, now())
