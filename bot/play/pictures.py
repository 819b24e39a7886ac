"""Pictures drawn beside the event loop, since drawing holds the interpreter for most of its time."""

from __future__ import annotations

from types import TracebackType

from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.discordkit.fair_thread import FairThread, Priority
from render import View, render_in_steps, warm_caches
from render.chances import ChancesChart, render_chances_in_steps
from render.rating_chart import RatingCurve, render_curve_in_steps
from render.replay import Replay, render_gif_in_steps
from rules import VARIANTS


class Pictures:
    """Draws boards. Use it as a context manager: entering starts its threads and warms the caches, leaving ends the
    threads.
    """

    def __init__(self, timings: Timings = DEFAULT_TIMINGS) -> None:
        self.thread = FairThread(timings)
        self._public_thread = FairThread(timings)
        """Only for what everybody waits for, so that no question of one person can hold it back."""

    def __enter__(self) -> Pictures:
        self._public_thread.__enter__()
        self.thread.__enter__()
        for variant in VARIANTS.values():
            for seat in variant.seats:
                self.thread.submit_steps(Priority.LATER, warm_caches(variant, seat))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.thread.__exit__(kind, error, trace)
        self._public_thread.__exit__(kind, error, trace)

    async def draw_board(self, view: View, priority: Priority = Priority.PERSON) -> bytes:
        """Returns the view as a PNG."""
        thread = self._public_thread if priority is Priority.PUBLIC else self.thread
        return await thread.run_steps(priority, render_in_steps(view))

    async def animate_moves(self, replay: Replay, priority: Priority = Priority.PERSON) -> bytes:
        """Returns the moves as an animated GIF, drawn frame by frame so that no board waits for the whole of it."""
        return await self.thread.run_steps(priority, render_gif_in_steps(replay))

    async def plot_ratings(self, curve: RatingCurve) -> bytes:
        """Returns the curve as a PNG."""
        return await self.thread.run_steps(Priority.PERSON, render_curve_in_steps(curve))

    async def plot_chances(self, chances: ChancesChart) -> bytes:
        """Returns the chances throughout a game as a PNG."""
        return await self.thread.run_steps(Priority.PERSON, render_chances_in_steps(chances))
