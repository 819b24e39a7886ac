"""Handles the gateway's events about servers and places that come and go."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence

import discord
from discord.ext import commands

from bot.core.acts import CancelTable
from bot.core.deadlines import Actor
from bot.core.listings import GamePlace
from bot.core.match import Phase
from bot.core.problems import MatchError
from bot.discordkit.gateway import has_one_connection
from bot.discordkit.permissions import Trouble
from bot.discordkit.reply import now
from bot.play.context import BotContext
from bot.play.places import is_place_gone, leave_deleted_place, resume_in_place, shut_trouble
from bot.play.service.presence import SILENT_CONNECTION_S
from bot.play.service.upkeep import note_removed, note_returned, note_servers
from bot.store import game_lists


class Places(commands.Cog):
    """Notes servers and places that come and go, so that no clock runs where nobody can move or be notified."""

    def __init__(self, context: BotContext, announce: Callable[[int], Awaitable[Trouble | None]]) -> None:
        self._context = context
        self._presence = context.service.presence
        self._announce = announce
        self._tried: dict[int, int] = {}
        """When each game without a place was last posted to, while the client knows nothing against that."""

    # The connection to Discord

    @commands.Cog.listener()
    async def on_disconnect(self) -> None:
        """Notes that nobody can be reached from now on: in that connection's servers, or anywhere if
        none is left.
        """
        if self._context.is_partly_connected and self._context.is_connected():
            await self._note(self._presence.check_servers(self._context.reaches_server, now(), SILENT_CONNECTION_S))
        else:
            self._presence.note_connection_lost(now())

    @commands.Cog.listener()
    async def on_connect(self) -> None:
        """Notes a new session: people may act from now on, before all servers have arrived. Other
        connections may be lost.
        """
        if has_one_connection(self._context.client):
            await self._note(self._presence.note_present(now()))

    @commands.Cog.listener()
    async def on_resumed(self) -> None:
        """Notes that the connection is back: clocks run from now on."""
        if self._context.is_connected():
            if self._context.is_partly_connected:
                await self._note(self._presence.check_servers(self._context.reaches_server, now()))
            await self._note(self._presence.note_present(now()))

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Does the same for a new session, and checks all servers: some may have come and gone without an event."""
        await self.on_resumed()
        await self._note(self._presence.check_servers(self._context.reaches_server, now()))
        present = [guild.id for guild in self._context.client.guilds]
        await self._note(note_servers(self._context.service, present, now()))

    # Servers

    @commands.Cog.listener()
    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        """Notes that an outage at Discord has made that server unavailable."""
        await self._note(self._presence.note_server_lost(guild.id, now()))

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Notes that the bot was removed from that server, or that the server is gone. Its data is deleted some weeks
        later.
        """
        await self.on_guild_unavailable(guild)
        await self._note(note_removed(self._context.service, guild.id, now()))

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Notes that the server can be reached. At a start Discord sends this for every server, even if nothing has
        changed.
        """
        await self._note(self._presence.note_server_found(guild.id, now()))

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Notes that the bot was added to that server, perhaps again."""
        await self._note(note_returned(self._context.service, guild.id))
        await self.on_guild_available(guild)

    async def _note(self, noting: Awaitable[object]) -> None:
        """Continues if the disk refuses a note: nothing is due before the next tick can store one."""
        with self._context.service.attempts.contain_failures("notes of presence"):
            await noting

    # Places

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Takes games out of the channel, and out of its threads. Closes its tables."""
        await self._leave_deleted(channel.guild.id, channel.id, lambda game: game.place.thread is not None)

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """Moves the thread's game to its channel. Games that began in the thread have no other place."""
        thread = payload.thread_id
        await self._leave_deleted(payload.guild_id, thread, lambda game: game.place.thread == thread)

    async def _leave_deleted(self, guild: int, place: int, may_concern: Callable[[GamePlace], bool]) -> None:
        """Closes the tables of a deleted place, and moves its games. `may_concern`: games whose thread may be gone."""
        self._context.deleted[place] = True
        await self._close_tables(guild, place)

        async def leave() -> None:
            for game in await game_lists.places_of_live_games(self._context.service.reader, guild):
                with self._context.service.attempts.contain_failures("lost places", game=game.id):
                    if game.place.thread is None:
                        is_gone = game.place.channel == place
                    else:
                        is_gone = may_concern(game) and await is_place_gone(self._context, guild, game.place.thread)
                    if is_gone:
                        await leave_deleted_place(self._context, game)

        self._context.background.start_task(leave())

    async def try_lost_places(self) -> None:
        """Posts again in games whose place has taken no post: as soon as the client knows nothing against it, and then
        once an hour. Discord does not say when a timeout ends, and many changes can give a permission back.
        """
        context = self._context
        lost = [
            game
            for game in await game_lists.games_without_place(context.service.reader)
            if context.reaches_server(game.guild)
        ]
        may_post = {game.id for game in lost if shut_trouble(context, game) is None}
        rest = context.timings.unpostable_rest_s
        self._tried = {key: at for key, at in self._tried.items() if key in may_post and 0 <= now() - at < rest}
        due: dict[int, list[GamePlace]] = {}
        for game in lost:
            if game.id in may_post and game.id not in self._tried:
                self._tried[game.id] = now()
                due.setdefault(game.guild, []).append(game)
        for games in due.values():
            context.background.start_task(self._try_games(games))

    async def _try_games(self, games: Sequence[GamePlace]) -> None:
        for game in games:
            with self._context.service.attempts.contain_failures("lost places", game=game.id):
                trouble = await self._announce(game.id)
                if trouble is None:
                    await resume_in_place(self._context, game)
                elif trouble.obstacle.is_temporary and trouble.until is None:
                    self._tried.pop(game.id, None)  # the next tick tries again

    async def _close_tables(self, guild: int, place: int) -> None:
        """Closes the open tables of a place that nobody can see any more. One that cannot be closed now expires."""
        service = self._context.service
        with service.attempts.contain_failures("tables of deleted places"):
            for match_id in await game_lists.matches_in_place(service.reader, guild, place):
                with contextlib.suppress(MatchError):  # it has expired and is closed at the next tick, or is unreadable
                    match = await service.current_match(match_id, guild)
                    if match.phase is Phase.OPEN:
                        await service.act(Actor(match.table.host, now()), match.id, CancelTable())
