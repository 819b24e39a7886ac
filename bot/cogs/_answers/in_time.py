"""Answers to presses in time: Discord waits three seconds, and a picture may have to wait for others."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import discord

from bot.cogs._answers.reply import NOBODY, Press

T = TypeVar("T")

PATIENCE = 1.5
"""Seconds that the work for a press may take before Discord is told that there will be an answer."""

_DUE = "due"
"""Where a press carries when that is."""


async def in_time(press: Press, work: Coroutine[Any, Any, T]) -> T:
    """What `work` returns. Where it takes long, Discord is told meanwhile that an answer will come.

    The message that was pressed stays as it is until `update` changes it; `answer` still answers beside it.
    """
    task, present = asyncio.create_task(work), asyncio.get_running_loop().time()
    due = press.extras.setdefault(_DUE, present + PATIENCE)
    try:
        done, _ = await asyncio.wait([task], timeout=max(due - present, 0))
        if not done and not press.response.is_done():
            await press.response.defer()
        return await task
    finally:
        task.cancel()  # where somebody has stopped waiting, or Discord has


async def update(
    press: Press, content: str, *, view: discord.ui.View | None, files: Sequence[discord.File] | None = ()
) -> None:
    """Change the message whose button was pressed, whatever has been answered before; None leaves its pictures."""
    shown: dict[str, Any] = {"content": content, "view": view, "allowed_mentions": NOBODY}
    if files is not None:
        shown["attachments"] = list(files)
    if press.response.is_done():
        await press.edit_original_response(**shown)
    else:
        await press.response.edit_message(**shown)
