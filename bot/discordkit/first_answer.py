"""The first answer to an interaction: Discord waits three seconds for it, and takes only one.

What takes longer is announced in time by a deferral, whatever the bot is waiting for. So no command, button, menu or
form has to know how busy the database is.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import discord
from discord import InteractionType

from bot.discordkit.answer_retries import ALREADY_ANSWERED_CODE, NETWORK_ERRORS, TOO_LATE_CODE
from bot.discordkit.errors import Declined
from bot.discordkit.reply import DEFERRAL_KEY, Interaction

BUSY = "failure.busy"

DEFER_AFTER_S = 1.5
"""Seconds that the work for an answer may take before the bot tells Discord that an answer will come."""


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

    async def send_message(self, *content: Any, **fields: Any) -> Any:
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


def answer_in_time(interaction: Interaction, asked_at: float, defer_after_s: float = DEFER_AFTER_S) -> None:
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
