"""Games whose place takes no post: from the first refused post until one is taken, their clock stands.

A game continues in its thread, else in its channel. The players are notified once that it has neither, where they can
still be reached.
"""

from __future__ import annotations

from functools import partial

import discord
import structlog
from discord.abc import Messageable

from bot.core import table, time_acts
from bot.core.deadlines import PeopleById
from bot.core.events import Event
from bot.core.house_seats import is_person
from bot.core.listings import GamePlace
from bot.core.match import Match, Phase
from bot.core.news import News
from bot.discordkit.permissions import (
    Obstacle,
    Trouble,
    known_trouble,
    timeout_trouble,
    trouble_at,
    trouble_in,
    trouble_sentence,
)
from bot.discordkit.reply import NO_MENTIONS, RESOLVED, now
from bot.play.announcing.outbox import UNSENT_ERRORS, best_effort, post_with_retries
from bot.play.announcing.pinging import pinging_only
from bot.play.announcing.reminding import direct_language
from bot.play.announcing.telling.leavers import vacancy_buttons
from bot.play.announcing.turn import turn_buttons, update_deadline
from bot.play.context import BotContext
from bot.texts.i18n import Language, join_list, text
from bot.texts.people import mention_users
from bot.texts.sentences import titled_name

log = structlog.get_logger()

OWN_PLACE_TRIED_S = 7 * 24 * 3600
"""Seconds for which the bot tries to post a game's end in its own place, if it may not post there."""


async def announce_thread_lost(context: BotContext, match: Match, *, thread_gone: bool) -> Trouble | None:
    """Says in a game's channel that the game continues there and not in its thread. Returns what prevents the post, if
    anything.

    `thread_gone` is True if the thread has been deleted, False if the bot may not post there.
    """
    locale, vacant = context.server_language(match.guild), match.vacancy is not None
    called = match.people_in if vacant or match.to_move is None else (match.to_move,)
    content = text(
        locale,
        f"place.thread-{'gone' if thread_gone else 'shut'}{'-vacant' if vacant else ''}",
        players=join_list(locale, mention_users(locale, called)),
        variant=titled_name(locale, match.variant, match.title),
        id=match.id,
    )
    pings = pinging_only(called)
    buttons = (*turn_buttons(context.features, locale, match), *vacancy_buttons(locale, match))
    shown = {item.custom_id: item for item in buttons}
    try:
        message = await post_with_retries(
            lambda: context.send_message(
                match.channel,
                content,
                _lost_place_nonce(match),
                guild=match.guild,
                ping=pings,
                buttons=tuple(shown.values()),
            ),
            context.timings,
        )
    except UNSENT_ERRORS as error:
        log.info("not told of a lost thread", match=match.id, error=str(error))
        return trouble_at(context.client, match.guild, match.channel, error)
    await context.service.set_turn_message(match.id, match.channel, message.id)
    return None


async def handle_lost_place(context: BotContext, last: News, trouble: Trouble) -> None:
    """Handles a game whose latest news cannot be posted. Does nothing if the trouble may pass or is known already.

    A finished game is announced elsewhere and not tried again: at once if its place is gone, else after a week of
    tries.
    """
    match = await context.service.current_match(last.match.id, last.match.guild)
    if trouble.obstacle.is_temporary and trouble.until is None:
        return
    if match.is_live:
        await mark_channel_lost(context, match, trouble)
    elif match.phase is Phase.OVER and (trouble.obstacle is Obstacle.GONE or now() - last.event.at > OWN_PLACE_TRIED_S):
        await tell_channel_lost(context, match, trouble)
        await context.service.mark_announced(match.id, last.seq)


async def mark_channel_lost(context: BotContext, match: Match, trouble: Trouble, *, thread_gone: bool = False) -> None:
    """Notes that a live game has lost its place, then notifies its players once."""
    if lost := await note_channel_lost(context, match, thread_gone=thread_gone):
        await tell_channel_lost(context, lost, trouble)


async def note_channel_lost(
    context: BotContext, match: Match | GamePlace, *, thread_gone: bool = False
) -> Match | None:
    """Notes that a live game has lost its place, so that its clock stops. Returns the match if that is news.

    `thread_gone` is True if the thread is gone and the channel is left.
    """
    is_news = False

    def decide(now_known: Match, _: PeopleById) -> tuple[Event, ...]:
        nonlocal is_news
        if now_known.thread_or_channel != match.thread_or_channel:  # it has moved in the meantime
            return ()
        is_news = now_known.is_live and not now_known.has_lost_channel
        return table.note_channel_lost(now_known, now(), thread_gone=thread_gone)

    after = await context.service.act_on_match(match.id, None, decide)
    return after if is_news else None


async def note_channel_found(context: BotContext, match_id: int, thread: int | None) -> None:
    """Notes that a game's place takes posts again. Its latest board then shows the later deadline.

    After a long time without a place, the deadline of a last chance, call or vote is extended in the same step.
    """

    def decide(match: Match, people: PeopleById) -> tuple[Event, ...]:
        if not match.has_lost_channel:
            return ()
        events = table.move_to_thread(match, thread, now())
        lasted = now() - (match.channel_lost_at or 0)
        later = (
            time_acts.prolong_chance(match.apply_all(events), people, now()) if lasted >= time_acts.LONG_ABSENCE else ()
        )
        return (*events, *later)

    match = await context.service.act_on_match(match_id, None, decide)
    context.announcements_due.set()
    context.background.queue_edit(match.thread_or_channel, partial(update_deadline, context, match))


async def leave_deleted_place(context: BotContext, game: GamePlace) -> None:
    """Moves a game to its channel if its thread has been deleted, and says so there. If the channel takes no post
    either, or is what has been deleted, notes that and notifies the players elsewhere.
    """
    trouble = shut_trouble(context, game)
    if trouble or game.has_lost_channel:
        lost = await note_channel_lost(context, game, thread_gone=True)
        if lost and trouble:
            await tell_channel_lost(context, lost, trouble)
        return
    match = await context.service.act_on_match(
        game.id, None, lambda match, _: table.move_to_thread(match, None, now()) if match.thread == game.thread else ()
    )
    trouble = await announce_thread_lost(context, match, thread_gone=True)
    if trouble and (trouble.until or not trouble.obstacle.is_temporary):
        await mark_channel_lost(context, match, trouble)


async def resume_in_place(context: BotContext, game: GamePlace) -> None:
    """Notes that a game has its place again in which nothing was left to announce. Says where it continues if its board
    is elsewhere; if that is refused, nothing is noted.
    """
    match = await context.service.current_match(game.id, game.guild)
    if not match.has_lost_channel or not match.is_live:
        return
    thread = match.thread
    if thread is not None and _trouble_at_place(context, match.guild, thread):
        thread = None
    turn, gone = (await context.service.posts_of(game.id)).turn, match.thread is None or match.thread in context.deleted
    moves = thread is None and turn is not None and turn.channel != match.channel
    if not moves or await announce_thread_lost(context, match, thread_gone=gone) is None:
        await note_channel_found(context, match.id, thread)


def known_obstacle(context: BotContext, match: Match) -> Trouble | None:
    """Returns why a game still cannot use a place that has taken no post; None if a new try may succeed.

    This avoids repeating posts that Discord would refuse.
    """
    if trouble := timeout_trouble(context.client.get_guild(match.guild), match.thread_or_channel):
        return trouble
    over_in_place = match.phase is Phase.OVER and match.thread is None
    return shut_trouble(context, match) if match.has_lost_channel or over_in_place else None


def shut_trouble(context: BotContext, game: GamePlace | Match) -> Trouble | None:
    """Returns why the bot can post neither in the game's thread nor in its channel, as far as the client knows; None if
    it may be able to. The client does not know archived threads.
    """
    above = _trouble_at_place(context, game.guild, game.channel)
    if game.thread is None or above is None:
        return above
    shut = _trouble_at_place(context, game.guild, game.thread)
    return above if shut and shut.obstacle is Obstacle.GONE else shut


def _trouble_at_place(context: BotContext, guild: int, number: int) -> Trouble | None:
    server = context.client.get_guild(guild)
    if number in context.deleted:
        return Trouble(Obstacle.GONE, number)
    return known_trouble(server, number) if server else None


async def is_place_gone(context: BotContext, guild: int, number: int) -> bool:
    """True if that channel or thread of a server has been deleted; False also while that is unknown."""
    server = context.client.get_guild(guild)
    if server is None or server.unavailable:
        return False
    place = server.get_channel_or_thread(number)
    if number in context.deleted or place is not None:
        return number in context.deleted or (isinstance(place, discord.Thread) and place.parent is None)
    try:
        await server.fetch_channel(number)
    except (discord.NotFound, discord.InvalidData):
        context.deleted[number] = True
    except UNSENT_ERRORS as error:
        log.info("place not known", place=number, error=str(error))
    return number in context.deleted


async def tell_channel_lost(context: BotContext, match: Match, trouble: Trouble) -> None:
    """Notifies the players in the nearest channel that takes posts, else by direct message; also posts to the audit
    channel.

    The nearest channel is that of the lost thread, then the announcements channel. Direct messages go only to
    people who chose them. The audit channel is used because the server's managers can often restore the place.
    `/games` shows it too.
    """
    settings = context.servers.settings_of(match.guild)
    nearest = dict.fromkeys((match.channel, await _parent_channel(context, match, trouble), settings.announcements))
    for channel in nearest:
        if (
            channel is not None
            and channel != trouble.where
            and await _tell_in_channel(context, match, trouble, channel)
        ):
            break
    else:
        await _write_to_players(context, match, trouble)
    if settings.audit is not None and settings.audit not in nearest:
        await _tell_in_channel(context, match, trouble, settings.audit, audit=True)


async def _parent_channel(context: BotContext, match: Match, trouble: Trouble) -> int | None:
    """Returns the channel of the thread in which a game began; None for private threads, deleted ones,
    and forum posts.
    """
    guild = context.client.get_guild(match.guild)
    place = guild.get_channel_or_thread(match.channel) if guild else None
    if place is None and trouble.obstacle is Obstacle.SHUT:  # the client does not know archived threads
        with best_effort("thread not found", match=match.id, thread=match.channel):
            fetched = await context.client.fetch_channel(match.channel)
            place = fetched if isinstance(fetched, discord.Thread) else None
    if not isinstance(place, discord.Thread) or place.is_private() or not isinstance(place.parent, Messageable):
        return None
    return place.parent_id


async def _tell_in_channel(
    context: BotContext, match: Match, trouble: Trouble, channel: int, *, audit: bool = False
) -> bool:
    """Returns True if the message was posted in that channel."""
    pings, nonce = pinging_only(match.players or match.joined), _lost_place_nonce(match)
    if audit:
        pings, nonce = NO_MENTIONS, _lost_place_nonce(match, "g")  # addressed to the managers
    guild = context.client.get_guild(match.guild)
    place = guild.get_channel_or_thread(channel) if guild else None
    if guild and place and trouble_in(guild, place):
        return False
    content = _lost_place_text(context.server_language(match.guild), match, trouble)
    message = None
    with best_effort("not told of a lost place", match=match.id, channel=channel):
        message = await context.send_message(channel, content, nonce, guild=match.guild, ping=pings)
    return message is not None


async def _write_to_players(context: BotContext, match: Match, trouble: Trouble) -> None:
    """Sends direct messages to those who chose them. Best effort: they may be closed."""
    users = [user for user in match.players or match.joined if is_person(user)]
    for user, person in (await context.service.people.people_of(tuple(users))).items():
        if not person.settings.by_dm:
            continue
        with best_effort("not told of a lost place", match=match.id, user=user):
            locale = await direct_language(context, user, match.guild)
            dm_channel = await context.client.create_dm(discord.Object(user))
            said, nonce = _lost_place_text(locale, match, trouble), f"{_lost_place_nonce(match)}:{users.index(user)}"
            await dm_channel.send(said, allowed_mentions=RESOLVED, nonce=nonce)


def _lost_place_text(locale: Language, match: Match, trouble: Trouble) -> str:
    lost = "place.lost" if trouble.until is None else "place.lost-until"
    return text(
        locale,
        lost if match.is_live else "place.lost-over",
        players=join_list(locale, mention_users(locale, match.players or match.joined)),
        variant=titled_name(locale, match.variant, match.title),
        id=match.id,
        why=trouble_sentence(locale, trouble),
    )


def _lost_place_nonce(match: Match, kind: str = "h") -> str:
    return f"{kind}{match.created:x}:{match.id}:{match.seq}"
