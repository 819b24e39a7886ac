"""What the gateway says of servers and places that come and go."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator

import discord
import structlog
from discord.ext import commands

from bot.core import table
from bot.core.match import Phase
from bot.core.problems import MatchError
from bot.discordkit.permissions import Trouble, timeout_trouble
from bot.discordkit.reply import now
from bot.play.announcing.context import BotContext
from bot.play.places.reach import PlaceChecker
from bot.play.service.presence import DEAD_LINE_S
from bot.store import StoreError

log = structlog.get_logger()


class Places(commands.Cog):
    """Hears of servers and places that come and go, so that no clock runs where nobody can move or be told of it."""

    def __init__(
        self, context: BotContext, announce: Callable[[int], Awaitable[Trouble | None]], connected: Callable[[], bool]
    ) -> None:
        self._context = context
        self._place_checker = PlaceChecker(context, announce)
        self._connected = connected
        self._timed_out: set[int] = set()
        """Servers in which the bot is in the moderators' timeout, or has been since the last tick."""

    # The line to Discord

    @commands.Cog.listener()
    async def on_disconnect(self) -> None:
        """Nobody can be reached from here on: in the servers of that shard, or anywhere if no other is connected."""
        if self._context.lost_shards and self._connected():
            with _ignoring_store_errors():
                await self._context.service.presence.check_servers(self._context.reaches_server, now(), DEAD_LINE_S)
        else:
            self._context.service.presence.note_connection_lost(now())

    @commands.Cog.listener()
    async def on_connect(self) -> None:
        """A new session: people may act from now on, before all servers are told of. Other shards may be away."""
        if len(self._context.service.store.share.own_shards) == 1:
            with _ignoring_store_errors():
                await self._context.service.presence.note_present(now())

    @commands.Cog.listener()
    async def on_resumed(self) -> None:
        """The line stands again: from here on clocks run."""
        if self._connected():
            with _ignoring_store_errors():
                if self._context.lost_shards:
                    await self._context.service.presence.check_servers(self._context.reaches_server, now())
                await self._context.service.presence.note_present(now())

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """The same with a new session; servers may have come and gone without a word meanwhile."""
        await self.on_resumed()
        with _ignoring_store_errors():
            await self._context.service.presence.check_servers(self._context.reaches_server, now())
            await self._context.service.privacy.note_servers([guild.id for guild in self._context.client.guilds], now())
        for guild in await self._context.service.servers_of_games():
            if self._context.reaches_server(guild):
                await self._check_server(guild)

    # Servers

    @commands.Cog.listener()
    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        """An outage at Discord has taken that server away for a while."""
        with _ignoring_store_errors():
            await self._context.service.presence.note_server_lost(guild.id, now())

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot has been thrown out of that server, whose data is deleted some weeks later; or the server is gone."""
        await self.on_guild_unavailable(guild)
        with _ignoring_store_errors():
            await self._context.service.privacy.note_removed(guild.id, now())

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """That server can be reached; each is announced so at a start, too, where nothing is news."""
        with _ignoring_store_errors():
            if await self._context.service.presence.note_server_found(guild.id, now()):
                await self._check_server(guild.id)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """The bot has been let in, perhaps again."""
        with _ignoring_store_errors():
            await self._context.service.privacy.note_returned(guild.id)
        await self.on_guild_available(guild)

    # Places

    @commands.Cog.listener()
    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        """The bot may have been let in or shut out there."""
        if before.overwrites != after.overwrites or before.category_id != after.category_id:
            await self._check_server(after.guild.id)

    @commands.Cog.listener()
    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        """The same, in all channels."""
        if before.permissions != after.permissions:
            await self._check_server(after.guild.id)

    @commands.Cog.listener()
    async def on_guild_role_delete(self, role: discord.Role) -> None:
        """The same: the role may have been the bot's."""
        await self._check_server(role.guild.id)

    @commands.Cog.listener()
    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        """The same, also by a timeout; without its privileged intent the bot hears of itself alone."""
        if after.id == after.guild.me.id and _permission_basis(before) != _permission_basis(after):
            await self._check_server(after.guild.id)

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Look at its games, and at those in posts of a forum that have been put away; its tables are closed."""
        await self._close_tables(channel.guild.id, channel.id)
        self._context.deleted[channel.id] = True
        await self._check_server(channel.guild.id)

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """Let the game of the thread go on in its channel; those that were begun in the thread have no other place."""
        await self._close_tables(payload.guild_id, payload.thread_id)
        self._context.deleted[payload.thread_id] = True
        await self._place_checker.check_place(payload.guild_id, payload.thread_id)

    async def look_for_ended_timeouts(self) -> None:
        """Let the games go on where the bot's timeout has ended since the last look: Discord says nothing then."""
        present = {guild.id for guild in self._context.client.guilds if timeout_trouble(guild, 0)}
        for guild in self._timed_out - present:
            await self._place_checker.check_server(guild)
            self._timed_out.discard(guild)
        self._timed_out |= present

    async def _check_server(self, guild: int) -> None:
        """Look at all live games of a server, and remember that the bot is in its moderators' timeout, if so."""
        if timeout_trouble(self._context.client.get_guild(guild), 0):  # which may be over before the next tick
            self._timed_out.add(guild)
        await self._place_checker.check_server(guild)

    @commands.Cog.listener()
    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        """It may have been locked, or opened again."""
        await self._place_checker.check_place(payload.guild_id, payload.thread_id)

    @commands.Cog.listener()
    async def on_thread_join(self, thread: discord.Thread) -> None:
        """The bot has been brought into a private thread, perhaps again."""
        await self._place_checker.check_place(thread.guild.id, thread.id)

    @commands.Cog.listener()
    async def on_thread_remove(self, thread: discord.Thread) -> None:
        """The bot has been removed from a thread, which discord.py 2.7.1 goes on taking for known."""
        if thread.is_private():
            thread.guild._remove_thread(thread)
        await self._place_checker.check_place(thread.guild.id, thread.id)

    async def _close_tables(self, guild: int, place: int) -> None:
        """Close the open tables of a place that nobody can see any more."""
        service = self._context.service
        for match_id in await service.played_in(guild, place):
            match = await service.current_match(match_id, guild)
            if match.phase is Phase.OPEN:
                with contextlib.suppress(MatchError):  # it has waited in vain, and the next tick closes it
                    await service.act_on_match(
                        match.id, match.guild, lambda match, _: table.cancel_table(match, match.host, now())
                    )


def _permission_basis(member: discord.Member) -> tuple[object, ...]:
    """What permissions in all channels depend on."""
    return member.roles, member.timed_out_until, member.pending


@contextlib.contextmanager
def _ignoring_store_errors() -> Iterator[None]:
    """Does without a note that the disk does not take: nothing falls due either before the next tick can write one."""
    try:
        yield
    except StoreError:
        log.warning("presence not noted", exc_info=True)
