"""`python -m tests.e2e.hasty_program`: the program with its long waits cut short, and a clock that a test can move.

Nothing else differs from `python -m bot`. HASTY_PACE is by how much its waits and discord.py's are shorter: those for
READY's servers, between tries of a request or a connection, between ticks. HASTY_CLOCK names a file that says what the
clocks are like, see `tests.e2e.machine_clocks`: how much later it is, and whether the bot was awake in that time.
HASTY_THOUGHT is after how many seconds a thought of the engine is given up, where a test stops engines: as limits for
slow machines are not waits, they are the program's own unless a test needs them shorter.
HASTY_NAME, where several run, stands in every request to Discord, so that a test knows whose it is.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable
from contextvars import Context
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any, TypeVarTuple

import aiohttp

from bot import __main__ as program
from bot.core import timings
from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.play.service.presence import Presence
from bot.store import postgresql
from tests.e2e.machine_clocks import Machine

PACE = float(os.environ.get("HASTY_PACE", "20"))
CLOCK = os.environ.get("HASTY_CLOCK")
NAME = os.environ.get("HASTY_NAME")


def hasty_timings() -> Timings:
    """Returns the program's timings with the waits of its own choosing shortened."""
    usual = DEFAULT_TIMINGS
    return replace(
        usual,
        connect_retry_s=usual.connect_retry_s / PACE,
        servers_ready_wait_s=usual.servers_ready_wait_s / PACE,
        sync_wait_s=usual.sync_wait_s / PACE,
        sync_retry_s=usual.sync_retry_s / PACE,
        tick_interval_s=usual.tick_interval_s / PACE,
        post_retry_pauses_s=tuple(pause / PACE for pause in usual.post_retry_pauses_s),
        first_edit_delay_s=usual.first_edit_delay_s / PACE,
        old_edit_pause_s=usual.old_edit_pause_s / PACE,
        house_look_interval_s=usual.house_look_interval_s / PACE,
        refusal_pause_s=usual.refusal_pause_s / PACE,
        confirm_wait_s=usual.announce_timeout_s,  # tests read the post after the answer, also on a busy machine
        thought_timeout_s=float(os.environ.get("HASTY_THOUGHT", usual.thought_timeout_s)),
    )


_Ts = TypeVarTuple("_Ts")


class HastyLoop(asyncio.SelectorEventLoop):
    """An event loop in which discord.py, which takes no timings, sleeps for the PACE-th part of the time."""

    def call_later(
        self, delay: float, callback: Callable[[*_Ts], object], *args: *_Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Shortens the delay if `asyncio.sleep` calls, awaited by discord.py."""
        caller = sys._getframe(1)
        if caller.f_code is asyncio.sleep.__code__ and caller.f_back and _is_discord_py(caller.f_back):
            delay /= PACE
        return super().call_later(delay, callback, *args, context=context)


def _is_discord_py(frame: FrameType) -> bool:
    return str(frame.f_globals["__name__"]).startswith("discord.")


class HastyPolicy(asyncio.DefaultEventLoopPolicy):
    """Makes each event loop a hasty one."""

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        """Returns a hasty loop."""
        return HastyLoop()


def run_program(timings: Timings) -> int:
    """Runs the program with these timings and a hasty discord.py; returns its exit status."""
    asyncio.set_event_loop_policy(HastyPolicy())
    return program.main(timings=timings)


def wear(name: str) -> None:
    """Puts that name into every request."""
    opened = aiohttp.ClientSession.__init__

    def open_named(session: aiohttp.ClientSession, **how: Any) -> None:
        opened(session, headers={"X-Worker": name}, **how)

    aiohttp.ClientSession.__init__ = open_named  # type: ignore[method-assign, assignment]  # discord.py names no headers


_there = threading.Event()
"""Set if the bot counts as present during the next jump of the clock."""


def stay_there() -> None:
    """Makes the bot count as present during such jumps, as if it had ticked throughout."""
    noted = Presence.note_present

    async def note(presence: Presence, now: int) -> None:
        if (
            _there.is_set()
            and presence._last_seen_at is not None
            and now - presence._last_seen_at > DEFAULT_TIMINGS.unnoticed_absence_s
        ):
            presence._last_seen_at = now
            _there.clear()
        await noted(presence, now)

    Presence.note_present = note  # type: ignore[method-assign, assignment]  # the one way to note it


def live_by(clock: Path) -> None:
    """Replaces the machine's clocks with those of the file."""

    def note_move(there: bool) -> None:
        (_there.set if there else _there.clear)()

    machine = Machine(clock, Path.cwd(), note_move)
    assert postgresql, "imported before, so that a lease goes by the machine's own clock"
    time.time, timings.steady_seconds = machine.wall_time, machine.steady_time


if __name__ == "__main__":
    if NAME:
        wear(NAME)
    if CLOCK:
        stay_there()
        live_by(Path(CLOCK))
    sys.exit(run_program(hasty_timings()))
