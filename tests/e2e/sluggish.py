"""`python -m tests.e2e.sluggish`: the whole program on a machine that needs longer for a picture than Discord waits."""

from __future__ import annotations

import asyncio
import sys

from bot import __main__ as program
from bot.discordkit.fair_thread import Priority
from bot.play.pictures import Pictures
from render import View

SECONDS = 3.2


def slow_down() -> None:
    """Lets every picture take so long."""
    drawn = Pictures.draw_board

    async def draw(pictures: Pictures, view: View, priority: Priority = Priority.PERSON) -> bytes:
        await asyncio.sleep(SECONDS)
        return await drawn(pictures, view, priority)

    Pictures.draw_board = draw  # type: ignore[method-assign]  # the one way to draw


if __name__ == "__main__":
    slow_down()
    sys.exit(program.main())
