"""The Discord client: carries the program's parts to the cogs, answers errors, and keeps the commands in sync."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable
from uuid import uuid4

import discord
import structlog
from discord import app_commands
from discord.ext import commands

from bot.cogs._announce import Announcer
from bot.cogs._buttons import ActionButton
from bot.cogs._errors import explain
from bot.cogs._names import Names
from bot.cogs._reply import NOBODY, Press
from bot.cogs._translator import CatalogueTranslator
from bot.cogs.info import Info
from bot.cogs.move import Moving
from bot.cogs.play import Play
from bot.cogs.ticker import Ticker
from bot.pictures import Pictures
from bot.service import Service
from bot.store import Store

log = structlog.get_logger()

# Nobody speaks here; without this discord.py warns at every start that voice is not supported.
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False

GRACE = 5
"""Seconds for which a stop waits for the answers that are under way."""


class Tree(app_commands.CommandTree["RoundTable"]):
    """The slash commands. Offered in servers only: a game lives in a channel."""

    def __init__(self, client: RoundTable) -> None:
        super().__init__(
            client,
            allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
        )

    async def interaction_check(self, interaction: Press, /) -> bool:
        """Called before each command, in the task that will run it."""
        return interaction.client.take_on_work(interaction)

    async def on_error(self, interaction: Press, error: app_commands.AppCommandError, /) -> None:
        """Answer an error that a command raised."""
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        await interaction.client.answer_error(interaction, cause)


class RoundTable(commands.Bot):
    """The bot. Needs no privileged intent and keeps no messages and no members in memory."""

    def __init__(self, store: Store, pictures: Pictures) -> None:
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            tree_cls=Tree,
            intents=discord.Intents(guilds=True),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            allowed_mentions=NOBODY,
        )
        self.service = Service(store)
        self.pictures = pictures
        self.announcer = Announcer(self)
        self.names = Names(self)
        self._at_work: set[asyncio.Task[object]] = set()
        self._stopping = False

    async def setup_hook(self) -> None:
        """Runs once, after the login and before the gateway."""
        await self.tree.set_translator(CatalogueTranslator())
        await self.add_all_cogs()
        self.add_dynamic_items(ActionButton)
        await self.sync_if_changed()

    async def add_all_cogs(self) -> None:
        """Add every command and background task."""
        for cog in (Play(), Moving(), Info(), Ticker(self)):
            await self.add_cog(cog)

    async def on_ready(self) -> None:
        """Fires again after every new session, so it only says so."""
        log.info("ready", servers=len(self.guilds))

    async def sync_if_changed(self, *, force: bool = False) -> bool:
        """Tell Discord our commands if they are not those it was told last; whether they were sent."""
        payload = [
            await command.get_translated_payload(self.tree, self.tree.translator or CatalogueTranslator())
            for command in sorted(self.tree.get_commands(), key=lambda command: command.name)
        ]
        told = f"{self.application_id}:{hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()}"
        if not force and await self.service.meta("commands") == told:
            return False
        await self.tree.sync()
        await self.service.set_meta("commands", told)
        log.info("commands synced", count=len(payload))
        return True

    def take_on_work(self, press: Press) -> bool:
        """Whether the present task may answer the interaction; a stop waits for it then."""
        self.names.hear(press)
        task = asyncio.current_task()
        assert task is not None
        if not self._stopping:
            self._at_work.add(task)
            task.add_done_callback(self._at_work.discard)
        return not self._stopping

    async def close(self) -> None:
        """Finish the answers that are under way, take on no new ones, and hang up."""
        self._stopping = True
        if self._at_work:
            await asyncio.wait(self._at_work, timeout=GRACE)
        await super().close()

    async def guarded(self, press: Press, work: Awaitable[None]) -> None:
        """Await the work of a button, and answer what it raises."""
        try:
            await work
        except Exception as error:  # noqa: BLE001  # the last handler: whatever it was, the person gets an answer
            await self.answer_error(press, error)

    async def answer_error(self, press: Press, error: BaseException) -> None:
        """One clear private answer. What is not anybody's mistake is logged, and named by a code."""
        code = uuid4().hex[:8]
        try:
            if not await explain(press, error, code):
                log.error("unexpected", code=code, interaction=press.id, exc_info=error)
        except discord.HTTPException as failed:
            # Too late, or answered already by another press: nobody is left to be told.
            log.warning("not answered", code=code, interaction=press.id, failed=failed.code, exc_info=error)
