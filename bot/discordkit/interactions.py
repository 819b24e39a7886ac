"""The first answer to an interaction, and the interactions in progress.

Discord waits three seconds for a first answer, and takes only one. What takes longer is announced in time by a
deferral, whatever the bot is waiting for. So no command, button, menu or form has to know how busy the database is.
A stop waits for the interactions in progress, log lines name them, and metrics count them.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import discord
import structlog
from cachetools import FIFOCache
from discord import InteractionType

from bot.discordkit.components import ParsedId
from bot.discordkit.errors import Declined
from bot.discordkit.metrics import InteractionOutcome, Metrics
from bot.discordkit.reply import DEFERRAL_KEY, Interaction
from bot.discordkit.requests import ALREADY_ANSWERED_CODE, NETWORK_ERRORS, TOO_LATE_CODE

BUSY = "failure.busy"


class FirstAnswer(discord.InteractionResponse[Any]):
    """First answers that cannot collide: each waits for one that is on its way, and a second deferral does nothing."""

    def __init__(self, parent: Interaction) -> None:
        super().__init__(parent)
        self._lock = asyncio.Lock()

    async def defer(self, *, ephemeral: bool = False, thinking: bool = False) -> Any:
        """Defers the answer unless it is deferred. Raises Declined for a public answer if it has been deferred as a
        private one.
        """
        async with self._lock:
            if not self.is_done():
                return await super().defer(ephemeral=ephemeral, thinking=thinking)
        if thinking and not ephemeral:
            raise Declined(BUSY)
        return None

    async def send_message(self, *content: object, **fields: Any) -> Any:
        """Sends a message as the answer."""
        async with self._lock:
            return await super().send_message(*content, **fields)

    async def edit_message(self, **fields: Any) -> Any:
        """Changes the message whose button was pressed."""
        async with self._lock:
            if not self.is_done():
                return await super().edit_message(**fields)
        return await self._parent.edit_original_response(**fields)

    async def send_modal(self, modal: discord.ui.Modal, /) -> Any:
        """Opens a form. Raises Declined if its content took too long: Discord accepts no form after a deferral."""
        async with self._lock:
            if not self.is_done():
                return await super().send_modal(modal)
        raise Declined(BUSY)

    async def autocomplete(self, choices: Any) -> None:
        """Offers suggestions, unless it is too late for them: nobody waits for them once they have typed on."""
        async with self._lock:
            if not self.is_done():
                try:
                    await super().autocomplete(choices)
                except discord.HTTPException as error:
                    if error.code not in (ALREADY_ANSWERED_CODE, TOO_LATE_CODE):
                        raise


def answer_in_time(interaction: Interaction, asked_at: float, defer_after_s: float) -> None:
    """Defers the answer when it is due, unless it has come by then. `asked_at`: when the interaction came, by the
    loop's clock.

    A deferred command answers privately. A deferred press changes its message or answers beside it, as it would have
    done anyway. Suggestions that take too long are none.
    """
    interaction._cs_response = FirstAnswer(interaction)  # type: ignore[attr-defined]  # where `response` is kept
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def defer_now() -> None:
        if not interaction.response.is_done():
            interaction.extras[DEFERRAL_KEY] = loop.create_task(_defer_late(interaction))

    timer = loop.call_at(asked_at + defer_after_s, defer_now)
    if interaction.type is not InteractionType.autocomplete:  # which discord.py leaves unanswered after an error
        task.add_done_callback(lambda _: timer.cancel())


async def _defer_late(interaction: Interaction) -> None:
    """Defers the answer. An error is left to the answer itself, which then meets it, too."""
    with suppress(discord.HTTPException, *NETWORK_ERRORS, OSError):
        if interaction.type is InteractionType.autocomplete:
            await interaction.response.autocomplete([])
        else:
            beside = interaction.type is InteractionType.application_command or interaction.message is None
            await interaction.response.defer(ephemeral=beside, thinking=beside)


# The interactions in progress


NAME_KEY = "name"
"""The key of an interaction's extras that holds what it asks for: "/game resign", or "rt:resign"."""

_MAX_REMEMBERED = 1000
"""Interactions remembered, at least until they are answered: far more than are ever in progress."""


class InteractionTasks:
    """Keeps the tasks that answer interactions."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._tasks: set[asyncio.Task[object]] = set()
        self._began_at: FIFOCache[int, float | None] = FIFOCache(_MAX_REMEMBERED)
        """When each interaction came; None if its answer is not timed."""
        self._stopping = False

    def begin_answering(self, interaction: Interaction, sent: ParsedId | None = None) -> bool:
        """Returns True if the current task may answer the interaction. From here on its log lines name
        the interaction. `sent`: the custom id of a component.
        """
        if self._stopping or interaction.id in self._began_at:  # Discord may deliver one twice
            return False
        is_timed = interaction.type is not discord.InteractionType.autocomplete
        self._began_at[interaction.id] = time.monotonic() if is_timed else None
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        data: dict[str, object] = dict(interaction.data or {})
        name, match_id = _name_of(interaction, data, sent), getattr(sent.state, "match", None) if sent else None
        interaction.extras[NAME_KEY] = name
        command = data.get("custom_id", name)
        structlog.contextvars.bind_contextvars(interaction=interaction.id, command=command, guild=interaction.guild_id)
        if match_id:
            log_match(match_id)
        if is_timed:
            note_outcome(interaction, InteractionOutcome.ANSWERED)
            task.add_done_callback(lambda _: self._metrics.count("interactions", name, interaction.extras["outcome"]))
        return True

    async def finish_tasks(self, within: float) -> None:
        """Accepts no more interactions, waits up to `within` seconds for those in progress, and cancels the rest.

        What has been stored stays stored, and is announced after the next start.
        """
        self._stopping = True
        if not self._tasks:
            return
        _, hanging = await asyncio.wait(self._tasks, timeout=within)
        for task in hanging:
            task.cancel()
        if hanging:
            await asyncio.wait(hanging, timeout=1)

    def note_answered(self, interaction: int) -> None:
        """Notes that Discord has taken the first answer to the interaction of that number."""
        if (began_at := self._began_at.get(interaction)) is not None:
            self._metrics.observe("answer", time.monotonic() - began_at)


def log_match(match_id: int) -> None:
    """Makes the current task's log lines name that game from here on."""
    structlog.contextvars.bind_contextvars(match=match_id)


def note_outcome(interaction: Interaction, outcome: InteractionOutcome) -> None:
    """Notes how an interaction ended, as far as is known."""
    interaction.extras["outcome"] = outcome.value


def _name_of(interaction: Interaction, data: Mapping[str, object], sent: ParsedId | None) -> str:
    """Returns what the interaction asks for, from a small set of names."""
    if interaction.command is not None:
        return f"/{interaction.command.qualified_name}"
    if "custom_id" not in data:
        return f"/{data.get('name', '?')}"
    if sent is None:
        return "?"
    # The name of a sheet is part of its state.
    name = sent.name or getattr(sent.state, "name", "")
    return f"{sent.family.prefix}:{name}" if name else sent.family.prefix


def freeze_garbage_collector() -> None:
    """Excludes all present objects from garbage collection.

    With the channels of a thousand servers in memory, one collection delayed everybody by a tenth of a second. It
    runs once more here, before anybody waits: the servers of the previous session are garbage now.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
