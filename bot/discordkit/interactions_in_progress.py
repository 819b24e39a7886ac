"""The interactions in progress: a stop waits for them, log lines name them, and metrics count them."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Mapping
from typing import Any

import discord
import structlog
from cachetools import FIFOCache, LRUCache

from bot.discordkit.components import parse_custom_id
from bot.discordkit.metrics import InteractionOutcome, Metrics
from bot.discordkit.reply import Interaction

_MAX_REMEMBERED = 1000
"""Interactions remembered, at least until they are answered: far more than are ever in progress."""


class InteractionTasks:
    """Keeps the tasks that answer interactions."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._tasks: set[asyncio.Task[object]] = set()
        self._began_at: FIFOCache[int, float] = FIFOCache(_MAX_REMEMBERED)
        self._taken_on: LRUCache[int, bool] = LRUCache(_MAX_REMEMBERED)
        self._stopping = False

    def begin_answering(self, interaction: Interaction) -> bool:
        """Returns True if the current task may answer the interaction. From here on its log lines name
        the interaction.
        """
        if self._stopping or interaction.id in self._taken_on:  # Discord may deliver one twice
            return False
        self._taken_on[interaction.id] = True
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        data: dict[str, Any] = dict(interaction.data or {})
        name, match_id = _name_and_match(interaction, data)
        command = data.get("custom_id", name)
        structlog.contextvars.bind_contextvars(interaction=interaction.id, command=command, guild=interaction.guild_id)
        if match_id:
            log_match(match_id)
        if interaction.type is not discord.InteractionType.autocomplete:
            self._began_at[interaction.id] = time.monotonic()
            task.add_done_callback(lambda _: self._metrics.count_interaction(name, outcome_of(interaction)))
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
        if (began_at := self._began_at.pop(interaction, None)) is not None:
            self._metrics.observe_answer(time.monotonic() - began_at)


def log_match(match_id: int) -> None:
    """Makes the current task's log lines name that game from here on."""
    structlog.contextvars.bind_contextvars(match=match_id)


def note_outcome(interaction: Interaction, outcome: InteractionOutcome) -> None:
    """Notes how an interaction ended that was not simply answered."""
    interaction.extras["outcome"] = outcome


def outcome_of(interaction: Interaction) -> InteractionOutcome:
    """Returns how the interaction ended."""
    outcome = interaction.extras.get("outcome", InteractionOutcome.ANSWERED)
    assert isinstance(outcome, InteractionOutcome)
    return outcome


def _name_and_match(interaction: Interaction, data: Mapping[str, Any]) -> tuple[str, int | None]:
    """Returns what the interaction asks for, from a small set of names, and the game if a button names one."""
    if interaction.command is not None:
        return f"/{interaction.command.qualified_name}", None
    if "custom_id" not in data:
        return f"/{data.get('name', '?')}", None
    parsed = parse_custom_id(data["custom_id"])
    if parsed is None:
        return "?", None
    # The name of a sheet is part of its state.
    name = parsed.name or getattr(parsed.state, "name", "")
    return f"{parsed.family.prefix}:{name}" if name else parsed.family.prefix, getattr(parsed.state, "match", None)


def freeze_garbage_collector() -> None:
    """Excludes all present objects from garbage collection.

    With the channels of a thousand servers in memory, one collection delayed everybody by a tenth of a second. It
    runs once more here, before anybody waits: the servers of the previous session are garbage now.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
