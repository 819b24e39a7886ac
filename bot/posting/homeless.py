"""Games without a place: the players are told once, where they can still be told."""

from __future__ import annotations

from collections.abc import Awaitable

import discord
import structlog
from discord.abc import Messageable

from bot.kit.permissions import Obstacle, Trouble, complaint, timed_out, trouble_at, trouble_in
from bot.kit.reply import NO_MENTIONS, RESOLVED, calling, now
from bot.match import table, timing
from bot.match.events import Event
from bot.match.match import Match, Phase
from bot.match.news import News
from bot.match.results import Whereabouts
from bot.match.turns import People
from bot.people.house import is_person
from bot.posting.desk import Desk
from bot.posting.footing import find_footing, is_shut
from bot.posting.outbox import UNSENT, best_effort
from bot.posting.reminding import direct_language
from bot.posting.telling.leavers import vacancy_buttons
from bot.posting.turn import turn_buttons
from bot.service.matches import followed
from bot.texts.i18n import Language, join, text
from bot.texts.sentences import mentions, titled

log = structlog.get_logger()

TRIED_FOR = 7 * 24 * 3600
"""Seconds for which the bot tries to tell the end of a game in its own place, where it may not post."""


async def bring_home(desk: Desk, match: Match, *, thread_gone: bool) -> Trouble | None:
    """Say in a game's channel that it goes on there and no longer in its thread. What keeps it from being said, if so.

    `thread_gone`: that thread has been deleted; else the bot may not post there.
    """
    locale, vacant = desk.language(match.guild), match.vacancy is not None
    called = match.people_in if vacant or match.to_move is None else (match.to_move,)
    said = text(
        locale,
        f"place.thread-{'gone' if thread_gone else 'shut'}{'-vacant' if vacant else ''}",
        players=join(locale, mentions(locale, called)),
        variant=titled(locale, match.variant, match.title),
        id=match.id,
    )
    pings = calling(called)
    shown = {item.custom_id: item for item in (*turn_buttons(locale, match), *vacancy_buttons(locale, match))}
    try:
        message = await desk.send(
            match.channel, said, _nonce(match), guild=match.guild, ping=pings, buttons=tuple(shown.values())
        )
    except UNSENT as error:
        log.info("not told of a lost thread", match=match.id, error=str(error))
        return trouble_at(desk.client, match.guild, match.channel, error)
    await desk.service.set_turn_message(match.id, match.channel, message.id)
    return None


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
        await tell_homeless(desk, match, trouble)
        await desk.service.mark_announced(match.id, last.seq)


async def leave_homeless(desk: Desk, match: Match, trouble: Trouble, *, thread_gone: bool = False) -> None:
    """Note that a live game has no place any more, then tell its players; they are told once."""
    if lost := await note_homeless(desk, match, thread_gone=thread_gone):
        await tell_homeless(desk, lost, trouble)


async def note_homeless(desk: Desk, match: Match | Whereabouts, *, thread_gone: bool = False) -> Match | None:
    """Note that a live game has no place any more: its clock stands from here on. The match if that is news.

    `thread_gone`: of its thread and its channel only the channel is left.
    """
    news = False

    def decide(now_known: Match, _: People) -> tuple[Event, ...]:
        nonlocal news
        if now_known.where != match.where:  # it has been taken elsewhere meanwhile
            return ()
        news = not now_known.homeless
        return table.homeless(now_known, now(), thread_gone=thread_gone)

    after = await desk.service.act(match.id, None, decide)
    return after if news else None


def find_place(desk: Desk, match_id: int, thread: int | None) -> Awaitable[Match]:
    """Note that a game which had lost its place has it again, there; not if the client knows that it is shut by now.

    After a long time without one, people are told at once when a last chance, call or vote ends by now.
    """

    def decide(match: Match, people: People) -> tuple[Event, ...]:
        if not match.homeless or is_shut(desk, match):
            return ()
        found = table.threaded(match, thread, now())
        lasted = now() - (match.homeless_since or 0)
        later = timing.prolong(followed(match, found), people, now()) if lasted >= timing.LONG_ABSENCE else ()
        return (*found, *later)

    return desk.service.act(match_id, None, decide)


async def lost_to(desk: Desk, match: Match) -> Trouble | None:
    """What still keeps a game from its place that is known to be shut to it; None where another try may be heard.

    Nothing is posted again and again that Discord would refuse.
    """
    if trouble := timed_out(desk.client.get_guild(match.guild), match.where):
        return trouble
    over_in_place = match.phase is Phase.OVER and match.thread is None
    footing = await find_footing(desk, match) if match.homeless or over_in_place else None
    return footing.trouble if footing else None


async def tell_homeless(desk: Desk, match: Match, trouble: Trouble) -> None:
    """Tell the players in the nearest channel that takes it, else each alone; and the audit.

    That is the channel of a lost thread, else the announcements channel, else a direct message to those who have asked
    for those. The audit hears of it because whoever manages the server can often mend it. `/games` shows it, too.
    """
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
    guild = desk.client.get_guild(match.guild)
    place = guild.get_channel_or_thread(channel) if guild else None
    if guild and place and trouble_in(guild, place):
        return False
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
