"""Calls beside the board: reminders, direct messages, followers, and the offer of a vacant seat.

A plain reminder comes as a direct message instead of a post. A nudge, or the news that the time is up, comes as both:
the opponents read the post too, and find their buttons there. Messages with buttons are noted when posted, and closed
when the answer no longer matters.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import discord
import structlog

from bot.core.deadlines import Actor
from bot.core.events import ASKING_EVENTS, EventKind
from bot.core.match import Match, MessageRef, Phase
from bot.core.news import News
from bot.core.offers import is_pending
from bot.discordkit.reply import MAX_MESSAGE_LENGTH, RESOLVED, make_view, now
from bot.play.announcing.outbox import UNSENT_ERRORS, best_effort, post_with_retries
from bot.play.announcing.telling import BOARD_LINK_EVENTS, Notice, make_notice, take_over_button
from bot.play.announcing.turn import changes_deadline, has_board
from bot.play.context import BotContext, Done, Post, pinging_only
from bot.play.known_servers import may_see_game
from bot.play.seeking import choose_for_seat
from bot.play.service.people import change_user_settings, user_settings
from bot.store import Job, StoreError, Writer
from bot.store.game_lists import followers_of
from bot.texts.i18n import Language, join_list, language_for, text
from bot.texts.markup import escape_markup, relative_time
from bot.texts.people import mention_users
from bot.texts.sentences import message_url, side_values, titled_name

log = structlog.get_logger()


DIRECT_ONLY_EVENTS, DIRECT_TOO_EVENTS = frozenset({EventKind.REMINDED}), frozenset({EventKind.NUDGED, EventKind.GRACE})
"""Events sent as a direct message instead of a post, and events sent as both, if the player to move chose direct
messages.
"""

IMPERSONAL_REFUSAL_CODES = frozenset({0, 20026, 40003})
"""Discord's codes for refusals that do not concern the person: no code, taken for spam, too many new direct-message
channels.
"""


async def load_notice(context: BotContext, locale: Language, news: News) -> Notice | None:
    """Returns the notice for the news, with a link to the board if that may be far above it."""
    match, actor = news.match, news.told_together[0].user
    notice = make_notice(locale, news, await context.names.name_of(match.guild, actor) if actor is not None else "")
    if notice is None or has_board(news) or news.kind not in BOARD_LINK_EVENTS:
        return notice
    board = (await context.service.reader.load_posts(match.id)).turn
    link = f" {text(locale, 'time.board', url=message_url(match.guild, board))}" if board else ""
    return notice._replace(text=notice.text + link)


class DirectMessagesClosed(Exception):
    """A person takes no direct messages. They get reminders in the channel from now on.

    Discord would take repeated tries for spam.
    """


async def send_direct_post(context: BotContext, news: News, nonce: str) -> discord.Message | None:
    """Sends the news to the player to move as a direct message. Returns None if Discord refuses it this time, or does
    not answer and the news is posted, too. Raises DirectMessagesClosed.
    """
    try:
        return await post_with_retries(lambda: _send_direct(context, news, f"d{nonce}"), context.timings)
    except (*UNSENT_ERRORS, StoreError) as error:
        if news.kind not in DIRECT_TOO_EVENTS:
            raise
        log.warning("direct copy not sent", match=news.match.id, error=str(error))
        return None


async def _send_direct(context: BotContext, news: News, nonce: str) -> discord.Message | None:
    """Sends the direct message, in the language in which the player chose direct messages, else in the server's.
    Returns None if Discord refuses it this time. Raises DirectMessagesClosed.
    """
    user = news.match.to_move
    assert user is not None
    language = (await user_settings(context.service, user)).language
    locale = context.server_language(news.match.guild) if language is None else language_for(language)
    reminder = await load_notice(context, locale, news)
    assert reminder is not None, "a reminder has words"
    content = f"{_game_heading(context, locale, news.match)}\n{reminder.text}"
    # The buttons of an event that is also posted are for the opponents.
    has_buttons = reminder.buttons and news.kind in DIRECT_ONLY_EVENTS
    view = make_view(*reminder.buttons) if has_buttons else discord.utils.MISSING
    try:
        channel = await context.client.create_dm(discord.Object(user))
        return await channel.send(content, view=view, allowed_mentions=RESOLVED, nonce=nonce)
    except discord.HTTPException as error:
        if error.status >= 500 or error.status == 429:
            raise
        log.info("no direct message", user=user, status=error.status, code=error.code)
        if not isinstance(error, (discord.Forbidden, discord.NotFound)) or error.code in IMPERSONAL_REFUSAL_CODES:
            return None
    await change_user_settings(
        context.service, Actor(user, now()), lambda settings: replace(settings, by_dm=False, language=None)
    )
    raise DirectMessagesClosed


def _game_heading(context: BotContext, locale: Language, match: Match) -> str:
    """Returns a heading with the game and its server, since direct messages of several servers stand together."""
    server = context.client.get_guild(match.guild)
    variant = titled_name(locale, match.variant, match.title)
    if server is None:
        return f"**{variant}** · #{match.id}"
    return text(locale, "time.direct", variant=variant, id=match.id, server=escape_markup(server.name))


def wants_direct_message(news: News) -> bool:
    """True if the news is for the player to move, who chose direct messages."""
    user = news.match.to_move
    person = news.people.get(user) if user is not None else None
    is_for_them = news.kind in DIRECT_ONLY_EVENTS or (news.kind in DIRECT_TOO_EVENTS and user in news.pinged_users)
    return is_for_them and person is not None and person.settings.by_dm


def may_be_followed(context: BotContext, match: Match) -> bool:
    """True if a game is running where everybody in the server may see it."""
    guild = context.client.get_guild(match.guild)
    place = guild.get_channel_or_thread(match.place.thread_or_channel) if guild else None
    # An unknown thread is archived: a game's own thread is public, a thread as a game's channel may be private.
    private = place.is_private() if isinstance(place, discord.Thread) else place is None and match.place.thread is None
    return match.is_live and not private


async def call_followers(context: BotContext, news: News, nonce: str) -> None:
    """Mentions the game's followers below the board. Best effort: the board does not wait for it."""
    match, locale = news.match, context.server_language(news.match.guild)
    try:
        followers = await _followers_of(context, news)
        if followers:
            content = text(locale, "follow.foot", users=", ".join(mention_users(locale, followers)))
            await context.send_post(
                Post(match.place.thread_or_channel, match.guild, content, nonce, pinging_only(followers))
            )
    except (*UNSENT_ERRORS, StoreError) as error:
        log.info("followers not called", match=match.id, error=str(error))


async def _followers_of(context: BotContext, news: News) -> tuple[int, ...]:
    """Returns the followers whom that news concerns and who may still see the game's place, without the players."""
    match = news.match
    ended = news.match_before is not None and news.match_before.is_live and not match.is_live
    if not ended and news.kind is not EventKind.MOVED:
        return ()
    follows = await followers_of(context.service.reader, match.id)
    concerned = [follow.user for follow in follows if (ended or follow.every_move) and follow.user not in match.players]
    guild = context.client.get_guild(match.guild)
    if guild is None or not concerned:
        return ()
    members = await context.names.fetch_members(match.guild, concerned)
    return tuple(user for user in concerned if user in members and may_see_game(guild, members[user], match))


async def offer_seat(context: BotContext, news: News) -> None:
    """Offers a vacant seat in the channel where the table was opened, and calls people who look for a game.

    Posts nothing if the game is played there and nobody is to be called. Best effort: the call in the game stands.
    """
    match = await context.service.current_match(news.match.id, news.match.guild)
    vacancy, locale = match.vacancy, context.server_language(match.guild)
    if vacancy is None or vacancy.seq != news.event.seq:  # taken over already, for instance
        return
    posts = await context.service.reader.load_posts(match.id)
    channel = posts.table.channel if posts.table else match.place.channel
    users = await choose_for_seat(context, match)
    if not users and channel == match.place.thread_or_channel:
        return
    lines = [
        text(
            locale,
            "leaver.offer",
            id=match.id,
            variant=titled_name(locale, match.variant, match.title),
            place=f"<#{match.place.thread_or_channel}>",
            until=relative_time(vacancy.until),
            **side_values(locale, match.variant, vacancy.seat),
        )
    ]
    if users:
        lines.append(text(locale, "leaver.offer-call", players=join_list(locale, mention_users(locale, users))))
    nonce = f"v{match.table.created:x}:{match.id}:{vacancy.seq}"
    button = take_over_button(locale, match, vacancy)
    with best_effort("seat not offered", match=match.id, channel=channel):
        post = Post(channel, match.guild, "\n".join(lines), nonce, pinging_only(users), [button])
        message = await context.send_post(post)
        async with context.service.store.write_transaction() as tx:
            await tx.add_jobs(buttons_job_for(match, vacancy.seq, message))


# Messages with buttons that wait for an answer: each is a job of the kind "buttons", due once nothing waits for it


ANSWERED_EVENTS = frozenset({*ASKING_EVENTS, EventKind.VACATED, EventKind.VOTE})
"""Events whose buttons stand until they are answered. All other buttons are for the current turn."""

TURN_MARK, GRACE_MARK = 0, -1
"""Instead of an event: marks of buttons for a turn, and for its grace, which also ends when time is given."""


class WaitingMessage(NamedTuple):
    """A message whose buttons wait for an answer."""

    event: int
    """The event of the match to be answered; or `TURN_MARK` or `GRACE_MARK`."""
    board_version: int

    @classmethod
    def of_job(cls, job: Job) -> WaitingMessage:
        """Returns what the job notes."""
        return cls(*map(int, job.note.split(":")))

    def still_waits_in(self, match: Match) -> bool:
        """True if the match still waits for the answer."""
        if not match.is_live:
            return False
        if self.event == GRACE_MARK and match.clock.grace_ends_at is None:
            return False
        if self.event in (TURN_MARK, GRACE_MARK):
            return match.board_version == self.board_version
        return is_pending(match, self.event)


def buttons_job(news: News, message: discord.Message) -> Job:
    """Returns the job that takes the buttons off the message of that news, once nothing waits for them any more."""
    event, match = TURN_MARK, news.match
    if match.vacancy and match.to_move is None:  # a board on which a vacant seat is to move
        event = match.vacancy.seq
    elif news.kind in ANSWERED_EVENTS:
        event = news.event.seq
    elif news.kind in (EventKind.GRACE, EventKind.OVERDUE, EventKind.STILL):
        event = GRACE_MARK
    return buttons_job_for(match, event, message)


def buttons_job_for(match: Match, event: int, message: discord.Message) -> Job:
    """Returns that job for a message whose buttons answer that event of the match, or a mark."""
    key, note = f"{message.channel.id}:{message.id}", f"{event}:{match.board_version}"
    return Job("buttons", key, match.guild, match.id, note=note)


async def add_edits(
    tx: Writer, news: News, board: MessageRef | None, board_before: MessageRef | None, *, latest: bool
) -> None:
    """Stores the edits that follow from announced news.

    `board`: the message of the news, if it shows the board; `board_before`: the message that did so until now.
    """
    match, at, over = news.match, now(), dict[str, Job]()
    noted = {it.key: it for it in await tx.find_jobs("match = ? AND kind = 'buttons' AND due_at IS NULL", (match.id,))}
    if board_before and (board or (news.kind is EventKind.VACATED and match.to_move is None)):  # nobody is called
        job = Job("buttons", f"{board_before.channel}:{board_before.message}", match.guild, match.id)
        over[job.key] = noted.get(job.key, job)
    if latest:
        over |= {key: job for key, job in noted.items() if not WaitingMessage.of_job(job).still_waits_in(match)}
    edits = [job._replace(due_at=at) for job in over.values()]
    if board is None and news.kind is EventKind.PROLONGED and news.match_before and noted:
        old = _end_of_wait(news.match_before)
        edits += [Job("end", f"{key}:{old}", match.guild, match.id, at) for key in noted]
    if board is None and latest and changes_deadline(news):
        edits.append(Job.of_match("deadline", match, match.place.thread_or_channel, at))
    if latest and (match.phase is Phase.OVER or news.kind is EventKind.REWOUND):
        edits.append(Job.of_match("table", match, match.place.thread_or_channel, at))
    if latest and match.place.thread is not None and match.phase is Phase.OVER:
        edits.append(Job.of_match("thread", match, match.place.thread, at))
    await tx.add_jobs(*edits)


def _end_of_wait(match: Match) -> int:
    """Returns the end of the match's vote, call or grace; 0 if there is none."""
    return match.vacancy.until if match.vacancy else match.clock.grace_ends_at or 0


async def replace_end(context: BotContext, job: Job) -> Done:
    """Replaces the end of a grace, call or vote that has been prolonged, in a message that waits for an answer."""
    channel, message_id, old = job.key.split(":")
    until = _end_of_wait(await context.service.current_match(job.match or 0, job.guild))
    message = context.partial_message(MessageRef(int(channel), int(message_id)))
    shown, shown_end = (await message.fetch()).content, relative_time(int(old))
    if until and shown_end in shown:
        await message.edit(content=shown.replace(shown_end, relative_time(until)), allowed_mentions=RESOLVED)
    return Done(edited=int(message_id))


async def take_buttons_off(context: BotContext, job: Job, words: str = "") -> Done:
    """Takes the buttons off the job's message, with `words` added in small print. The offer of a seat outside of the
    game's place says that it is over.
    """
    post, content = MessageRef(*map(int, job.key.split(":"))), discord.utils.MISSING
    message = context.partial_message(post)
    if job.kind == "buttons" and job.note and WaitingMessage.of_job(job).event > TURN_MARK:
        match = await context.service.current_match(job.match or 0, job.guild)
        if post.channel != match.place.thread_or_channel:
            words = text(context.server_language(job.guild), "leaver.offer-over")
    if words:
        shown, added = (await message.fetch()).content, f"\n-# {words}"
        if not shown.endswith(added) and len(shown + added) <= MAX_MESSAGE_LENGTH:  # else it stays as it is
            content = shown + added
    await message.edit(content=content, view=None, allowed_mentions=RESOLVED)
    return Done(edited=post.message)
