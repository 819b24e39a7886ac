"""The interactions under way: a stop waits for them, the log says to which one a line belongs, and they are counted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import discord
import structlog
from cachetools import FIFOCache, LRUCache

from bot.kit.components import read_id
from bot.kit.metrics import Metrics, Outcome
from bot.kit.reply import Interaction

_MOST = 1000
"""Interactions that are remembered, at least until they are answered; far more than are ever under way."""


class Work:
    """Keeps the tasks that answer interactions."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._tasks: set[asyncio.Task[object]] = set()
        self._begun: FIFOCache[int, float] = FIFOCache(_MOST)
        self._taken: LRUCache[int, bool] = LRUCache(_MOST)
        self._stopping = False

    def take_on(self, interaction: Interaction) -> bool:
        """Whether the present task may answer the interaction. From here on its log lines name the interaction."""
        if self._stopping or interaction.id in self._taken:  # Discord may tell of one twice
            return False
        self._taken[interaction.id] = True
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        asked: dict[str, Any] = dict(interaction.data or {})
        name, match_id = _named(interaction, asked)
        called = asked.get("custom_id", name)
        structlog.contextvars.bind_contextvars(interaction=interaction.id, command=called, guild=interaction.guild_id)
        if match_id:
            note_game(match_id)
        if interaction.type is not discord.InteractionType.autocomplete:
            self._begun[interaction.id] = time.monotonic()
            task.add_done_callback(lambda _: self._metrics.worked(name, outcome_of(interaction)))
        return True

    async def finish(self, within: float) -> None:
        """Take on nothing more, wait so many seconds for what is under way, and cancel what hangs then.

        What has been stored stays stored, and is told after the next start.
        """
        self._stopping = True
        if not self._tasks:
            return
        _, hanging = await asyncio.wait(self._tasks, timeout=within)
        for task in hanging:
            task.cancel()
        if hanging:
            await asyncio.wait(hanging, timeout=1)

    def answered(self, interaction: int) -> None:
        """Notes that Discord has taken the first answer to the interaction of that number."""
        if (begun := self._begun.pop(interaction, None)) is not None:
            self._metrics.answered(time.monotonic() - begun)


def note_game(match_id: int) -> None:
    """From here on the present task's log lines name that game."""
    structlog.contextvars.bind_contextvars(match=match_id)


def note_outcome(interaction: Interaction, outcome: Outcome) -> None:
    """Notes what has become of an interaction that was not simply answered."""
    interaction.extras["outcome"] = outcome


def outcome_of(interaction: Interaction) -> Outcome:
    """What has become of it."""
    found = interaction.extras.get("outcome", Outcome.ANSWERED)
    assert isinstance(found, Outcome)
    return found


def _named(interaction: Interaction, asked: Mapping[str, Any]) -> tuple[str, int | None]:
    """What the interaction asks for, from a small set of names, and the game, where a button says so."""
    if interaction.command is not None:
        return f"/{interaction.command.qualified_name}", None
    if "custom_id" not in asked:
        return f"/{asked.get('name', '?')}", None
    found = read_id(asked["custom_id"])
    if found is None:
        return "?", None
    # Sheets are told apart by what they carry.
    name = found.name or getattr(found.state, "name", "")
    return f"{found.family.prefix}:{name}" if name else found.family.prefix, getattr(found.state, "match", None)
