"""Announces games to their players: one new message a turn, posted after the move is stored and marked
once it is out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import discord

from bot.core.events import EventKind
from bot.core.match import Match, MessageRef
from bot.core.news import News, hold_for_house_answer
from bot.core.refereeing import find_ruling
from bot.discordkit.permissions import Trouble, trouble_at
from bot.discordkit.reply import RESOLVED, make_attachment, now, picture_file
from bot.play.announcing.calls import (
    DIRECT_TOO_EVENTS,
    DirectMessagesClosed,
    add_edits,
    buttons_job,
    call_followers,
    load_notice,
    may_be_followed,
    offer_seat,
    replace_end,
    send_direct_post,
    take_buttons_off,
    wants_direct_message,
)
from bot.play.announcing.outbox import NotePosted, Outbox, StaleError, best_effort, post_with_retries, send_with_retries
from bot.play.announcing.tables import update_table
from bot.play.announcing.telling import audit_text
from bot.play.announcing.turn import has_board, turn_alt_text, turn_buttons, turn_text, turn_view, update_deadline
from bot.play.context import BotContext, Done, Ended, JobKind, Notes, Post, action_button, feature_notes, pinging_only
from bot.play.known_servers import record_of
from bot.play.places import (
    archive_game_thread,
    delete_thread_lines,
    handle_lost_place,
    leave_thread,
    note_channel_found,
    open_game_thread,
    rename_game_thread,
    resume_in_place,
    shut_trouble,
)
from bot.play.service.games import rating_effects
from bot.store import Job
from bot.store.game_lists import games_without_place
from bot.texts.i18n import Language, text
from bot.texts.people import rating_lines


class Announcer(Outbox[int, News]):
    """Posts what has happened in a game and has not been announced: one new message a turn."""

    async def due_subjects(self) -> Sequence[tuple[Hashable, int]]:
        """Returns the matches with unannounced news, and those whose place has taken no post, as soon as the client
        knows nothing against it: many changes can give a permission back. Each is in the lane of its place.
        """
        context = self._context
        lost = await games_without_place(context.service.reader)
        return [(place, match_id) for match_id, place in await context.service.reader.unannounced_matches()] + [
            (game.place.thread_or_channel, game.id) for game in lost if shut_trouble(context, game) is None
        ]

    async def load_due(self, match_id: int) -> Sequence[News]:
        """Returns the unannounced news, without news that will come together with the house player's answer.

        In a game without a place nothing is held back, so that the mover hears at once that nobody could be told.
        """
        news = await self._context.service.unannounced_news(match_id)
        return news if news and news[-1].match.place.is_lost else hold_for_house_answer(news, now())

    async def post_all_due(self, match_id: int, due: Sequence[News], note_posted: NotePosted) -> Trouble | None:
        """Posts, and notes if the place is lost or found again. Sends no request that Discord would refuse."""
        if not due:
            return await resume_in_place(self._context, match_id)
        last = due[-1]
        trouble = shut_trouble(self._context, last.match) or await super().post_all_due(match_id, due, note_posted)
        if trouble:
            await handle_lost_place(self._context, last, trouble)
        elif last.match.place.is_lost:  # it can be announced there again
            match = await self._context.service.current_match(match_id, last.match.guild)
            await note_channel_found(self._context, match_id, match.place.thread)
        return trouble

    async def post_item(self, news: News) -> discord.Message | None:
        """Posts the news with the board or below it, in the game's thread; in the channel if the thread is gone."""
        match = news.match
        if news.kind is EventKind.STARTED and await post_with_retries(
            lambda: open_game_thread(self._context, match), self._context.timings
        ):
            raise StaleError
        self._context.composed_since[match.id] = asyncio.get_running_loop().time()
        try:
            posted = news.as_posted(now())
            post = await compose_post(self._context, posted)
        finally:
            del self._context.composed_since[match.id]
        if post is None:
            return None
        try:
            message = await self._send_direct_or_here(posted, post)
        except discord.HTTPException as error:
            if not await leave_thread(self._context, match, error):
                raise
            raise StaleError from None
        if (
            posted.pinged_users != news.pinged_users and match.place.thread
        ):  # an edit adds those it mentions to the thread, and pings nobody
            with best_effort("players not added to their thread", match=match.id):
                await message.edit(content=post.content, allowed_mentions=RESOLVED)
        return message

    async def _send_direct_or_here(self, news: News, post: Post) -> discord.Message:
        """Sends a reminder as a direct message if the player wants that and takes it, and all else in the game's place;
        what is for the opponents, too, in both: here first, so that a refused post repeats no direct message.
        """
        message = await send_with_retries(self._context, post) if news.kind in DIRECT_TOO_EVENTS else None
        try:
            direct = await send_direct_post(self._context, news, post.nonce) if wants_direct_message(news) else None
        except DirectMessagesClosed:
            closed = f"\n-# {text(self._context.server_language(post.guild), 'time.door-closed')}"
            post, direct = replace(post, content=post.content + closed), None
            if message:
                with best_effort("closed direct messages not reported", match=news.match.id):
                    await message.edit(content=message.content + closed, allowed_mentions=RESOLVED)
        return message or direct or await send_with_retries(self._context, post)

    async def mark_told(self, news: News, message: discord.Message | None, *, latest: bool) -> None:
        """Marks the news as announced, and stores the edits of earlier messages that follow from it."""
        match, service, board = news.match, self._context.service, None
        if message is not None and has_board(news):
            board = MessageRef(message.channel.id, message.id)
        # People are called before the mark, so that a crash repeats the calls; a slow one goes on beside it.
        if news.kind is EventKind.VACATED:
            await self._wait_a_moment_for(offer_seat(self._context, news))
        if board and (latest or not match.is_live):
            await self._wait_a_moment_for(call_followers(self._context, news, f"f{_news_nonce(news)}"))
        # If a power cut loses the mark, the edits are lost with it, and Discord drops the repeated post by its nonce.
        async with service.store.write_transaction(durable=False) as tx:
            board_before = await service.mark_announced(tx, match.id, news.seq, board)
            if message and (board is None or (match.is_live and match.to_move is None)) and message.components:
                await tx.add_jobs(buttons_job(news, message))
            await add_edits(tx, news, board, board_before, latest=latest)
        if board and news.kind is EventKind.MOVED:
            for _ in news.told_together:
                self._context.metrics.count("moves")

    async def _wait_a_moment_for(self, calling: Coroutine[Any, Any, None]) -> None:
        task = self._context.background.start_task(calling)
        await asyncio.wait({task}, timeout=self._context.timings.further_calls_wait_s)

    def trouble_with(self, news: News, error: Exception) -> Trouble:
        """Returns what keeps the news from being posted where the game is played."""
        match = news.match
        parent = match.place.channel if match.place.thread else None
        return trouble_at(self._context.client, match.guild, match.place.thread_or_channel, error, parent)

    def log_fields(self, match_id: int) -> dict[str, object]:
        """Returns the game for the log."""
        return {"match": match_id}


async def enter_ruling(context: BotContext, job: Job) -> Done:
    """Enters a referee's act in the audit channel, if the server has one.

    An entry that Discord refuses is given up, since the channel may be gone permanently: the players still hear of the
    act, and the game's history keeps it.
    """
    match_id, seq = map(int, job.key.split(":"))
    channel = context.servers.settings_of(job.guild).audit
    if channel is None:
        return Done()
    ruling = find_ruling(match_id, await context.service.reader.load_events(match_id), seq)
    content = audit_text(context.server_language(job.guild), ruling)
    nonce = f"a{ruling.match.table.created:x}:{match_id}:{seq}"
    await send_with_retries(context, Post(channel=channel, guild=job.guild, content=content, nonce=nonce))
    return Done()


def _edit_of_match(kind: str, edit: Callable[[BotContext, Match], Awaitable[int | None]]) -> JobKind:
    """Returns the kind of the jobs that make this edit after a change of a match. `edit` returns the message edited."""

    async def run(context: BotContext, job: Job) -> Done:
        match = await context.service.current_match(int(job.key.split(":")[1]), job.guild)
        return Done(edited=await edit(context, match))

    return JobKind(kind, run, is_edit=True)


JOBS = (
    JobKind("audit", enter_ruling),
    JobKind("buttons", take_buttons_off, is_edit=True),
    _edit_of_match("deadline", update_deadline),
    JobKind("end", replace_end, is_edit=True),
    _edit_of_match("table", update_table),
    _edit_of_match("thread", archive_game_thread),
    JobKind("thread-lines", delete_thread_lines),
    _edit_of_match("thread-name", rename_game_thread),
)
"""The kinds of jobs about games. Edits due at once in a channel run in the order of their names: nothing can be
edited in an archived thread."""


async def compose_post(context: BotContext, news: News) -> Post | None:
    """Returns the post of the news, with names as mentions; None if there is nothing to say."""
    match, locale = news.match, context.server_language(news.match.guild)
    notice = await load_notice(context, locale, news)
    if not has_board(news) and (notice is None or news.overtaken):
        return None
    words, buttons = (notice.text, notice.buttons) if notice else ("", ())
    post = Post(
        channel=match.place.thread_or_channel,
        guild=match.guild,
        content=words,
        nonce=_news_nonce(news),
        ping=pinging_only(news.pinged_users),
        buttons=buttons,
    )
    return await _add_board(context, locale, news, post) if has_board(news) else post


async def _add_board(context: BotContext, locale: Language, news: News, post: Post) -> Post:
    """Returns the post with the board, and at the end of a game with its effects and its record."""
    match, service, end = news.match, context.service, Notes([])
    picture = await context.pictures.draw_board(turn_view(news), public=True)
    files = [partial(picture_file, picture, f"game-{match.id}-{match.ply}", turn_alt_text(locale, news))]
    if match.outcome is not None:
        record = await record_of(context.names, service, match)
        files.append(partial(make_attachment, record.encode(), f"game-{match.id}.txt"))
        ratings = await rating_effects(service.reader, match.id)
        lines = rating_lines(locale, ratings, news.event.at)
        end = await feature_notes(context, locale, Ended(match, ratings), *lines)
    follow = [action_button(locale, "follow", match=match.id)] if may_be_followed(context, match) else []
    return replace(
        post,
        content=turn_text(locale, news, post.content, end.lines, end.brought),
        buttons=[*turn_buttons(context.features, locale, match, follow), *end.buttons, *post.buttons],
        files=files,
    )


def _news_nonce(news: News) -> str:
    """Returns the same nonce for the same news, so that Discord drops a post repeated after a crash."""
    return f"{news.match.table.created:x}:{news.match.id}:{news.seq}"
