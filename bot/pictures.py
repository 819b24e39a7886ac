"""Pictures drawn off the event loop: one worker thread, since drawing holds the interpreter for most of its time."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType

from render import View, render_png
from render.replay import Replay, render_gif


class Pictures:
    """Draws boards. Use as a context manager; the worker thread ends with it."""

    def __init__(self) -> None:
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pictures")

    def __enter__(self) -> Pictures:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._worker.shutdown(wait=True, cancel_futures=True)

    async def draw(self, view: View) -> bytes:
        """The PNG of that view."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, render_png, view)

    async def animate(self, replay: Replay) -> bytes:
        """The animated GIF of those moves."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, render_gif, replay)
