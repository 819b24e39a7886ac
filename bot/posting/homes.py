"""A home for each game: a thread below its table, or a post in the server's forum; found, left and put away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import discord
import structlog

from bot.kit.permissions import Obstacle, Trouble, is_open, missing_to, obstacle_of, trouble_in
from bot.kit.reply import NO_MENTIONS, now
from bot.kit.steady import BROKEN, tried_once
from bot.match import table
from bot.match.events import EventKind
from bot.match.match import Match, Phase
from bot.match.results import Post
from bot.posting.desk import Desk
from bot.posting.homeless import leave_homeless
from bot.posting.outbox import best_effort
from bot.posting.tables import table_text
from bot.texts.i18n import LANGUAGES, text
from bot.texts.sentences import variant_name

log = structlog.get_logger()

ARCHIVE_AFTER: Literal[10080] = 10080
"""Minutes without a message until Discord hides a thread from the list: a week, the longest there is."""

THREAD_EXISTS = 160004
"""Discord's code for a message that has a thread already."""

RUNNING, OVER = "running", "over"
"""What a tag can say of a game, besides its variant: the names of texts."""


async def move_in(desk: Desk, match: Match) -> bool:
    """Give a game that begins a home of its own; False if it stays where its table is.

    That is a post in the server's forum, where it has named one; else a thread below the table, where one is wanted.
    A crash between may leave an empty thread or post, which is found again here.
    """
    guild = desk.client.get_guild(match.guild)
    channel = guild.get_channel(match.channel) if guild else None
    # What stands in a thread already stays there, and what is private is not carried into the open.
    if guild is None or channel is None or match.thread or not match.wants_thread:
        return False
    _, events = await desk.service.history(match.id, match.guild)
    if any(event.kind is EventKind.THREADED for event in events):  # which has been shut to it before its first board
        return False
    try:
        found = await _open_post(desk, guild, match) if is_open(channel) else None
        if found is None and isinstance(channel, discord.TextChannel):
            found = await _open_thread(desk, guild, channel, match)
    except discord.HTTPException as error:
        if obstacle_of(error) is Obstacle.OUTAGE:
            raise
        log.warning("no thread", match=match.id, channel=match.channel, code=error.code)
        return False
    if found is None:
        return False
    await desk.service.act(match.id, None, lambda match, _: table.threaded(match, found, now()))
    return True


async def put_away(desk: Desk, match: Match) -> None:
    """Archive the thread of a finished game, and let a post's tag say that it is over.

    Best effort, and the last thing: nothing can be edited after it.
    """
    if match.thread is None or match.phase is not Phase.OVER:
        return
    with best_effort("thread not put away", match=match.id):
        thread = desk.client.get_channel(match.thread) or await desk.client.fetch_channel(match.thread)
        if not isinstance(thread, discord.Thread):
            return
        if isinstance(thread.parent, discord.ForumChannel):
            running, over = (_tags(thread.parent, _names(state)) for state in (RUNNING, OVER))
            tags = [tag for tag in thread.applied_tags if tag not in running]
            tags += [tag for tag in over if tag not in tags]
            await thread.edit(archived=True, applied_tags=_fitting(thread.parent, tags or thread.applied_tags))
        else:
            await thread.edit(archived=True)


async def leave_thread(desk: Desk, match: Match, error: discord.HTTPException) -> bool:
    """Let a game go on in its channel, whose thread takes no posts; False where the bot may not post there either.

    True as well where the thread is gone: then the channel is its place, though the bot may not post there yet.
    """
    obstacle = obstacle_of(error)
    if match.thread is None or obstacle in (Obstacle.OUTAGE, Obstacle.REFUSED):
        return False
    guild = desk.client.get_guild(match.guild)
    channel = guild.get_channel(match.channel) if guild else None
    shut = trouble_in(guild, channel) if guild and channel else Trouble(Obstacle.GONE, match.channel)
    if shut and obstacle is not Obstacle.GONE:
        return False
    if shut:
        await leave_homeless(desk, match, shut, thread_gone=True)
        return True
    await desk.service.act(match.id, None, lambda match, _: table.threaded(match, None, now()))
    return True


async def _open_thread(desk: Desk, guild: discord.Guild, channel: discord.TextChannel, match: Match) -> int | None:
    """The number of the game's thread below its table; None where it cannot have one."""
    if missing_to(guild, channel, wants_thread=True):
        return None
    place = (await desk.service.posts(match.id)).table or await _call(desk, match)
    if place is None:
        return None
    try:
        await channel.get_partial_message(place.message).create_thread(
            name=_name(desk, match), auto_archive_duration=ARCHIVE_AFTER
        )
    except discord.HTTPException as error:
        if error.code != THREAD_EXISTS:  # a crash has kept us from noting it, or somebody else has opened it
            raise
    return place.message  # a thread below a message has the message's own number


async def _call(desk: Desk, match: Match) -> Post | None:
    """A message below which a ladder's game can have its thread: nobody has set a table for it."""
    if not match.ladder:
        return None
    said = table_text(desk.language(match.guild), match)
    message = await desk.send(match.channel, said, f"{match.created:x}:{match.id}:t", guild=match.guild)
    await desk.service.set_table_message(match.id, match.channel, message.id)
    return Post(match.channel, message.id)


async def _open_post(desk: Desk, guild: discord.Guild, match: Match) -> int | None:
    """The number of the game's post in the server's forum; None where there is none, or none for the bot."""
    number = desk.servers.settings(match.guild).forum
    forum = guild.get_channel(number) if number else None
    if not isinstance(forum, discord.ForumChannel) or missing_to(guild, forum):
        return None
    tags = _fitting(forum, _tags(forum, _variant_names(match)) + _tags(forum, _names(RUNNING)))
    if forum.flags.require_tag and not tags:
        log.warning("no tag for a post", match=match.id, forum=forum.id)
        return None
    name = _name(desk, match)
    if known := _own_post(forum, name, forum.threads):  # which a crash kept us from noting
        return known
    said = await desk.names.spell(match.guild, table_text(desk.language(match.guild), match))
    try:
        with tried_once():  # it bears no nonce
            opened = await forum.create_thread(
                name=name,
                auto_archive_duration=ARCHIVE_AFTER,
                content=said,
                applied_tags=tags,
                allowed_mentions=NO_MENTIONS,  # the first board calls everybody
            )
    except (discord.DiscordServerError, *BROKEN):
        if known := _own_post(forum, name, await guild.active_threads()):
            return known
        raise
    return opened.thread.id


def _own_post(forum: discord.ForumChannel, name: str, threads: Iterable[discord.Thread]) -> int | None:
    """The number of the bot's post of that name in the forum, if it is one of those threads."""
    known = (forum.id, forum.guild.me.id, name)
    return next((one.id for one in threads if (one.parent_id, one.owner_id, one.name) == known), None)


def _name(desk: Desk, match: Match) -> str:
    locale = desk.language(match.guild)
    return text(locale, "turn.thread", variant=variant_name(locale, match.variant), id=match.id)


def _variant_names(match: Match) -> set[str]:
    """What a tag for that variant may be called."""
    return {variant_name(language, match.variant).casefold() for language in LANGUAGES}


def _names(state: str) -> set[str]:
    """What a tag for that state may be called: the words of every language, with commas between them."""
    return {word.strip().casefold() for language in LANGUAGES for word in text(language, f"tag.{state}").split(",")}


def _tags(forum: discord.ForumChannel, names: set[str]) -> list[discord.ForumTag]:
    """The forum's tag of one of those names, if a manager has made one that the bot may set."""
    may = forum.permissions_for(forum.guild.me).manage_threads
    return [tag for tag in forum.available_tags if tag.name.casefold() in names and (may or not tag.moderated)][:1]


def _fitting(forum: discord.ForumChannel, tags: Iterable[discord.ForumTag]) -> Sequence[discord.ForumTag]:
    """Those of the tags that the forum still has: a manager may have taken one away."""
    return [tag for tag in tags if forum.get_tag(tag.id)]
