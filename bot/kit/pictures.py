"""Pictures drawn off the event loop: one worker thread, since drawing holds the interpreter for most of its time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType

from render import View, render_png, warm
from render.chances import Chances, render_chances
from render.curve import Curve, render_curve
from render.replay import Replay, render_gif
from rules import VARIANTS, Seat, Variant


class Pictures:
    """Draws boards. Use as a context manager: it makes ready for the first board, and the thread ends with it."""

    def __init__(self) -> None:
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pictures")

    def __enter__(self) -> Pictures:
        self._warm([(variant, seat) for variant in VARIANTS.values() for seat in variant.seats])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _warm(self, sides: Sequence[tuple[Variant, Seat]]) -> None:
        """Draws what the pictures from these sides have in common, one by one: no board waits behind all of them."""

        def work() -> None:
            warm(*sides[0])
            self._warm(sides[1:])

        if sides:
            with suppress(RuntimeError):  # the program ends before they are done
                self._worker.submit(work)

    async def draw(self, view: View) -> bytes:
        """The PNG of that view."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, render_png, view)

    async def animate(self, replay: Replay) -> bytes:
        """The animated GIF of those moves."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, render_gif, replay)

    async def plot(self, curve: Curve) -> bytes:
        """The PNG of that curve."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, render_curve, curve)

    async def plot_chances(self, chances: Chances) -> bytes:
        """The PNG of the chances along a game."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, render_chances, chances)
