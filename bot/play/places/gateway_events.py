"""Handles the gateway's events about servers and places that come and go."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator

import discord
import structlog
from discord.ext import commands

from bot.core import acts
from bot.core.acts import Actor
from bot.core.match import Phase
from bot.core.problems import MatchError
from bot.discordkit.gateway import has_one_connection
from bot.discordkit.permissions import Trouble, timeout_trouble
from bot.discordkit.reply import now
from bot.play.context import BotContext
from bot.play.places.reach import PlaceChecker
from bot.play.service.presence import SILENT_CONNECTION_S
from bot.store import StoreError

log = structlog.get_logger()


class Places(commands.Cog):
    """Notes servers and places that come and go, so that no clock runs where nobody can move or be notified."""

    def __init__(
        self, context: BotContext, announce: Callable[[int], Awaitable[Trouble | None]], connected: Callable[[], bool]
    ) -> None:
        self._context = context
        self._place_checker = PlaceChecker(context, announce)
        self._connected = connected
        self._timed_out: set[int] = set()
        """Servers in which the bot is in the moderators' timeout, or was at the last tick."""

    # The connection to Discord

    @commands.Cog.listener()
    async def on_disconnect(self) -> None:
        """Notes that nobody can be reached from now on: in that connection's servers, or anywhere if
        none is left.
        """
        if self._context.is_partly_connected and self._connected():
            with _ignoring_store_errors():
                await self._context.service.presence.check_servers(
                    self._context.reaches_server, now(), SILENT_CONNECTION_S
                )
        else:
            self._context.service.presence.note_connection_lost(now())

    @commands.Cog.listener()
    async def on_connect(self) -> None:
        """Notes a new session: people may act from now on, before all servers have arrived. Other
        connections may be lost.
        """
        if has_one_connection(self._context.client):
            with _ignoring_store_errors():
                await self._context.service.presence.note_present(now())

    @commands.Cog.listener()
    async def on_resumed(self) -> None:
        """Notes that the connection is back: clocks run from now on."""
        if self._connected():
            with _ignoring_store_errors():
                if self._context.is_partly_connected:
                    await self._context.service.presence.check_servers(self._context.reaches_server, now())
                await self._context.service.presence.note_present(now())

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Does the same for a new session, and checks all servers: some may have come and gone without an event."""
        await self.on_resumed()
        with _ignoring_store_errors():
            await self._context.service.presence.check_servers(self._context.reaches_server, now())
            await self._context.service.servers.note_servers([guild.id for guild in self._context.client.guilds], now())
            for guild in await self._context.service.servers_of_games():
                if self._context.reaches_server(guild):
                    await self._check_server(guild)

    # Servers

    @commands.Cog.listener()
    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        """Notes that an outage at Discord has made that server unavailable."""
        with _ignoring_store_errors():
            await self._context.service.presence.note_server_lost(guild.id, now())

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Notes that the bot was removed from that server, or that the server is gone. Its data is deleted some weeks
        later.
        """
        await self.on_guild_unavailable(guild)
        with _ignoring_store_errors():
            await self._context.service.servers.note_removed(guild.id, now())

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Notes that the server can be reached. At a start Discord sends this for every server, even if nothing has
        changed.
        """
        with _ignoring_store_errors():
            if await self._context.service.presence.note_server_found(guild.id, now()):
                await self._check_server(guild.id)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Notes that the bot was added to that server, perhaps again."""
        with _ignoring_store_errors():
            await self._context.service.servers.note_returned(guild.id)
        await self.on_guild_available(guild)

    # Places

    @commands.Cog.listener()
    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        """Checks the server's games, because the bot may have been let in or shut out there."""
        if before.overwrites != after.overwrites or before.category_id != after.category_id:
            await self._check_server(after.guild.id)

    @commands.Cog.listener()
    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        """Checks the server's games after a change that concerns all channels."""
        if before.permissions != after.permissions:
            await self._check_server(after.guild.id)

    @commands.Cog.listener()
    async def on_guild_role_delete(self, role: discord.Role) -> None:
        """Checks the server's games, because the role may have been the bot's."""
        await self._check_server(role.guild.id)

    @commands.Cog.listener()
    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        """Checks the server's games after a change to the bot, such as a timeout. Without the privileged intent the bot
        only hears of changes to itself.
        """
        if after.id == after.guild.me.id and _permission_basis(before) != _permission_basis(after):
            await self._check_server(after.guild.id)

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Checks the channel's games, including those in archived posts of a forum, and closes its tables."""
        self._context.deleted[channel.id] = True
        await self._close_tables(channel.guild.id, channel.id)
        await self._check_server(channel.guild.id)

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """Moves the thread's game to its channel. Games that began in the thread have no other place."""
        self._context.deleted[payload.thread_id] = True
        await self._close_tables(payload.guild_id, payload.thread_id)
        await self._place_checker.check_place(payload.guild_id, payload.thread_id)

    async def look_for_ended_timeouts(self) -> None:
        """Checks the games of servers where the bot's timeout has ended since the last look: Discord sends no event
        then.
        """
        present = {guild.id for guild in self._context.client.guilds if timeout_trouble(guild, 0)}
        for guild in self._timed_out - present:
            await self._place_checker.check_server(guild)
            self._timed_out.discard(guild)
        self._timed_out |= present

    async def _check_server(self, guild: int) -> None:
        """Checks all live games of a server, and remembers if the bot is in its moderators' timeout."""
        if timeout_trouble(self._context.client.get_guild(guild), 0):  # it may be over before the next tick
            self._timed_out.add(guild)
        await self._place_checker.check_server(guild)

    @commands.Cog.listener()
    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        """Checks the thread's games, because it may have been locked or unlocked."""
        await self._place_checker.check_place(payload.guild_id, payload.thread_id)

    @commands.Cog.listener()
    async def on_thread_join(self, thread: discord.Thread) -> None:
        """Checks the thread's games, because the bot has been added to a private thread, perhaps again."""
        await self._place_checker.check_place(thread.guild.id, thread.id)

    @commands.Cog.listener()
    async def on_thread_remove(self, thread: discord.Thread) -> None:
        """Checks the thread's games after the bot was removed from it. discord.py 2.7.1 would keep it as known."""
        if thread.is_private():
            thread.guild._remove_thread(thread)
        await self._place_checker.check_place(thread.guild.id, thread.id)

    async def _close_tables(self, guild: int, place: int) -> None:
        """Closes the open tables of a place that nobody can see any more. One that cannot be closed now expires."""
        service = self._context.service
        with _ignoring_store_errors():
            for match_id in await service.played_in(guild, place):
                with contextlib.suppress(MatchError):  # it has expired and is closed at the next tick, or is unreadable
                    match = await service.current_match(match_id, guild)
                    if match.phase is Phase.OPEN:
                        await service.act_on_match(
                            match.id, match.guild, lambda match, _: acts.cancel_table(match, Actor(match.host, now()))
                        )


def _permission_basis(member: discord.Member) -> tuple[object, ...]:
    """Returns what the member's permissions in all channels depend on."""
    return member.roles, member.timed_out_until, member.pending


@contextlib.contextmanager
def _ignoring_store_errors() -> Iterator[None]:
    """Continues if the disk refuses a note: nothing is due before the next tick can store one."""
    try:
        yield
    except StoreError:
        log.warning("presence not noted", exc_info=True)
