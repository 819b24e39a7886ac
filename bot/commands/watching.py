"""`/follow`, `/unfollow` and `/game move-here`: who watches a game, and where it is played."""

from __future__ import annotations

import contextlib

import discord
from discord import app_commands
from discord.ext import commands

from bot.commands.acting import acted
from bot.commands.app import App, app, require_calm
from bot.commands.ladder import require_open
from bot.commands.options import (
    game_number,
    is_private,
    parent,
    suggest_followed_games,
    suggest_games,
    suggest_visible_games,
    the_game,
    where,
)
from bot.kit.errors import CannotPost
from bot.kit.permissions import Obstacle, Trouble, missing_for
from bot.kit.reply import Interaction, answer, now, reader
from bot.kit.translator import localized
from bot.match import table
from bot.match.match import Match
from bot.people.problems import MatchError, Problem
from bot.posting.places import bring_home, leave_homeless
from bot.texts.i18n import text
from bot.texts.sentences import titled


class Following(commands.Cog):
    """Followers are pinged when a game ends, and at every move where they ask for it."""

    @app_commands.command(name="follow", description=localized("command.follow.description"))
    @app_commands.describe(game=localized("command.follow.game"), every_move=localized("command.follow.every-move"))
    @app_commands.rename(every_move="every-move")
    @app_commands.autocomplete(game=suggest_visible_games)
    async def follow(self, interaction: Interaction, game: str | None = None, every_move: bool = False) -> None:
        """Follow a game into whose channel one may look."""
        guild, _ = where(interaction)
        match_id = await the_game(interaction, game, "view")
        service = app(interaction).service
        await service.people.follow(match_id, guild, interaction.user.id, every_move=every_move)
        match, locale = await service.match(match_id, guild), reader(interaction)
        key = "follow.every-move" if every_move else "follow.end"
        await answer(interaction, text(locale, key, id=match_id, variant=titled(locale, match.variant, match.title)))

    @app_commands.command(name="unfollow", description=localized("command.unfollow.description"))
    @app_commands.describe(game=localized("command.unfollow.game"))
    @app_commands.autocomplete(game=suggest_followed_games)
    async def unfollow(self, interaction: Interaction, game: str | None = None) -> None:
        """Follow it no longer, also where one may no longer look."""
        guild, _ = where(interaction)
        match_id = game_number(game) or await _only_followed(interaction)
        await app(interaction).service.people.unfollow(match_id, guild, interaction.user.id)
        await answer(interaction, text(reader(interaction), "follow.ended", id=match_id))


async def _only_followed(interaction: Interaction) -> int:
    """The game that the person follows, if it is one alone."""
    guild, _ = where(interaction)
    followed = await app(interaction).service.people.followed(guild, interaction.user.id)
    if not followed:
        raise MatchError(Problem.FOLLOWS_NONE)
    if len(followed) > 1:
        raise MatchError(Problem.WHICH_GAME, candidates=[game.id for game in followed])
    return followed[0].id


@app_commands.command(name="move-here", description=localized("command.game.move-here.description"))
@app_commands.describe(game=localized("command.game.move-here.game"))
@app_commands.autocomplete(game=suggest_games)
async def move_here(interaction: Interaction, game: str | None = None) -> None:
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
    service = app(interaction).service
    if (await service.match(match_id, guild)).ladder:
        require_open(interaction, channel)
    match = await service.move_here(match_id, guild, interaction.user.id, channel, now(), thread, parent=above)
    await acted(interaction, match, text(reader(interaction), "place.moved", id=match.id))


class Places(commands.Cog):
    """Hears of places that are deleted, so that nobody has to wait for the next move to learn of it."""

    def __init__(self, parts: App) -> None:
        self._parts = parts

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
                match = await self._parts.service.act(
                    match.id, None, lambda match, _: table.threaded(match, None, now())
                )
                await bring_home(self._parts, match)
            else:
                await self._lose(match, payload.thread_id)

    async def _played_in(self, guild: int, place: int) -> list[Match]:
        service = self._parts.service
        return [await service.match(match_id, guild) for match_id in await service.played_in(guild, place)]

    async def _lose(self, match: Match, place: int) -> None:
        """Tell the players of a game that has lost its place, or close a table that nobody can see any more."""
        if match.is_live:
            await leave_homeless(self._parts, match, Trouble(Obstacle.GONE, place))
        else:
            with contextlib.suppress(MatchError):  # it has waited in vain, and the next tick closes it
                await self._parts.service.act(
                    match.id, match.guild, lambda match, _: table.cancel(match, match.host, now())
                )
