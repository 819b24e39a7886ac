"""The place of each game: its channel, a thread below its table, or a post in the server's forum.

A game whose thread is lost continues in its channel. From the first refused post until one is taken, its clock stands;
the players are notified once, where they can still be reached.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Literal

import discord
import structlog

from bot.core import table, time_acts
from bot.core.deadlines import PeopleById
from bot.core.events import Event, EventKind
from bot.core.fold import fold_events
from bot.core.match import Match, MatchSummary, MessageRef, Phase
from bot.core.news import News
from bot.core.problems import MatchError
from bot.discordkit.permissions import (
    Obstacle,
    Trouble,
    is_public_place,
    known_trouble,
    missing_to_bot,
    obstacle_of,
    trouble_at,
    trouble_in,
    trouble_sentence,
)
from bot.discordkit.reply import NO_MENTIONS, now
from bot.discordkit.requests import NETWORK_ERRORS, note_faults
from bot.play.announcing.outbox import UNSENT_ERRORS, best_effort, send_with_retries
from bot.play.announcing.tables import post_table, table_text
from bot.play.announcing.telling import vacancy_buttons
from bot.play.announcing.turn import turn_buttons
from bot.play.context import BotContext, Done, Post, pinging_only
from bot.store import Job
from bot.texts.i18n import LANGUAGES, join_list, text
from bot.texts.markup import cut_plain
from bot.texts.people import mention_users
from bot.texts.sentences import titled_name, translate_title, variant_name

log = structlog.get_logger()

OWN_PLACE_TRIED_S = 7 * 24 * 3600
"""Seconds for which the bot tries to post a game's end in its own place, if it may not post there."""


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
        async with context.service.store.write_transaction(durable=False) as tx:
            await context.service.mark_announced(tx, match.id, last.seq)


async def mark_channel_lost(
    context: BotContext, match: Match | MatchSummary, trouble: Trouble | None, *, thread_gone: bool = False
) -> None:
    """Notes that a live game has lost its place, so that its clock stops, and tells its players once why.

    `thread_gone` is True if the thread is gone and the channel is left.
    """
    is_news = False

    def decide(now_known: Match, _: PeopleById) -> tuple[Event, ...]:
        nonlocal is_news
        if now_known.place.thread_or_channel != match.place.thread_or_channel:  # it has moved in the meantime
            return ()
        is_news = now_known.is_live and not now_known.place.is_lost
        return table.note_channel_lost(now_known, now(), thread_gone=thread_gone)

    lost = await context.service.change_match(match.id, decide)
    if is_news and trouble:
        await tell_channel_lost(context, lost, trouble)


async def note_channel_found(context: BotContext, match_id: int, thread: int | None) -> None:
    """Notes that a game's place takes posts again. Its latest board then shows the later deadline.

    After a long time without a place, the deadline of a last chance, call or vote is extended in the same step.
    """

    def decide(match: Match, people: PeopleById) -> tuple[Event, ...]:
        if not match.place.is_lost:
            return ()
        at = now()
        events = table.move_to_thread(match, thread, at)
        if at - (match.place.lost_at or 0) < time_acts.LONG_ABSENCE:
            return events
        return (*events, *time_acts.prolong_chance(fold_events(match, events), people, at))

    await context.service.change_match(match_id, decide)
    context.announcements_due.set()


async def resume_in_place(context: BotContext, match_id: int) -> Trouble | None:
    """Notes that a game in which nothing is left to announce has a place again: its own, or its channel if its thread
    is gone or shut. Returns what prevents that, if anything.
    """
    try:
        match = await context.service.load_match(context.service.reader, match_id)
    except MatchError:  # deleted by now, or unreadable
        return None
    if not match.place.is_lost or not match.is_live:
        return None
    if trouble := shut_trouble(context, match):
        return trouble
    thread = match.place.thread
    if thread is not None and _trouble_at_place(context, match.guild, thread):
        thread = None
    turn = (await context.service.reader.load_posts(match_id)).turn
    if thread is None and turn is not None and turn.channel != match.place.channel:
        try:
            await _call_to_channel(context, match)
        except UNSENT_ERRORS as error:
            log.info("not told of a lost thread", match=match.id, error=str(error))
            return trouble_at(context.client, match.guild, match.place.channel, error)
    await note_channel_found(context, match_id, thread)
    return None


async def _call_to_channel(context: BotContext, match: Match) -> None:
    """Says in a game's channel that the game continues there and not in its thread, and why."""
    locale, vacant = context.server_language(match.guild), match.vacancy is not None
    gone = match.place.thread is None or match.place.thread in context.deleted
    called = match.people_in if vacant or match.to_move is None else (match.to_move,)
    content = text(
        locale,
        f"place.thread-{'gone' if gone else 'shut'}{'-vacant' if vacant else ''}",
        players=join_list(locale, mention_users(locale, called)),
        variant=titled_name(locale, match.variant, match.title),
        id=match.id,
    )
    buttons = (*turn_buttons(context.features, locale, match), *vacancy_buttons(locale, match))
    shown = [*{item.custom_id: item for item in buttons}.values()]
    post = Post(match.place.channel, match.guild, content, _lost_place_nonce(match), pinging_only(called), shown)
    message = await send_with_retries(context, post)
    async with context.service.store.write_transaction() as tx:
        await tx.set_turn_post(match.id, MessageRef(match.place.channel, message.id))


def shut_trouble(context: BotContext, game: Match | MatchSummary) -> Trouble | None:
    """Returns why the bot can post neither in the game's thread nor in its channel, as far as the client knows; None if
    it may be able to. The client does not know archived threads.
    """
    above = _trouble_at_place(context, game.guild, game.place.channel)
    if game.place.thread is None or above is None:
        return above
    shut = _trouble_at_place(context, game.guild, game.place.thread)
    return above if shut and shut.obstacle is Obstacle.GONE else shut


def _trouble_at_place(context: BotContext, guild: int, place_id: int) -> Trouble | None:
    server = context.client.get_guild(guild)
    if place_id in context.deleted:
        return Trouble(Obstacle.GONE, place_id)
    return known_trouble(server, place_id) if server else None


def audit_trouble(context: BotContext, guild: int) -> Trouble | None:
    """Returns what keeps entries out of a server's audit channel, as far as the client knows; None without one."""
    server, channel_id = context.client.get_guild(guild), context.servers.settings_of(guild).audit
    if server is None or channel_id is None:
        return None
    audit = server.get_channel(channel_id)
    trouble = trouble_in(server, audit) if audit else Trouble(Obstacle.GONE, channel_id)
    return None if trouble and trouble.missing == ("attach_files",) else trouble  # an entry has no board


async def is_place_gone(context: BotContext, guild: int, place_id: int) -> bool:
    """True if that channel or thread of a server has been deleted; False also while that is unknown."""
    server = context.client.get_guild(guild)
    if server is None or server.unavailable:
        return False
    place = server.get_channel_or_thread(place_id)
    if place_id in context.deleted or place is not None:
        return place_id in context.deleted or (isinstance(place, discord.Thread) and place.parent is None)
    try:
        await server.fetch_channel(place_id)
    except (discord.NotFound, discord.InvalidData):
        context.deleted[place_id] = True
    except UNSENT_ERRORS as error:
        log.info("place not known", place=place_id, error=str(error))
    return place_id in context.deleted


async def tell_channel_lost(context: BotContext, match: Match, trouble: Trouble) -> None:
    """Notifies the players in the channel of the lost thread, else in the announcements channel; and in the audit
    channel the managers, who can often restore the place. `/games` shows it too.
    """
    settings, locale = context.servers.settings_of(match.guild), context.server_language(match.guild)
    content = text(
        locale,
        "place.lost" if match.is_live else "place.lost-over",
        players=join_list(locale, mention_users(locale, match.players)),
        variant=titled_name(locale, match.variant, match.title),
        id=match.id,
        why=trouble_sentence(locale, trouble),
    )

    async def post_in(channel: int | None, kind: str, pings: discord.AllowedMentions) -> discord.Message | None:
        message = None
        if channel not in (None, trouble.where) and not _trouble_at_place(context, match.guild, channel):
            with best_effort("not told of a lost place", match=match.id, channel=channel):
                nonce = _lost_place_nonce(match, kind)
                message = await context.send_post(Post(channel, match.guild, content, nonce, pings))
        return message

    nearest = (match.place.channel, settings.announcements)
    for channel in nearest:
        if await post_in(channel, "h", pinging_only(match.players)):
            break
    if settings.audit not in nearest:
        await post_in(settings.audit, "g", NO_MENTIONS)


def _lost_place_nonce(match: Match, kind: str = "h") -> str:
    return f"{kind}{match.table.created:x}:{match.id}:{match.seq}"


ARCHIVE_AFTER_MINUTES: Literal[10080] = 10080
"""Minutes without a message until Discord hides a thread from the list: a week, the maximum."""

MAX_THREAD_NAME_LENGTH = 100
"""Characters that Discord accepts in the name of a thread."""

THREAD_EXISTS_CODE = 160004
"""Discord's code for a message that already has a thread."""

HISTORY_PAGE = 100
"""Messages in one answer of Discord."""


async def open_game_thread(context: BotContext, match: Match) -> bool:
    """Opens a home for a game that begins. Returns False if the game stays where its table is.

    The home is a post in the server's forum if it has named one, else a thread below the table if one is wanted. An
    empty thread or post left by a crash is found and used.
    """
    guild = context.client.get_guild(match.guild)
    channel = guild.get_channel(match.place.channel) if guild else None
    # A game in a thread stays there, and a private game is not moved to a public place.
    if guild is None or channel is None or match.place.thread or not match.terms.wants_thread:
        return False
    events = await context.service.reader.load_events(match.id)
    if any(event.kind is EventKind.THREADED for event in events):  # the thread was shut before its first board
        return False
    try:
        thread_id = await _open_post(context, guild, match) if is_public_place(channel) else None
        if thread_id is None and isinstance(channel, discord.TextChannel):
            thread_id = await _open_thread(context, guild, channel, match)
    except discord.HTTPException as error:
        if obstacle_of(error) is Obstacle.OUTAGE:
            raise
        log.warning("no thread", match=match.id, channel=match.place.channel, code=error.code)
        return False
    if thread_id is None:
        return False
    await context.service.change_match(match.id, lambda match, _: table.move_to_thread(match, thread_id, now()))
    return True


async def archive_game_thread(context: BotContext, match: Match) -> None:
    """Archives the thread of a finished game. This comes last: an archived thread cannot be edited."""
    if match.phase is Phase.OVER and (thread := await _game_thread(context, match)):
        await thread.edit(archived=True)


async def leave_thread(context: BotContext, match: Match, error: discord.HTTPException) -> bool:
    """Moves a game to its channel because its thread takes no posts. Returns False if the bot may not post there
    either.

    Returns True also if the thread of a live game is gone: the channel is then the place, even if the bot may not post
    there yet. A finished game stays where it was.
    """
    obstacle = obstacle_of(error)
    if match.place.thread is None or obstacle in (Obstacle.OUTAGE, Obstacle.REFUSED):
        return False
    guild = context.client.get_guild(match.guild)
    channel = guild.get_channel(match.place.channel) if guild else None
    shut = trouble_in(guild, channel) if guild and channel else Trouble(Obstacle.GONE, match.place.channel)
    if shut and obstacle is not Obstacle.GONE:
        return False
    if shut:
        await mark_channel_lost(context, match, shut, thread_gone=True)
        return (await context.service.current_match(match.id, match.guild)).is_live
    await context.service.change_match(match.id, lambda match, _: table.move_to_thread(match, None, now()))
    return True


async def _open_thread(
    context: BotContext, guild: discord.Guild, channel: discord.TextChannel, match: Match
) -> int | None:
    """Returns the number of the game's thread; None if it cannot have one. It hangs below the game's table; a league
    game has none, because one post of the league lists all its games.
    """
    if missing_to_bot(guild, channel, wants_thread=True):
        return None
    name, place = await name_thread(context, match), (await context.service.reader.load_posts(match.id)).table
    if place is None and match.terms.ladder:
        place = await post_table(context, match)
    if place is not None:
        return await open_thread_below(channel.get_partial_message(place.message), name)
    kind = discord.ChannelType.news_thread if channel.is_news() else discord.ChannelType.public_thread

    async def create_thread() -> int:
        return (await channel.create_thread(name=name, type=kind, auto_archive_duration=ARCHIVE_AFTER_MINUTES)).id

    thread = await _open_once(channel, match.id, create_thread)
    async with context.service.store.write_transaction() as tx:
        await tx.add_jobs(Job("thread-lines", str(channel.id), guild.id, due_at=now()))
    return thread


async def delete_thread_lines(context: BotContext, job: Job) -> Done:
    """Deletes the lines with which Discord announces the threads that the bot has opened without a message."""
    channel, found = context.client.get_partial_messageable(int(job.key)), False
    async for message in channel.history(limit=HISTORY_PAGE):
        if message.type is discord.MessageType.thread_created and message.author == context.client.user:
            with suppress(discord.NotFound):  # somebody else has deleted it
                await message.delete()
                found = True
    return Done(again_at=now() if found else None)  # a league may begin with more lines than a page holds


async def open_thread_below(message: discord.PartialMessage, name: str) -> int:
    """Opens a thread below a message, if it has none yet, and returns its number. Raises what discord.py raises."""
    try:
        await message.create_thread(name=name, auto_archive_duration=ARCHIVE_AFTER_MINUTES)
    except discord.HTTPException as error:
        if error.code != THREAD_EXISTS_CODE:  # a crash kept us from noting it, or somebody else opened it
            raise
    return message.id  # a thread below a message has the message's own number


async def _open_post(context: BotContext, guild: discord.Guild, match: Match) -> int | None:
    """Returns the number of the game's post in the server's forum; None if there is no forum that the bot may use."""
    number = context.servers.settings_of(match.guild).forum
    forum = guild.get_channel(number) if number else None
    if not isinstance(forum, discord.ForumChannel) or missing_to_bot(guild, forum):
        return None
    tags = _variant_tags(forum, match)
    if forum.flags.require_tag and not tags:
        log.warning("no tag for a post", match=match.id, forum=forum.id)
        return None
    name = await name_thread(context, match)
    content = await context.names.spell_names(match.guild, table_text(context.server_language(match.guild), match))

    async def create_post() -> int:
        opened = await forum.create_thread(
            name=name,
            auto_archive_duration=ARCHIVE_AFTER_MINUTES,
            content=content,
            applied_tags=tags,
            allowed_mentions=NO_MENTIONS,  # the first board pings everybody
        )
        return opened.thread.id

    return await _open_once(forum, match.id, create_post)


async def _open_once(
    parent: discord.TextChannel | discord.ForumChannel, match_id: int, create: Callable[[], Awaitable[int]]
) -> int:
    """Returns the number of the bot's thread or post for that game; opens it if no crash kept us from noting it."""
    if existing_id := _own_thread(parent, match_id, parent.threads):
        return existing_id
    try:
        with note_faults(may_repeat=False):  # it has no nonce
            return await create()
    except (discord.DiscordServerError, *NETWORK_ERRORS):
        if existing_id := _own_thread(parent, match_id, await parent.guild.active_threads()):
            return existing_id
        raise


def _own_thread(parent: discord.abc.GuildChannel, match_id: int, threads: Iterable[discord.Thread]) -> int | None:
    """Returns the number of the bot's thread for that game in the channel or forum, if it is among those threads."""
    own = (thread for thread in threads if (thread.parent_id, thread.owner_id) == (parent.id, parent.guild.me.id))
    return next((thread.id for thread in own if thread.name.startswith(f"#{match_id} ")), None)


async def name_thread(context: BotContext, match: Match) -> str:
    """Returns the name of the game's thread, by whose start it is found again: "#7 Ada – Cleo · Camette"; of a league
    game "#7 Ada – Cleo · Winter cup, group A · Camette", if there is room.
    """
    locale, patience = context.server_language(match.guild), context.timings.members_timeout_s  # the name stays
    names = await context.names.find_names(match.guild, match.players, patience)
    players = " – ".join(names.get(user, text(locale, "unknown-player")) for user in match.players)
    start, variant = f"#{match.id} {players} ·", variant_name(locale, match.variant)
    titled = f"{start} {translate_title(locale, match.title or '')} · {variant}"
    has_room = match.title and len(titled) <= MAX_THREAD_NAME_LENGTH
    return titled if has_room else cut_plain(f"{start} {variant}", MAX_THREAD_NAME_LENGTH)


async def rename_game_thread(context: BotContext, match: Match) -> None:
    """Gives the thread the names of those who play now, unless it has a name of another kind.

    Raises ConnectionError while a name cannot be found out, so that this is tried again.
    """
    if {*match.players} - {*await context.names.find_names(match.guild, match.players)}:
        raise ConnectionError("the name of a player is not known")
    thread, name = await _game_thread(context, match), await name_thread(context, match)
    if thread and thread.name != name and thread.name.startswith(f"#{match.id} "):
        await thread.edit(name=name, archived=False)
        await archive_game_thread(context, match)


async def _game_thread(context: BotContext, match: Match) -> discord.Thread | None:
    if match.place.thread is None:
        return None
    thread = context.client.get_channel(match.place.thread) or await context.client.fetch_channel(match.place.thread)
    return thread if isinstance(thread, discord.Thread) else None


def _variant_tags(forum: discord.ForumChannel, match: Match) -> list[discord.ForumTag]:
    """Returns the forum's tag with the name of the variant, in any language, if there is one that the bot may set."""
    names = {variant_name(language, match.variant).casefold() for language in LANGUAGES}
    may_moderate = forum.permissions_for(forum.guild.me).manage_threads
    return [
        tag for tag in forum.available_tags if tag.name.casefold() in names and (may_moderate or not tag.moderated)
    ][:1]
