"""Games without a place: the players are told once, where they can still be told."""

from __future__ import annotations

import contextlib

import discord
from discord.ext import commands

from bot.kit.permissions import Obstacle, Trouble, complaint
from bot.kit.reply import calling, now
from bot.match import table
from bot.match.events import is_former
from bot.match.match import Match, Phase
from bot.match.news import News
from bot.people.problems import MatchError
from bot.posting.desk import Desk
from bot.posting.outbox import best_effort
from bot.posting.reminding import direct_language
from bot.posting.telling.leavers import vacancy_buttons
from bot.posting.turn import turn_buttons
from bot.texts.i18n import Language, join, text
from bot.texts.sentences import mentions, titled


async def bring_home(desk: Desk, match: Match) -> None:
    """Say in a game's channel that it goes on there, because its thread is gone. Best effort: the next turn says it."""
    locale, vacant = desk.language(match.guild), match.vacancy is not None
    called = match.still_in if vacant or match.to_move is None else (match.to_move,)
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
        message = await desk.send(match.channel, said, _nonce(match), ping=pings, buttons=tuple(shown.values()))
        await desk.service.set_turn_message(match.id, match.channel, message.id)


async def lose_place(desk: Desk, last: News, trouble: Trouble) -> None:
    """See to a game whose latest news cannot be posted; nothing where that may pass, or is known already.

    A game that is over is told of elsewhere for good if its place is gone.
    """
    match = await desk.service.match(last.match.id, last.match.guild)
    if match.is_live and trouble.obstacle in (Obstacle.GONE, Obstacle.FORBIDDEN):
        await leave_homeless(desk, match, trouble)
    elif match.phase is Phase.OVER and trouble.obstacle is Obstacle.GONE:
        await _tell_elsewhere(desk, match, trouble)
        await desk.service.mark_announced(match.id, last.seq)


async def leave_homeless(desk: Desk, match: Match, trouble: Trouble) -> None:
    """Note that a live game has no place any more, and tell its players; nothing where that has been done.

    They are told in the channel of a lost thread, else in the announcements channel, else by direct message where they
    have asked for those. `/games` shows it in any case. A crash before the note tells them again.
    """
    if not match.homeless:
        await _tell_elsewhere(desk, match, trouble)
        await desk.service.act(match.id, None, lambda match, _: table.homeless(match, now()))


def is_lost(desk: Desk, match: Match) -> bool:
    """Whether a game that has lost its place has not got it back, as far as the client knows without a request."""
    guild = desk.client.get_guild(match.guild)
    return match.homeless and (guild is None or guild.get_channel_or_thread(match.channel) is None)


async def _tell_elsewhere(desk: Desk, match: Match, trouble: Trouble) -> None:
    """Tell the players in the nearest channel that takes it, else each alone."""
    announcements = desk.servers.settings(match.guild).announcements
    for channel in (match.channel, announcements):
        if channel is not None and channel != trouble.where and await _tell(desk, match, trouble, channel):
            return
    await _write(desk, match, trouble)


async def _tell(desk: Desk, match: Match, trouble: Trouble, channel: int) -> bool:
    """Whether it could be said there."""
    pings = calling(match.players or match.joined)
    said = _words(desk.language(match.guild), match, trouble)
    message = None
    with best_effort("not told of a lost place", match=match.id, channel=channel):
        message = await desk.send(channel, said, _nonce(match), ping=pings)
    return message is not None


async def _write(desk: Desk, match: Match, trouble: Trouble) -> None:
    """Direct messages to those who have asked for them. Best effort: they may be closed."""
    users = [user for user in match.players or match.joined if not is_former(user)]
    for user, person in (await desk.service.people.of(tuple(users))).items():
        if not person.settings.by_dm:
            continue
        with best_effort("not told of a lost place", match=match.id, user=user):
            locale = await direct_language(desk, user, match.guild)
            known = await desk.client.create_dm(discord.Object(user))
            await known.send(_words(locale, match, trouble), nonce=f"{_nonce(match)}:{users.index(user)}")


def _words(locale: Language, match: Match, trouble: Trouble) -> str:
    return text(
        locale,
        "place.lost" if match.is_live else "place.lost-over",
        players=join(locale, mentions(locale, match.players or match.joined)),
        variant=titled(locale, match.variant, match.title),
        id=match.id,
        why=complaint(locale, trouble),
    )


def _nonce(match: Match) -> str:
    return f"h{match.created:x}:{match.id}:{match.seq}"


class Places(commands.Cog):
    """Hears of places that are deleted, so that nobody has to wait for the next move to learn of it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

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
                match = await self._desk.service.act(
                    match.id, None, lambda match, _: table.threaded(match, None, now())
                )
                await bring_home(self._desk, match)
            else:
                await self._lose(match, payload.thread_id)

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
