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

from bot.core.results import MessageRef
from bot.discordkit.components import make_view
from bot.discordkit.metrics import Metrics
from bot.discordkit.pictures import Pictures
from bot.discordkit.reply import MAX_MESSAGE_LENGTH, NO_MENTIONS, now, users_pinged
from bot.play.announcing.people import DisplayNames, ServerSettings
from bot.play.engine import Engine
from bot.play.service import Service
from bot.texts.i18n import Language
from bot.texts.sentences import cut_text

log = structlog.get_logger()

TaskResultT = TypeVar("TaskResultT")
EditAction = Callable[[], Awaitable[None]]

FIRST_EDIT_DELAY_S = 0.3
"""Seconds until a first edit: whoever has moved is to have their answer before the old board is tidied."""

OLD_MESSAGE_AGE_S, OLD_EDIT_PAUSE_S = 3600, 2
"""Seconds from which on a message is old, and for which its channel is then left alone: Discord takes about three edits
of old messages in six seconds (30046)."""

MAX_QUEUED_EDITS = 50
"""Edits that wait in a channel; any others are left undone. Buttons that are left over do no harm."""


DELETED = 10_000
"""Channels and threads that are remembered as gone, so that Discord is asked about each once."""


class BackgroundTasks:
    """What goes on by itself, whoever has begun it: posts on their way, and edits of what has been posted.

    Nobody cancels any of it but a stop, at which nothing more is sent: a task that is cancelled in a rest that Discord
    wants of all requests makes discord.py 2.7.1 hold back all later ones. Who will not wait any longer leaves it be.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._edits: dict[int, deque[tuple[EditAction, int | None]]] = {}

    def start_task(self, work: Coroutine[Any, Any, TaskResultT]) -> asyncio.Task[TaskResultT]:
        """The task that does that."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def queue_edit(self, channel: int, edit: EditAction, message: int | None = None) -> None:
        """Edit something in that channel when there is time, after what is to be edited there already. Best effort.

        `partial_message` is what is edited, if that is known by now.
        """
        if channel not in self._edits:
            self._edits[channel] = deque()
            self.start_task(self._run_edits(channel))
        if len(self._edits[channel]) < MAX_QUEUED_EDITS:
            self._edits[channel].append((edit, message))
        else:
            log.info("left untidied", channel=channel, message=message, waiting=MAX_QUEUED_EDITS)

    async def _run_edits(self, channel: int) -> None:
        edits = self._edits[channel]
        await asyncio.sleep(FIRST_EDIT_DELAY_S)
        while edits:
            edit, message = edits[0]
            try:
                await edit()
            except Exception:  # nobody waits for it, and the next one can do without it
                log.exception("not tidied", channel=channel)
            edits.popleft()
            if message is None or now() - discord.utils.snowflake_time(message).timestamp() >= OLD_MESSAGE_AGE_S:
                await asyncio.sleep(OLD_EDIT_PAUSE_S)
        del self._edits[channel]

    @property
    def is_idle(self) -> bool:
        """Whether nothing is left to be done."""
        return len(self._tasks) == len(self._edits) and not any(self._edits.values())

    async def finish_tasks(self, within: float) -> None:
        """Wait so many seconds for what is under way, then cancel it; what is stored is told after the next start."""
        loop = asyncio.get_running_loop()
        until = loop.time() + within
        while not self.is_idle and loop.time() < until:
            await asyncio.wait(self._tasks, timeout=0.05)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@dataclass(frozen=True, eq=False)
class BotContext:
    """What every post needs."""

    client: discord.Client
    service: Service
    pictures: Pictures
    metrics: Metrics
    engine: Engine
    servers: ServerSettings
    names: DisplayNames
    languages: LRUCache[int, Language]
    """In which language people have met the bot last, for what it writes to them directly."""
    background: BackgroundTasks
    announcements_due: asyncio.Event
    """Set where something is to be told that nobody waits for; the ticker sees to it."""
    deleted: LRUCache[int, bool] = field(default_factory=lambda: LRUCache(DELETED), kw_only=True)
    """The channels and threads that are known to be gone, which never come back."""

    def reaches_server(self, guild: int) -> bool:
        """Whether the bot is in that server, Discord has not taken it away for a while, and its shard is connected."""
        server = self.client.get_guild(guild)
        return server is not None and not server.unavailable and server.shard_id not in self.lost_shards

    @property
    def lost_shards(self) -> list[int]:
        """The shards that are not connected, where there are several: with a single one nobody is reached at all."""
        shards = self.client.shards if isinstance(self.client, discord.AutoShardedClient) else {}
        return [number for number, shard in shards.items() if shard.is_closed()] if len(shards) > 1 else []

    def server_language(self, guild: int) -> Language:
        """The language of public posts in that server."""
        return self.servers.language_of(guild)

    async def send_message(
        self,
        channel: int,
        content: str,
        nonce: str,
        *,
        guild: int,
        ping: discord.AllowedMentions = NO_MENTIONS,
        buttons: Sequence[discord.ui.Item[Any]] = (),
        files: Sequence[discord.File] = (),
    ) -> discord.Message:
        """Post a new message there, silently where it calls nobody.

        It mentions those whom it pings, and has the names of all others of that server: see `DisplayNames.spell_names`.
        Of two with the same nonce within minutes, Discord drops the second.
        """
        content = cut_text(await self.names.spell_names(guild, content, users_pinged(ping)), MAX_MESSAGE_LENGTH)
        view, place = (
            make_view(*buttons) if buttons else discord.utils.MISSING,
            self.client.get_partial_messageable(channel),
        )
        silent = not ping.users
        return await place.send(content, files=files, view=view, allowed_mentions=ping, nonce=nonce, silent=silent)

    def partial_message(self, post: MessageRef) -> discord.PartialMessage:
        """That message, to be changed."""
        return self.client.get_partial_messageable(post.channel).get_partial_message(post.message)
