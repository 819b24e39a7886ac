"""The desk at which posts are written: the way to Discord, the services, the pictures, and what is remembered."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import discord
import structlog
from cachetools import LRUCache

from bot.kit.components import row
from bot.kit.engine import Engine
from bot.kit.metrics import Metrics
from bot.kit.pictures import Pictures
from bot.kit.reply import LONGEST, NO_MENTIONS, called, now
from bot.match.results import Post
from bot.posting.people import Names, Servers
from bot.service import Service
from bot.texts.i18n import Language
from bot.texts.sentences import shortened

log = structlog.get_logger()

Result = TypeVar("Result")
Edit = Callable[[], Awaitable[None]]

ANSWER_FIRST = 0.3
"""Seconds until a first edit: whoever has moved is to have their answer before the old board is tidied."""

OLD, AFTER_OLD = 3600, 2
"""Seconds from which on a message is old, and for which its channel is then left alone: Discord takes about three edits
of old messages in six seconds (30046)."""

MOST_EDITS = 50
"""Edits that wait in a channel; any others are left undone. Buttons that are left over do no harm."""


DELETED = 10_000
"""Channels and threads that are remembered as gone, so that Discord is asked about each once."""


class Errands:
    """What goes on by itself, whoever has begun it: posts on their way, and edits of what has been posted.

    Nobody cancels any of it but a stop, at which nothing more is sent: a task that is cancelled in a rest that Discord
    wants of all requests makes discord.py 2.7.1 hold back all later ones. Who will not wait any longer leaves it be.
    """

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[Any]] = set()
        self._edits: dict[int, deque[tuple[Edit, int | None]]] = {}

    def begin(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """The task that does that."""
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    def tidy(self, channel: int, edit: Edit, message: int | None = None) -> None:
        """Edit something in that channel when there is time, after what is to be edited there already. Best effort.

        `message` is what is edited, if that is known by now.
        """
        if channel not in self._edits:
            self._edits[channel] = deque()
            self.begin(self._tidy(channel))
        if len(self._edits[channel]) < MOST_EDITS:
            self._edits[channel].append((edit, message))
        else:
            log.info("left untidied", channel=channel, message=message, waiting=MOST_EDITS)

    async def _tidy(self, channel: int) -> None:
        edits = self._edits[channel]
        await asyncio.sleep(ANSWER_FIRST)
        while edits:
            edit, message = edits[0]
            try:
                await edit()
            except Exception:  # nobody waits for it, and the next one can do without it
                log.exception("not tidied", channel=channel)
            edits.popleft()
            if message is None or now() - discord.utils.snowflake_time(message).timestamp() >= OLD:
                await asyncio.sleep(AFTER_OLD)
        del self._edits[channel]

    @property
    def idle(self) -> bool:
        """Whether nothing is left to be done."""
        return len(self._under_way) == len(self._edits) and not any(self._edits.values())

    async def end(self, within: float) -> None:
        """Wait so many seconds for what is under way, then cancel it; what is stored is told after the next start."""
        loop = asyncio.get_running_loop()
        until = loop.time() + within
        while not self.idle and loop.time() < until:
            await asyncio.wait(self._under_way, timeout=0.05)
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)


@dataclass(frozen=True, eq=False)
class Desk:
    """What every post needs."""

    client: discord.Client
    service: Service
    pictures: Pictures
    metrics: Metrics
    engine: Engine
    servers: Servers
    names: Names
    languages: LRUCache[int, Language]
    """In which language people have met the bot last, for what it writes to them directly."""
    errands: Errands
    untold: asyncio.Event
    """Set where something is to be told that nobody waits for; the ticker sees to it."""
    deleted: LRUCache[int, bool] = field(default_factory=lambda: LRUCache(DELETED), kw_only=True)
    """The channels and threads that are known to be gone, which never come back."""

    def reaches(self, guild: int) -> bool:
        """Whether the bot is in that server, Discord has not taken it away for a while, and its shard is connected."""
        server = self.client.get_guild(guild)
        return server is not None and not server.unavailable and server.shard_id not in self.lost_shards

    @property
    def lost_shards(self) -> list[int]:
        """The shards that are not connected, where there are several: with a single one nobody is reached at all."""
        shards = self.client.shards if isinstance(self.client, discord.AutoShardedClient) else {}
        return [number for number, shard in shards.items() if shard.is_closed()] if len(shards) > 1 else []

    def language(self, guild: int) -> Language:
        """The language of public posts in that server."""
        return self.servers.language(guild)

    async def send(
        self,
        channel: int,
        said: str,
        nonce: str,
        *,
        guild: int,
        ping: discord.AllowedMentions = NO_MENTIONS,
        buttons: Sequence[discord.ui.Item[Any]] = (),
        files: Sequence[discord.File] = (),
    ) -> discord.Message:
        """Post a new message there, silently where it calls nobody.

        It mentions those whom it pings, and has the names of all others of that server: see `Names.spell`. Of two with
        the same nonce within minutes, Discord drops the second.
        """
        said = shortened(await self.names.spell(guild, said, called(ping)), LONGEST)
        view, place = row(*buttons) if buttons else discord.utils.MISSING, self.client.get_partial_messageable(channel)
        silent = not ping.users
        return await place.send(said, files=files, view=view, allowed_mentions=ping, nonce=nonce, silent=silent)

    def message(self, post: Post) -> discord.PartialMessage:
        """That message, to be changed."""
        return self.client.get_partial_messageable(post.channel).get_partial_message(post.message)
