"""Games without a place: the players are told once, where they can still be told."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator

import discord
import structlog
from discord.abc import Messageable
from discord.ext import commands

from bot.kit.permissions import Obstacle, Trouble, complaint, missing_to, timed_out
from bot.kit.reply import NO_MENTIONS, RESOLVED, calling, now
from bot.match import table
from bot.match.match import Match, Phase
from bot.match.news import News
from bot.match.results import Summary
from bot.people.house import is_person
from bot.people.problems import MatchError
from bot.posting.desk import Desk
from bot.posting.outbox import best_effort
from bot.posting.reminding import direct_language
from bot.posting.telling.leavers import vacancy_buttons
from bot.posting.turn import turn_buttons
from bot.service.presence import SILENCE
from bot.store import StoreError
from bot.texts.i18n import Language, join, text
from bot.texts.sentences import mentions, titled

log = structlog.get_logger()

TRIED_FOR = 7 * 24 * 3600
"""Seconds for which the bot tries to tell the end of a game in its own place, where it may not post."""


async def bring_home(desk: Desk, match: Match) -> None:
    """Say in a game's channel that it goes on there, because its thread is gone. Best effort: the next turn says it."""
    locale, vacant = desk.language(match.guild), match.vacancy is not None
    called = match.people_in if vacant or match.to_move is None else (match.to_move,)
    said = text(
        locale,
        "place.thread-gone-vacant" if vacant else "place.thread-gone",
        players=join(locale, mentions(locale, called)),
        variant=titled(locale, match.variant, match.title),
        id=match.id,
    )
    pings = calling(called)
    shown = {item.custom_id: item for item in (*turn_buttons(locale, match), *vacancy_buttons(locale, match))}
    with best_effort("not told of a lost thread", match=match.id):
        message = await desk.send(
            match.channel, said, _nonce(match), guild=match.guild, ping=pings, buttons=tuple(shown.values())
        )
        await desk.service.set_turn_message(match.id, match.channel, message.id)


async def lose_place(desk: Desk, last: News, trouble: Trouble) -> None:
    """See to a game whose latest news cannot be posted; nothing where that may pass, or is known already.

    A game that is over is told of elsewhere for good: at once if its place is gone, else when that has been tried for
    long.
    """
    match = await desk.service.match(last.match.id, last.match.guild)
    if trouble.obstacle.passes and trouble.until is None:
        return
    if match.is_live:
        await leave_homeless(desk, match, trouble)
    elif match.phase is Phase.OVER and (trouble.obstacle is Obstacle.GONE or now() - last.event.at > TRIED_FOR):
        await _tell_elsewhere(desk, match, trouble)
        await desk.service.mark_announced(match.id, last.seq)


async def leave_homeless(desk: Desk, match: Match, trouble: Trouble) -> None:
    """Note that a live game has no place any more, and tell its players; nothing where that has been done.

    They are told in the channel of a lost thread, else in the announcements channel, else by direct message where they
    have asked for those; and the audit, since whoever manages the server can often mend it. `/games` shows it in any
    case. A crash before the note tells them again.
    """
    if not match.homeless:
        await _tell_elsewhere(desk, match, trouble)
        await desk.service.act(match.id, None, lambda match, _: table.homeless(match, now()))


def lost_to(desk: Desk, last: News) -> Trouble | None:
    """What still keeps a game from its place that is known to be shut to it, as the client knows without a request.

    None where another try may be heard: nothing is asked of Discord again and again that it would refuse.
    """
    match, guild = last.match, desk.client.get_guild(last.match.guild)
    if trouble := timed_out(guild, match.where):
        return trouble
    over_in_place = match.phase is Phase.OVER and match.thread is None
    if not (match.homeless or over_in_place):
        return None
    known = [guild.get_channel_or_thread(match.where), guild.get_channel(match.channel)] if guild else []
    found = [_shut(guild, place) for place in known if guild and place]
    if not found:  # the end of a game may wake a thread that has been put away, and that is not known
        return Trouble(Obstacle.GONE, match.where) if match.homeless else None
    return None if None in found else found[0]


def _shut(guild: discord.Guild, place: discord.abc.GuildChannel | discord.Thread) -> Trouble | None:
    """What keeps the bot from posting there, as far as the client knows."""
    if missing := missing_to(guild, place):
        return Trouble(Obstacle.FORBIDDEN, place.id, missing)
    locked = isinstance(place, discord.Thread) and place.locked and not place.permissions_for(guild.me).manage_threads
    return Trouble(Obstacle.SHUT, place.id) if locked else None


async def _tell_elsewhere(desk: Desk, match: Match, trouble: Trouble) -> None:
    """Tell the players in the nearest channel that takes it, else each alone; and the audit."""
    if trouble.obstacle is Obstacle.TIMED_OUT:  # which no channel of the server is free of
        await _write(desk, match, trouble)
        return
    settings = desk.servers.settings(match.guild)
    nearest = dict.fromkeys((match.channel, await _above(desk, match, trouble), settings.announcements))
    for channel in nearest:
        if channel is not None and channel != trouble.where and await _tell(desk, match, trouble, channel):
            break
    else:
        await _write(desk, match, trouble)
    if settings.audit is not None and settings.audit not in nearest:
        await _tell(desk, match, trouble, settings.audit, audit=True)


async def _above(desk: Desk, match: Match, trouble: Trouble) -> int | None:
    """The channel whose thread a game was begun in; none for what is private, gone, or a forum's post."""
    guild = desk.client.get_guild(match.guild)
    place = guild.get_channel_or_thread(match.channel) if guild else None
    if place is None and trouble.obstacle is Obstacle.SHUT:  # what has been put away is not known
        with best_effort("thread not found", match=match.id, thread=match.channel):
            found = await desk.client.fetch_channel(match.channel)
            place = found if isinstance(found, discord.Thread) else None
    if not isinstance(place, discord.Thread) or place.is_private() or not isinstance(place.parent, Messageable):
        return None
    return place.parent_id


async def _tell(desk: Desk, match: Match, trouble: Trouble, channel: int, *, audit: bool = False) -> bool:
    """Whether it could be said there."""
    pings, nonce = calling(match.players or match.joined), _nonce(match)
    if audit:
        pings, nonce = NO_MENTIONS, _nonce(match, "g")  # it is for the managers
    said = _words(desk.language(match.guild), match, trouble)
    message = None
    with best_effort("not told of a lost place", match=match.id, channel=channel):
        message = await desk.send(channel, said, nonce, guild=match.guild, ping=pings)
    return message is not None


async def _write(desk: Desk, match: Match, trouble: Trouble) -> None:
    """Direct messages to those who have asked for them. Best effort: they may be closed."""
    users = [user for user in match.players or match.joined if is_person(user)]
    for user, person in (await desk.service.people.of(tuple(users))).items():
        if not person.settings.by_dm:
            continue
        with best_effort("not told of a lost place", match=match.id, user=user):
            locale = await direct_language(desk, user, match.guild)
            known = await desk.client.create_dm(discord.Object(user))
            said, nonce = _words(locale, match, trouble), f"{_nonce(match)}:{users.index(user)}"
            await known.send(said, allowed_mentions=RESOLVED, nonce=nonce)


def _words(locale: Language, match: Match, trouble: Trouble) -> str:
    lost = "place.lost" if trouble.until is None else "place.lost-until"
    return text(
        locale,
        lost if match.is_live else "place.lost-over",
        players=join(locale, mentions(locale, match.players or match.joined)),
        variant=titled(locale, match.variant, match.title),
        id=match.id,
        why=complaint(locale, trouble),
    )


def _nonce(match: Match, kind: str = "h") -> str:
    return f"{kind}{match.created:x}:{match.id}:{match.seq}"


class Places(commands.Cog):
    """Hears of servers and places that come and go, so that no clock runs where nobody can move or be told of it."""

    def __init__(
        self, desk: Desk, announce: Callable[[int], Awaitable[Trouble | None]], connected: Callable[[], bool]
    ) -> None:
        self._desk = desk
        self._announce = announce
        self._connected = connected
        self._timed_out: set[int] = set()
        """Servers in which the bot is in the moderators' timeout, or has been since the last tick."""

    # The line to Discord

    @commands.Cog.listener()
    async def on_disconnect(self) -> None:
        """Nobody can be reached from here on: in the servers of that shard, or anywhere if no other is connected."""
        if self._desk.lost_shards and self._connected():
            with _noted():
                await self._desk.service.presence.check_servers(self._desk.reaches, now(), SILENCE)
        else:
            self._desk.service.presence.lose(now())

    @commands.Cog.listener()
    async def on_connect(self) -> None:
        """A new session: people may act from now on, before all servers are told of. Other shards may be away."""
        if len(self._desk.service.store.share.own) == 1:
            with _noted():
                await self._desk.service.presence.note(now())

    @commands.Cog.listener()
    async def on_resumed(self) -> None:
        """The line stands again: from here on clocks run."""
        if self._connected():
            with _noted():
                if self._desk.lost_shards:
                    await self._desk.service.presence.check_servers(self._desk.reaches, now())
                await self._desk.service.presence.note(now())

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """The same with a new session; servers may have come and gone without a word meanwhile."""
        await self.on_resumed()
        with _noted():
            await self._desk.service.presence.check_servers(self._desk.reaches, now())
            await self._desk.service.privacy.note_servers([guild.id for guild in self._desk.client.guilds], now())
        for guild in await self._desk.service.servers_of_games():
            if self._desk.reaches(guild):
                await self._look_over(guild)

    # Servers

    @commands.Cog.listener()
    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        """An outage at Discord has taken that server away for a while."""
        with _noted():
            await self._desk.service.presence.lose_server(guild.id, now())

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot has been thrown out of that server, whose data is deleted some weeks later; or the server is gone."""
        await self.on_guild_unavailable(guild)
        with _noted():
            await self._desk.service.privacy.note_removed(guild.id, now())

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """That server can be reached; each is announced so at a start, too, where nothing is news."""
        with _noted():
            if await self._desk.service.presence.find_server(guild.id, now()):
                await self._look_over(guild.id)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """The bot has been let in, perhaps again."""
        with _noted():
            await self._desk.service.privacy.note_back(guild.id)
        await self.on_guild_available(guild)

    # Places

    @commands.Cog.listener()
    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        """The bot may have been let in or shut out there."""
        if before.overwrites != after.overwrites or before.category_id != after.category_id:
            await self._look_over(after.guild.id)

    @commands.Cog.listener()
    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        """The same, in all channels."""
        if before.permissions != after.permissions:
            await self._look_over(after.guild.id)

    @commands.Cog.listener()
    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        """The same, also by a timeout; without its privileged intent the bot hears of itself alone."""
        if after.id == after.guild.me.id and _standing(before) != _standing(after):
            await self._look_over(after.guild.id)

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Tell the players of its games, and close its tables; those that are played in a forum's post go on there."""
        for match in await self._played_in(channel.guild.id, channel.id):
            thread = channel.guild.get_thread(match.thread) if match.thread else None
            if thread is None or thread.parent_id == channel.id:
                await self._lose(match, channel.id)

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """Let the game of the thread go on in its channel; those that were begun in the thread have no other place."""
        for match in await self._played_in(payload.guild_id, payload.thread_id):
            if match.thread == payload.thread_id:
                match = await self._desk.service.act(
                    match.id, None, lambda match, _: table.threaded(match, None, now())
                )
                await bring_home(self._desk, match)
            else:
                await self._lose(match, payload.thread_id)

    async def look_for_ended_timeouts(self) -> None:
        """Let the games go on where the bot's timeout has ended since the last look: Discord says nothing then."""
        present = {guild.id for guild in self._desk.client.guilds if timed_out(guild, 0)}
        for guild in self._timed_out - present:
            await self._look_over(guild)
            self._timed_out.discard(guild)
        self._timed_out |= present

    async def _look_over(self, guild: int) -> None:
        """Note of the live games in a server which of them cannot be posted any more, and which can be again."""
        if timed_out(self._desk.client.get_guild(guild), 0):  # which may be over before the next tick
            self._timed_out.add(guild)
        for game in await self._desk.service.games_at(guild):
            try:
                await self._look_at(game)
            except Exception:  # one game must not keep the others from being looked at
                log.exception("place not looked at", match=game.id)

    async def _look_at(self, game: Summary) -> None:
        service, missing = self._desk.service, _shut_out(self._desk.client, game)
        silenced = timed_out(self._desk.client.get_guild(game.guild), game.where)
        if missing and not game.homeless:
            trouble = silenced or Trouble(Obstacle.FORBIDDEN, game.where, missing)
            await leave_homeless(self._desk, await service.match(game.id, game.guild), trouble)
        elif missing == () and not silenced and game.homeless and not await self._announce(game.id):
            await service.act(
                game.id, None, lambda match, _: table.threaded(match, match.thread, now()) if match.homeless else ()
            )

    async def _played_in(self, guild: int, place: int) -> list[Match]:
        service = self._desk.service
        return [await service.match(match_id, guild) for match_id in await service.played_in(guild, place)]

    async def _lose(self, match: Match, place: int) -> None:
        """Tell the players of a game that has lost its place, or close a table that nobody can see any more."""
        if match.is_live:
            await leave_homeless(self._desk, match, Trouble(Obstacle.GONE, place))
        else:
            with contextlib.suppress(MatchError):  # it has waited in vain, and the next tick closes it
                await self._desk.service.act(
                    match.id, match.guild, lambda match, _: table.cancel(match, match.host, now())
                )


def _shut_out(client: discord.Client, game: Summary) -> tuple[str, ...] | None:
    """The permissions without which nothing can be posted of that game and that the bot has not got.

    None where the client does not know the place: a thread that is put away, or a channel that is gone.
    """
    server = client.get_guild(game.guild)
    place = server.get_channel_or_thread(game.where) if server else None
    if server is None or place is None:
        return None
    return tuple(name for name in missing_to(server, place) if name != "read_message_history")  # which only tidies up


def _standing(member: discord.Member) -> tuple[object, ...]:
    """What permissions in all channels depend on."""
    return member.roles, member.timed_out_until, member.pending


@contextlib.contextmanager
def _noted() -> Iterator[None]:
    """Does without a note that the disk does not take: nothing falls due either before the next tick can write one."""
    try:
        yield
    except StoreError:
        log.warning("presence not noted", exc_info=True)
