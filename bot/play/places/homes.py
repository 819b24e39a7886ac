"""A home for each game: a thread below its table, or a post in the server's forum. Opens, leaves and archives it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import discord
import structlog

from bot.core import table
from bot.core.events import EventKind
from bot.core.listings import MessageRef
from bot.core.match import Match, Phase
from bot.discordkit.permissions import Obstacle, Trouble, is_public_place, missing_to_bot, obstacle_of, trouble_in
from bot.discordkit.reply import NO_MENTIONS, now
from bot.discordkit.requests import NETWORK_ERRORS, note_faults
from bot.play.announcing.outbox import best_effort
from bot.play.announcing.tables import table_text
from bot.play.context import BotContext
from bot.play.places.lost_places import mark_channel_lost
from bot.texts.i18n import LANGUAGES, text
from bot.texts.sentences import variant_name

log = structlog.get_logger()

ARCHIVE_AFTER_MINUTES: Literal[10080] = 10080
"""Minutes without a message until Discord hides a thread from the list: a week, the maximum."""

THREAD_EXISTS_CODE = 160004
"""Discord's code for a message that already has a thread."""

RUNNING_TAG, OVER_TAG = "running", "over"
"""The states that a forum tag can show besides the variant: names of texts."""


async def open_game_thread(context: BotContext, match: Match) -> bool:
    """Opens a home for a game that begins. Returns False if the game stays where its table is.

    The home is a post in the server's forum if it has named one, else a thread below the table if one is wanted. An
    empty thread or post left by a crash is found and used.
    """
    guild = context.client.get_guild(match.guild)
    channel = guild.get_channel(match.channel) if guild else None
    # A game in a thread stays there, and a private game is not moved to a public place.
    if guild is None or channel is None or match.thread or not match.wants_thread:
        return False
    _, events = await context.service.match_history(match.id, match.guild)
    if any(event.kind is EventKind.THREADED for event in events):  # the thread was shut before its first board
        return False
    try:
        thread_id = await _open_post(context, guild, match) if is_public_place(channel) else None
        if thread_id is None and isinstance(channel, discord.TextChannel):
            thread_id = await _open_thread(context, guild, channel, match)
    except discord.HTTPException as error:
        if obstacle_of(error) is Obstacle.OUTAGE:
            raise
        log.warning("no thread", match=match.id, channel=match.channel, code=error.code)
        return False
    if thread_id is None:
        return False
    await context.service.act_on_match(match.id, None, lambda match, _: table.move_to_thread(match, thread_id, now()))
    return True


async def archive_game_thread(context: BotContext, match: Match) -> None:
    """Archives the thread of a finished game, and tags a forum post as over.

    Best effort and last: an archived thread cannot be edited.
    """
    if match.thread is None or match.phase is not Phase.OVER:
        return
    with best_effort("thread not put away", match=match.id):
        thread = context.client.get_channel(match.thread) or await context.client.fetch_channel(match.thread)
        if not isinstance(thread, discord.Thread):
            return
        if isinstance(thread.parent, discord.ForumChannel):
            running, over = (_find_tags(thread.parent, _tag_names(state)) for state in (RUNNING_TAG, OVER_TAG))
            tags = [tag for tag in thread.applied_tags if tag not in running]
            tags += [tag for tag in over if tag not in tags]
            await thread.edit(archived=True, applied_tags=_existing_tags(thread.parent, tags or thread.applied_tags))
        else:
            await thread.edit(archived=True)


async def leave_thread(context: BotContext, match: Match, error: discord.HTTPException) -> bool:
    """Moves a game to its channel because its thread takes no posts. Returns False if the bot may not post there
    either.

    Returns True also if the thread of a live game is gone: the channel is then the place, even if the bot may not post
    there yet. A finished game stays where it was.
    """
    obstacle = obstacle_of(error)
    if match.thread is None or obstacle in (Obstacle.OUTAGE, Obstacle.REFUSED):
        return False
    guild = context.client.get_guild(match.guild)
    channel = guild.get_channel(match.channel) if guild else None
    shut = trouble_in(guild, channel) if guild and channel else Trouble(Obstacle.GONE, match.channel)
    if shut and obstacle is not Obstacle.GONE:
        return False
    if shut:
        await mark_channel_lost(context, match, shut, thread_gone=True)
        return (await context.service.current_match(match.id, match.guild)).thread != match.thread
    await context.service.act_on_match(match.id, None, lambda match, _: table.move_to_thread(match, None, now()))
    return True


async def _open_thread(
    context: BotContext, guild: discord.Guild, channel: discord.TextChannel, match: Match
) -> int | None:
    """Returns the number of the game's thread below its table; None if it cannot have one."""
    if missing_to_bot(guild, channel, wants_thread=True):
        return None
    place = (await context.service.posts_of(match.id)).table or await _post_for_thread(context, match)
    return place and await open_thread_below(channel.get_partial_message(place.message), _thread_name(context, match))


async def open_thread_below(message: discord.PartialMessage, name: str) -> int:
    """Opens a thread below a message, if it has none yet, and returns its number. Raises what discord.py raises."""
    try:
        await message.create_thread(name=name, auto_archive_duration=ARCHIVE_AFTER_MINUTES)
    except discord.HTTPException as error:
        if error.code != THREAD_EXISTS_CODE:  # a crash kept us from noting it, or somebody else opened it
            raise
    return message.id  # a thread below a message has the message's own number


async def _post_for_thread(context: BotContext, match: Match) -> MessageRef | None:
    """Returns a message for the thread of a ladder or league game to hang below, since no table was set; None for
    other games.
    """
    if not match.ladder and match.title is None:
        return None
    content = table_text(context.server_language(match.guild), match)
    message = await context.send_message(match.channel, content, f"{match.created:x}:{match.id}:t", guild=match.guild)
    await context.service.set_table_message(match.id, match.channel, message.id)
    return MessageRef(match.channel, message.id)


async def _open_post(context: BotContext, guild: discord.Guild, match: Match) -> int | None:
    """Returns the number of the game's post in the server's forum; None if there is no forum that the bot may use."""
    number = context.servers.settings_of(match.guild).forum
    forum = guild.get_channel(number) if number else None
    if not isinstance(forum, discord.ForumChannel) or missing_to_bot(guild, forum):
        return None
    tags = _existing_tags(forum, _find_tags(forum, _variant_names(match)) + _find_tags(forum, _tag_names(RUNNING_TAG)))
    if forum.flags.require_tag and not tags:
        log.warning("no tag for a post", match=match.id, forum=forum.id)
        return None
    name = _thread_name(context, match)
    if existing_id := _own_post(forum, name, forum.threads):  # a crash kept us from noting it
        return existing_id
    content = await context.names.spell_names(match.guild, table_text(context.server_language(match.guild), match))
    try:
        with note_faults(may_repeat=False):  # a forum post has no nonce
            opened = await forum.create_thread(
                name=name,
                auto_archive_duration=ARCHIVE_AFTER_MINUTES,
                content=content,
                applied_tags=tags,
                allowed_mentions=NO_MENTIONS,  # the first board pings everybody
            )
    except (discord.DiscordServerError, *NETWORK_ERRORS):
        if existing_id := _own_post(forum, name, await guild.active_threads()):
            return existing_id
        raise
    return opened.thread.id


def _own_post(forum: discord.ForumChannel, name: str, threads: Iterable[discord.Thread]) -> int | None:
    """Returns the number of the bot's post of that name in the forum, if it is among those threads."""
    wanted = (forum.id, forum.guild.me.id, name)
    return next((thread.id for thread in threads if (thread.parent_id, thread.owner_id, thread.name) == wanted), None)


def _thread_name(context: BotContext, match: Match) -> str:
    locale = context.server_language(match.guild)
    return text(locale, "turn.thread", variant=variant_name(locale, match.variant), id=match.id)


def _variant_names(match: Match) -> set[str]:
    """Returns the names that a tag for that variant may have."""
    return {variant_name(language, match.variant).casefold() for language in LANGUAGES}


def _tag_names(state: str) -> set[str]:
    """Returns the names that a tag for that state may have: in every language, separated by commas in the catalogue."""
    return {word.strip().casefold() for language in LANGUAGES for word in text(language, f"tag.{state}").split(",")}


def _find_tags(forum: discord.ForumChannel, names: set[str]) -> list[discord.ForumTag]:
    """Returns the forum's tag with one of those names, if there is one that the bot may set."""
    may_moderate = forum.permissions_for(forum.guild.me).manage_threads
    return [
        tag for tag in forum.available_tags if tag.name.casefold() in names and (may_moderate or not tag.moderated)
    ][:1]


def _existing_tags(forum: discord.ForumChannel, tags: Iterable[discord.ForumTag]) -> Sequence[discord.ForumTag]:
    """Returns the tags that the forum still has: a manager may have removed some."""
    return [tag for tag in tags if forum.get_tag(tag.id)]
