"""The time of day, as far as Discord agrees: a machine's own clock is wrong now and then, for seconds or for years.

Three clocks are compared. The machine's wall clock may be set, or jump. Discord's is told by the `Date` of each of its
answers. A steady clock, which nobody sets, tells how much later it is since the last of them. Discord's time carried
on by the steady clock is the reference: while the wall clock is close to it, the wall clock is believed; else the time
is taken from the reference, so that nothing is ever dated by a wrong clock, and whatever is due waits.

A jump of the wall clock alone is therefore no absence. Where the steady clock has stood still, as while some machines
sleep, the next answer moves the reference, and the time in between was one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC
from email.utils import parsedate_to_datetime
from types import SimpleNamespace
from typing import NamedTuple

import aiohttp
import structlog
from discord.http import Route

log = structlog.get_logger()

MAX_CLOCK_ERROR_S = 120
"""Seconds by which the wall clock may differ from the reference and is still believed."""

MAX_REQUEST_S = 60
"""Seconds, by either clock, after which an answer's date says nothing: the machine may have slept meanwhile."""

REFERENCE_LIFETIME_S = 600
"""Seconds after which Discord is asked for the time if none of its answers has told it."""


SAY_EVERY = 3600
"""Seconds between two lines in the log about a wrong clock."""

_ASK_TIMEOUT = aiohttp.ClientTimeout(total=10)


def steady_seconds() -> float:
    """Returns seconds of a clock that nobody sets. It runs on while the process is stopped, and on most systems while
    the machine sleeps.
    """
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Reading(NamedTuple):
    """Both of the machine's clocks at one instant."""

    wall: float
    steady: float


class WallClock:
    """What the time is, and whether the machine's clock may be believed."""

    def __init__(
        self, wall: Callable[[], float] = lambda: time.time(), steadily: Callable[[], float] = lambda: steady_seconds()
    ) -> None:
        self._wall = wall
        self._steady = steadily
        self._lead: float | None = None
        """Discord's time less the steady clock's; None until an answer has told it."""
        self._doubt: float | None = None
        """What a single answer would have that lead be, against both clocks of the machine; None if none has."""
        self._noted_at = 0.0
        """When it last did, by the steady clock."""
        self._logged_at: float | None = None
        """When the log was last told that the clock is wrong; None while it is right."""

    def read_clocks(self) -> Reading:
        """Returns both clocks of the machine at this instant."""
        return Reading(self._wall(), self._steady())

    def now(self) -> int:
        """Returns unix seconds: the machine's while it is believed or nothing else is known, else the reference."""
        wall, reference = self._wall(), self._reference()
        return int(wall if reference is None or abs(wall - reference) <= MAX_CLOCK_ERROR_S else reference)

    @property
    def seconds_ahead(self) -> int | None:
        """By how many seconds the machine's clock is ahead of Discord's; None until Discord's has been heard."""
        reference = self._reference()
        return None if reference is None else round(self._wall() - reference)

    @property
    def is_believed(self) -> bool:
        """Whether what is due may be decided by it."""
        return self._doubt is None and self._is_close()

    @property
    def trouble(self) -> str | None:
        """What is wrong with it, for the operator; None if nothing is."""
        if self.is_believed:
            return None
        error = self.seconds_ahead
        if error is None or self._is_close():
            return "Discord has not told the time for certain; whatever is due waits"
        side = "ahead of" if error > 0 else "behind"
        return f"the clock is {abs(error)} seconds {side} Discord's; whatever is due waits"

    async def check_time(self) -> bool:
        """Returns whether what is due may be decided by it. Asks Discord where that is unknown, and tells the log."""
        if not self.is_believed or self._steady() - self._noted_at > REFERENCE_LIFETIME_S:
            with suppress(aiohttp.ClientError, TimeoutError, OSError):
                await ask_time(self)
        if self.is_believed:
            if self._logged_at is not None:
                log.info("the clock is right again")
            self._logged_at = None
        elif self._logged_at is None or self._steady() - self._logged_at > SAY_EVERY:
            self._logged_at = self._steady()
            log.warning("the clock cannot be trusted", reason=self.trouble, reckoned=self.now())
        return self.is_believed

    def note_date(self, date: str | None, asked: Reading) -> None:
        """Take the time from an answer that bears that date, to a request that was sent at that reading."""
        present = self.read_clocks()
        if max(abs(present.wall - asked.wall), present.steady - asked.steady) > MAX_REQUEST_S:
            return
        try:
            discords = parsedate_to_datetime(date or "")
            lead = (discords if discords.tzinfo else discords.replace(tzinfo=UTC)).timestamp() - present.steady
        except (ValueError, OverflowError):
            return  # no date, or none that can be read
        is_new = self._lead is not None and abs(lead - self._lead) > MAX_CLOCK_ERROR_S
        is_repeated = self._doubt is not None and abs(lead - self._doubt) <= MAX_CLOCK_ERROR_S
        if is_new and self._is_close() and not is_repeated:
            self._doubt = lead  # against two clocks that agree, two answers are needed
            return
        self._lead, self._doubt, self._noted_at = lead, None, present.steady

    def _is_close(self) -> bool:
        return (error := self.seconds_ahead) is not None and abs(error) <= MAX_CLOCK_ERROR_S

    def _reference(self) -> float | None:
        return None if self._lead is None else self._lead + self._steady()


WALL_CLOCK = WallClock()
"""The one of this process."""


async def ask_time(clock: WallClock) -> None:
    """Have Discord tell the time. Raises aiohttp's errors where it cannot be reached."""
    session = aiohttp.ClientSession(
        timeout=_ASK_TIMEOUT, trace_configs=[date_noting_trace(aiohttp.TraceConfig(), clock)]
    )
    async with session as http, http.get(f"{Route.BASE}/gateway"):
        pass  # its date is all that matters


def date_noting_trace(trace: aiohttp.TraceConfig, clock: WallClock = WALL_CLOCK) -> aiohttp.TraceConfig:
    """Returns the trace by which an HTTP client tells the clock the date of each answer."""

    async def begin(_: object, request: SimpleNamespace, __: object) -> None:
        request.asked = clock.read_clocks()

    async def end(_: object, request: SimpleNamespace, answered: aiohttp.TraceRequestEndParams) -> None:
        clock.note_date(answered.response.headers.get("Date"), request.asked)

    trace.on_request_start.append(begin)
    trace.on_request_end.append(end)
    return trace
