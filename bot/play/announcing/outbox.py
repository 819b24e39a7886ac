"""The outbox for everything that the bot posts unasked: what is due for a subject, in order, one post at a time.

Events are stored first, then posted, then marked as announced. A crash in between repeats the post at the next start.
Within minutes Discord drops the repeat because of its nonce. After a longer stop the post may appear twice, which is
the right way to fail: nothing is lost.

discord.py waits in each channel for as long as Discord demands. A waiting post is neither cancelled nor refused early
(`max_ratelimit_timeout`), because each further try would count as an invalid request. The caller stops waiting instead,
and the post continues in the background.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Generic, TypeVar

import aiohttp
import discord
import structlog

from bot.core.timings import Timings
from bot.discordkit.permissions import Obstacle, Trouble, trouble_at
from bot.discordkit.requests import NETWORK_ERRORS
from bot.play.context import BotContext, Post

log = structlog.get_logger()

Subject = TypeVar("Subject", bound=Hashable)
Item = TypeVar("Item")
Posted = TypeVar("Posted")

NotePosted = Callable[[], None]
"""Called after the last post, before what follows it."""

UNSENT_ERRORS = (discord.HTTPException, aiohttp.ClientError, OSError)
"""The errors raised by a request that Discord has not granted."""

OVERLOADED_STATUS = 503
"""The status that Discord answers with while it is overloaded."""


class StaleError(Exception):
    """The game has changed its place in the meantime, so the due news must be read again."""


class Outbox(ABC, Generic[Subject, Item]):
    """Posts what is due for subjects of one kind. Keeps nothing itself, so that it can be made where it is needed."""

    def __init__(self, context: BotContext) -> None:
        self._context = context

    async def announce_subject(self, subject: Subject, *, until_marked: bool = True) -> Trouble | None:
        """Posts everything due. Returns what prevents it, if anything; the ticker then tries again. What follows the
        last post, such as its mark, is over when this returns only if `until_marked` is set.

        If it takes longer than `announce_timeout_s`, returns SLOW, and the post continues in the background. A bug of
        ours is logged and returned as FAILED: the event has happened all the same, and the person who caused it must
        hear that.
        """
        posted = asyncio.get_running_loop().create_future()
        task = self._context.background.start_task(self.post_due(subject, lambda: posted.set_result(None)))
        ends = {task} if until_marked else {task, posted}
        await asyncio.wait(ends, timeout=self._context.timings.announce_timeout_s, return_when=asyncio.FIRST_COMPLETED)
        if task.done() and not task.cancelled():
            return task.result()
        return None if posted.done() and not until_marked else Trouble(Obstacle.SLOW, 0)

    def subject_lock(self, subject: Subject) -> asyncio.Lock:
        """Returns the lock for posts about that subject, so that only one post is in progress."""
        return self._context.outbox_locks.setdefault((type(self), subject), asyncio.Lock())

    async def post_due(self, subject: Subject, note_posted: NotePosted = lambda: None) -> Trouble | None:
        """Posts everything due, however long it takes; in a background task, which nobody cancels."""
        attempts = self._context.service.attempts
        trouble: Trouble | None = Trouble(Obstacle.FAILED, 0)
        async with self.subject_lock(subject):
            with attempts.contain_failures("posts", **self.log_fields(subject)):  # also if the caller has left
                trouble = await self.post_all_due(subject, await self.load_due(subject), note_posted)
        self._context.jobs_due.set()  # such as edits that follow
        return trouble

    async def post_all_due(self, subject: Subject, due: Sequence[Item], note_posted: NotePosted) -> Trouble | None:
        """Posts everything due; the caller holds the subject's lock."""
        for item in due:
            try:
                message = await self.post_item(item)
            except StaleError:
                return await Outbox.post_all_due(self, subject, await self.load_due(subject), note_posted)
            except UNSENT_ERRORS as error:
                trouble = self.trouble_with(item, error)
                log_values = {"obstacle": trouble.obstacle.value, "error": str(error)}
                log.warning("not announced", **self.log_fields(subject), **log_values)
                return trouble
            if item is due[-1]:
                note_posted()
            await self.mark_told(item, message, latest=item is due[-1])
        return None

    @abstractmethod
    async def due_subjects(self) -> Sequence[tuple[Hashable, Subject]]:
        """Returns the subjects with something to announce, each with its lane; posts of a lane follow each other."""

    @abstractmethod
    async def load_due(self, subject: Subject) -> Sequence[Item]:
        """Returns what has not been announced, in order."""

    @abstractmethod
    async def post_item(self, item: Item) -> discord.Message | None:
        """Composes the item and posts it with `send_with_retries`. Returns None if there is nothing to say.

        Raises what discord.py raises, or StaleError.
        """

    @abstractmethod
    async def mark_told(self, item: Item, message: discord.Message | None, *, latest: bool) -> None:
        """Marks the item as announced, with the message if one was posted."""

    @abstractmethod
    def trouble_with(self, item: Item, error: Exception) -> Trouble:
        """Returns what the error means that kept the item from being posted."""

    @abstractmethod
    def log_fields(self, subject: Subject) -> dict[str, object]:
        """Returns the subject for the log."""


async def send_with_retries(context: BotContext, post: Post) -> discord.Message:
    """Sends a composed message. A retry repeats only this request."""
    return await post_with_retries(lambda: context.send_post(post), context.timings)


async def send_to_first(context: BotContext, post: Post, places: Sequence[int]) -> discord.Message:
    """Sends a post to the first of the places that takes it. Raises what the last one raises."""
    *others, last = places
    for place in others:
        try:
            return await send_with_retries(context, replace(post, channel=place))
        except discord.HTTPException as error:  # not only 403 and 404: a locked thread in the archive has 400
            if trouble_at(context.client, post.guild, place, error).obstacle.is_temporary:
                raise
            log.warning("place of news left", place=place, error=str(error))
    return await send_with_retries(context, replace(post, channel=last))


async def post_with_retries(post: Callable[[], Awaitable[Posted]], timings: Timings) -> Posted:
    """Returns what `post` returns. Tries again at once if the connection broke or Discord was busy.

    discord.py repeats the post after other faults. Nothing is posted twice, because the nonce stays the same.
    """
    for pause in timings.post_retry_pauses_s:
        try:
            return await post()
        except (discord.DiscordServerError, *NETWORK_ERRORS) as error:
            if isinstance(error, discord.HTTPException) and error.status != OVERLOADED_STATUS:
                raise
            await asyncio.sleep(pause)
    return await post()


@contextmanager
def best_effort(event: str, **log_values: object) -> Iterator[None]:
    """Logs a request that Discord does not grant as that event, and continues: the message may be gone."""
    try:
        yield
    except UNSENT_ERRORS as error:
        log.info(event, **log_values, error=str(error))
