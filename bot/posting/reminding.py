"""Reminders on their way: the link back to the board, and the direct message for those who want one.

A plain reminder comes directly instead of in the channel. A nudge, and the word that the time is up, come besides: the
opponents hear of them too, and have their buttons there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Container, Sequence
from dataclasses import replace

import discord
import structlog

from bot.kit.components import Button, button, row
from bot.kit.permissions import may_look
from bot.kit.reply import RESOLVED, calling, now
from bot.match.events import EventKind
from bot.match.match import Match
from bot.match.news import News
from bot.posting.desk import Desk
from bot.posting.outbox import PAUSES, UNSENT, best_effort
from bot.posting.people import UNHEARD
from bot.posting.telling import notice
from bot.posting.telling.time import LINKED
from bot.store import StoreError
from bot.texts.i18n import Language, language, text
from bot.texts.sentences import mentions, message_url, plain, titled

log = structlog.get_logger()


INSTEAD, BESIDES = frozenset({EventKind.REMINDED}), frozenset({EventKind.NUDGED, EventKind.GRACE})
"""What is told directly instead of in the channel, and besides, where whoever is to move wants that."""

ABOUT_US = frozenset({0, 20026, 40003})
"""Discord's codes of refusals that say nothing of the person: none at all, taken for spam, too many doors at once."""


async def linked(desk: Desk, locale: Language, news: News, said: str) -> str:
    """What is said, with a link to the board that it is about."""
    board = (await desk.service.posts(news.match.id)).turn if news.kind in LINKED else None
    if board is None:
        return said
    return f"{said} {text(locale, 'time.board', url=message_url(news.match.guild, board))}"


class ClosedDoorError(Exception):
    """Somebody takes no direct messages. They get reminders in the channel from now on.

    Knocking again and again is what Discord takes for spam.
    """


async def direct_message(desk: Desk, news: News, name: str, nonce: str) -> discord.Message | None:
    """The reminder, as a direct message to whoever is to move; None where Discord does not take it this time.

    In the language in which they have met the bot last, if that is known, else in the server's. Raises ClosedDoorError.
    """
    user = news.match.to_move
    assert user is not None
    locale = await direct_language(desk, user, news.match.guild)
    told = notice(locale, news, name)
    assert told is not None, "a reminder has words"
    said = f"{_heading(desk, locale, news.match)}\n{await linked(desk, locale, news, told.text)}"
    # The buttons of what the channel is told as well are the opponents'.
    view = row(*told.buttons) if news.kind in INSTEAD else discord.utils.MISSING
    try:
        door = await desk.client.create_dm(discord.Object(user))
        return await door.send(said, view=view, allowed_mentions=RESOLVED, nonce=nonce)
    except discord.HTTPException as error:
        if error.status >= 500 or error.status == 429:
            raise
        log.info("no direct message", user=user, status=error.status, code=error.code)
        if not isinstance(error, (discord.Forbidden, discord.NotFound)) or error.code in ABOUT_US:
            return None
    await desk.service.people.change_user_settings(
        user, lambda settings: replace(settings, by_dm=False, language=None), now()
    )
    raise ClosedDoorError


async def write_besides(desk: Desk, news: News, name: str, nonce: str, post: discord.Message) -> None:
    """The direct message besides that post in the channel, which says so where the player's door is closed.

    It is a copy: where it fails again and again, the post must not be repeated for it.
    """
    for pause in (*PAUSES, None):
        try:
            await direct_message(desk, news, name, nonce)
            return
        except ClosedDoorError:
            break
        except (*UNSENT, StoreError) as error:
            if pause is None:
                log.warning("not written besides", match=news.match.id, error=str(error))
                return
            await asyncio.sleep(pause)
    said = f"{post.content}\n{door_closed(desk.language(news.match.guild))}"
    with best_effort("not told of a closed door", match=news.match.id):
        await post.edit(content=said, allowed_mentions=RESOLVED)


def door_closed(locale: Language) -> str:
    """That the reminders come in the channel from now on, in small print."""
    return f"-# {text(locale, 'time.door-closed')}"


async def direct_language(desk: Desk, user: int, guild: int) -> Language:
    """In which language that person gets direct messages; noted, so that a restart does not forget it."""
    noted, met = (await desk.service.people.user_settings(user)).language, desk.languages.get(user)
    if met is not None and met != noted:
        await desk.service.people.set_language(user, met)
    if met is not None or noted is not None:
        return met or language(noted)
    return desk.language(guild)


def _heading(desk: Desk, locale: Language, match: Match) -> str:
    """Which game it is, and of which server: a direct message stands beside those of other servers."""
    server = desk.client.get_guild(match.guild)
    variant = titled(locale, match.variant, match.title)
    if server is None:
        return f"**{variant}** · #{match.id}"
    return text(locale, "time.direct", variant=variant, id=match.id, server=plain(server.name))


def wanted_directly(news: News, kinds: Container[EventKind]) -> bool:
    """Whether the news is of one of those kinds, and whoever is to move wants such as direct messages."""
    user = news.match.to_move
    person = news.people.get(user) if user is not None else None
    return news.kind in kinds and person is not None and person.settings.by_dm


def follow_buttons(desk: Desk, match: Match) -> tuple[Button, ...]:
    """What lets spectators follow a game from below its board; nothing where only those may look who were let in."""
    guild = desk.client.get_guild(match.guild)
    place = guild.get_channel_or_thread(match.where) if guild else None
    # A thread that is put away is known to be no private one where it is the game's own.
    private = place.is_private() if isinstance(place, discord.Thread) else place is None and match.thread is None
    return () if private or not match.is_live else (button(desk.language(match.guild), "follow", match=match.id),)


async def call_followers(desk: Desk, news: News, nonce: str) -> None:
    """Mention the game's followers below the board that concerns them. Best effort: the board waits for nobody."""
    match, locale = news.match, desk.language(news.match.guild)
    try:
        followers = await _followers_of(desk, news)
        if followers:
            said = text(locale, "follow.foot", users=", ".join(mentions(locale, followers)))
            await desk.send(match.where, said, nonce, guild=match.guild, ping=calling(followers))
    except (*UNSENT, StoreError) as error:
        log.info("followers not called", match=match.id, error=str(error))


async def _followers_of(desk: Desk, news: News) -> tuple[int, ...]:
    """The followers whom that news concerns, the players left out, who may still look into the game's place."""
    match = news.match
    ended = news.was is not None and news.was.is_live and not match.is_live
    if not ended and news.kind is not EventKind.MOVED:
        return ()
    follows = await desk.service.people.followers(match.id)
    concerned = [follow.user for follow in follows if (ended or follow.every_move) and follow.user not in match.players]
    members = await lookers(desk, match, concerned)
    return tuple(user for user in concerned if members.get(user))


async def lookers(desk: Desk, match: Match, users: Sequence[int]) -> dict[int, bool]:
    """Which of those people, who are asked of Discord anew, may look into the game's place.

    Whoever is not in the server any more is left out; nobody is known where Discord does not say.
    """
    guild = desk.client.get_guild(match.guild)
    if guild is None or not users:
        return {}
    try:
        members = await desk.names.members(match.guild, users)
    except UNHEARD as error:
        log.info("members not told", match=match.id, error=str(error) or type(error).__name__)
        return {}
    return {user: may_look(guild, member, match) for user, member in members.items()}
