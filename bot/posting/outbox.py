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

from bot.kit.permissions import Obstacle, Trouble
from bot.kit.steady import BROKEN
from bot.people.seldom import Seldom
from bot.posting.desk import Desk

log = structlog.get_logger()

Subject = TypeVar("Subject", bound=Hashable)
Item = TypeVar("Item")
Posted = TypeVar("Posted")

UNSENT = (discord.HTTPException, aiohttp.ClientError, OSError)
"""What a request to Discord raises that has not been granted."""

PATIENCE = 10
"""Seconds after which nobody waits for an announcement any longer."""

PAUSES = (1, 3)
"""Seconds before each further try of a post that discord.py does not try again."""

BUSY = 503
"""The status that Discord answers with while it is overloaded."""


class StaleError(Exception):
    """The game has changed its place meanwhile, so that what is due is read again."""


class Outbox(ABC, Generic[Subject, Item]):
    """What is due of the subjects of one kind."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._complained = Seldom()
        self._busy: WeakValueDictionary[Subject, asyncio.Lock] = WeakValueDictionary()

    async def announce(self, subject: Subject, *, patience: float | None = PATIENCE) -> Trouble | None:
        """Post everything that is due. What keeps it from being posted, if anything does; the ticker tries again.

        Where it takes longer than so many seconds that is SLOW, and it goes on by itself. A mistake of ours is logged,
        and told as FAILED: what is to be told has happened all the same, and whoever did it must hear that.
        """
        task = self._desk.errands.begin(self._announce(subject))
        await asyncio.wait({task}, timeout=patience)
        return task.result() if task.done() else Trouble(Obstacle.SLOW, 0)

    def alone(self, subject: Subject) -> asyncio.Lock:
        """Held by whoever posts what is about it: there is one at a time."""
        return self._busy.setdefault(subject, asyncio.Lock())

    async def _announce(self, subject: Subject) -> Trouble | None:
        try:
            async with self.alone(subject):
                return await self.empty(subject, await self.due(subject))
        except Exception as error:  # also where nobody waits for it any longer, who could log it
            if self._complained.due((subject, type(error))):
                log.exception("not announced", **self.named(subject))
            return Trouble(Obstacle.FAILED, 0)

    async def empty(self, subject: Subject, due: Sequence[Item]) -> Trouble | None:
        """The same where nobody else is at it."""
        trouble = None
        for item in due:
            try:
                message = await insist(partial(self.post, item))
            except StaleError:
                return await Outbox.empty(self, subject, await self.due(subject))
            except UNSENT as error:
                trouble = self.trouble(item, error)
                told = {"obstacle": trouble.obstacle.value, "error": str(error)}
                log.warning("not announced", **self.named(subject), **told)
                if not self.gives_up(trouble):
                    return trouble
                message = None
            await self.mark(item, message, latest=item is due[-1])
        await self.finish(subject, due)
        return trouble

    @abstractmethod
    async def due(self, subject: Subject) -> Sequence[Item]:
        """What has not been told yet, in order."""

    @abstractmethod
    async def post(self, item: Item) -> discord.Message | None:
        """Post it; None where there is nothing to say. Raises what discord.py raises, or StaleError."""

    @abstractmethod
    async def mark(self, item: Item, message: discord.Message | None, *, latest: bool) -> None:
        """Note that it is told, by that message if by any."""

    async def finish(self, subject: Subject, due: Sequence[Item]) -> None:
        """Called when all is told, and of what that was."""

    @abstractmethod
    def trouble(self, item: Item, error: Exception) -> Trouble:
        """What that error means, which has kept it from being posted."""

    def gives_up(self, trouble: Trouble) -> bool:
        """Whether something that cannot be posted is taken for told, so that it does not keep back what follows."""
        return False

    @abstractmethod
    def named(self, subject: Subject) -> dict[str, object]:
        """What the log calls it."""


async def insist(post: Callable[[], Awaitable[Posted]]) -> Posted:
    """What that posts, tried again at once where the connection broke or Discord was busy.

    discord.py itself tries again after other faults. Nothing is told twice by that: the nonce is the same.
    """
    for pause in PAUSES:
        try:
            return await post()
        except (discord.DiscordServerError, *BROKEN) as error:
            if isinstance(error, discord.HTTPException) and error.status != BUSY:
                raise
            await asyncio.sleep(pause)
    return await post()


@contextmanager
def best_effort(event: str, **named: object) -> Iterator[None]:
    """Does without what Discord does not grant, which is logged as that event: the message may be gone."""
    try:
        yield
    except UNSENT as error:
        log.info(event, **named, error=str(error))
