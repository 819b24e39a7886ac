"""The outbox of all that the bot posts by itself: what is due of a subject, in order, one post at a time.

What has happened is stored first, then posted, then marked as told. A crash between the two repeats the post at the
next start. Within minutes its nonce makes Discord drop the repeat; after a longer stop it may be seen twice, which is
the right way to fail: nothing is lost.

discord.py waits for as long as Discord wants, in the channel where Discord wants it. A post that waits is neither
cancelled nor refused early (`max_ratelimit_timeout`), for each further try would count as an invalid request: whoever
has begun it stops waiting for it, and it goes on as an errand.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

import aiohttp
import discord
import structlog

from bot.core.log_limiter import LogLimiter
from bot.discordkit.permissions import Obstacle, Trouble
from bot.discordkit.steady import NETWORK_ERRORS
from bot.play.announcing.context import BotContext

log = structlog.get_logger()

Subject = TypeVar("Subject", bound=Hashable)
Item = TypeVar("Item")
Posted = TypeVar("Posted")

UNSENT_ERRORS = (discord.HTTPException, aiohttp.ClientError, OSError)
"""What a request to Discord raises that has not been granted."""

ANNOUNCE_TIMEOUT_S = 10
"""Seconds after which nobody waits for an announcement any longer."""

POST_RETRY_PAUSES_S = (1, 3)
"""Seconds before each further try of a post that discord.py does not try again."""

OVERLOADED_STATUS = 503
"""The status that Discord answers with while it is overloaded."""


class StaleError(Exception):
    """The game has changed its place meanwhile, so that what is due is read again."""


class Outbox(ABC, Generic[Subject, Item]):
    """What is due of the subjects of one kind."""

    def __init__(self, context: BotContext) -> None:
        self._context = context
        self._complained = LogLimiter()
        self._locks: WeakValueDictionary[Subject, asyncio.Lock] = WeakValueDictionary()

    async def announce_subject(
        self, subject: Subject, *, timeout_s: float | None = ANNOUNCE_TIMEOUT_S
    ) -> Trouble | None:
        """Post everything that is due. What keeps it from being posted, if anything does; the ticker tries again.

        Where it takes longer than so many seconds that is SLOW, and it goes on by itself. A mistake of ours is logged,
        and told as FAILED: what is to be told has happened all the same, and whoever did it must hear that.
        """
        task = self._context.background.start_task(self._announce_alone(subject))
        await asyncio.wait({task}, timeout=timeout_s)
        return task.result() if task.done() else Trouble(Obstacle.SLOW, 0)

    def subject_lock(self, subject: Subject) -> asyncio.Lock:
        """Held by whoever posts what is about it: there is one at a time."""
        return self._locks.setdefault(subject, asyncio.Lock())

    async def _announce_alone(self, subject: Subject) -> Trouble | None:
        try:
            async with self.subject_lock(subject):
                return await self.post_all_due(subject, await self.load_due(subject))
        except Exception as error:  # also where nobody waits for it any longer, who could log it
            if self._complained.may_log_now((subject, type(error))):
                log.exception("not announced", **self.log_fields(subject))
            return Trouble(Obstacle.FAILED, 0)

    async def post_all_due(self, subject: Subject, due: Sequence[Item]) -> Trouble | None:
        """The same where nobody else is at it."""
        trouble = None
        for item in due:
            try:
                message = await post_with_retries(partial(self.post_item, item))
            except StaleError:
                return await Outbox.post_all_due(self, subject, await self.load_due(subject))
            except UNSENT_ERRORS as error:
                trouble = self.trouble_with(item, error)
                log_values = {"obstacle": trouble.obstacle.value, "error": str(error)}
                log.warning("not announced", **self.log_fields(subject), **log_values)
                if not self.gives_up(trouble):
                    return trouble
                message = None
            await self.mark_told(item, message, latest=item is due[-1])
        await self.finish_subject(subject, due)
        return trouble

    @abstractmethod
    async def load_due(self, subject: Subject) -> Sequence[Item]:
        """What has not been told yet, in order."""

    @abstractmethod
    async def post_item(self, item: Item) -> discord.Message | None:
        """Post it; None where there is nothing to say. Raises what discord.py raises, or StaleError."""

    @abstractmethod
    async def mark_told(self, item: Item, message: discord.Message | None, *, latest: bool) -> None:
        """Note that it is told, by that message if by any."""

    async def finish_subject(self, subject: Subject, due: Sequence[Item]) -> None:
        """Called when all is told, and of what that was."""

    @abstractmethod
    def trouble_with(self, item: Item, error: Exception) -> Trouble:
        """What that error means, which has kept it from being posted."""

    def gives_up(self, trouble: Trouble) -> bool:
        """Whether something that cannot be posted is taken for told, so that it does not keep back what follows."""
        return False

    @abstractmethod
    def log_fields(self, subject: Subject) -> dict[str, object]:
        """What the log calls it."""


async def post_with_retries(post: Callable[[], Awaitable[Posted]]) -> Posted:
    """What that posts, tried again at once where the connection broke or Discord was busy.

    discord.py itself tries again after other faults. Nothing is told twice by that: the nonce is the same.
    """
    for pause in POST_RETRY_PAUSES_S:
        try:
            return await post()
        except (discord.DiscordServerError, *NETWORK_ERRORS) as error:
            if isinstance(error, discord.HTTPException) and error.status != OVERLOADED_STATUS:
                raise
            await asyncio.sleep(pause)
    return await post()


@contextmanager
def best_effort(event: str, **log_values: object) -> Iterator[None]:
    """Does without what Discord does not grant, which is logged as that event: the message may be gone."""
    try:
        yield
    except UNSENT_ERRORS as error:
        log.info(event, **log_values, error=str(error))
