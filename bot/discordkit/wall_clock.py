"""The time of day, checked against Discord's: a machine's own clock is sometimes wrong, by seconds or by years.

Three clocks are compared. The machine's wall clock may be set, or jump. Discord's clock is the `Date` of each of its
answers. A steady clock, which nobody sets, measures the time since the last answer. The reference is Discord's last
time plus what the steady clock has counted since. While the wall clock is close to the reference, it is believed.
Otherwise the time is taken from the reference, so that nothing is dated by a wrong clock, and everything due waits.

So a jump of the wall clock alone is not an absence. If the steady clock has stood still, as it does while some machines
sleep, the next answer moves the reference, and the time in between was an absence.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC
from email.utils import parsedate_to_datetime

import aiohttp
import structlog
from discord.http import Route

from bot.core import timings

log = structlog.get_logger()

MAX_CLOCK_ERROR_S = 120
"""Seconds by which a believed wall clock may differ from the reference."""

REFERENCE_LIFETIME_S = 600
"""Seconds without a dated answer after which the bot asks Discord for the time."""


_ASK_TIMEOUT = aiohttp.ClientTimeout(total=10)


class WallClock:
    """The time, and whether the machine's clock may be believed."""

    def __init__(
        self,
        wall: Callable[[], float] = lambda: time.time(),
        steadily: Callable[[], float] = lambda: timings.steady_seconds(),
    ) -> None:
        self._wall = wall
        self._steady = steadily
        self._lead: float | None = None
        """Discord's time minus the steady clock's; None before the first answer."""
        self._doubt: float | None = None
        """The lead according to a single answer that contradicts both of the machine's clocks, such as one that was
        under way while the machine slept; None if there is no such answer.
        """
        self._noted_at = 0.0
        """When an answer last set the lead, by the steady clock."""
        self._is_reported = False
        """Whether the log says that the clock is wrong."""

    def now(self) -> int:
        """Returns unix seconds: the machine's while it is believed or nothing else is known, else the reference."""
        wall, reference = self._wall(), self._reference()
        return int(wall if reference is None or abs(wall - reference) <= MAX_CLOCK_ERROR_S else reference)

    @property
    def seconds_ahead(self) -> int | None:
        """Seconds by which the machine's clock is ahead of Discord's; None before Discord's first answer."""
        reference = self._reference()
        return None if reference is None else round(self._wall() - reference)

    @property
    def is_believed(self) -> bool:
        """True if the clock may decide what is due."""
        return self._doubt is None and self._is_close()

    @property
    def trouble(self) -> str | None:
        """What is wrong with the clock, for the operator; None if nothing is."""
        if self.is_believed:
            return None
        error = self.seconds_ahead
        if error is None or self._is_close():
            return "Discord has not told the time for certain; whatever is due waits"
        side = "ahead of" if error > 0 else "behind"
        return f"the clock is {abs(error)} seconds {side} Discord's; whatever is due waits"

    async def check_time(self) -> bool:
        """Returns True if the clock may decide what is due. Asks Discord if that is unknown, and logs changes."""
        if not self.is_believed or self._steady() - self._noted_at > REFERENCE_LIFETIME_S:
            with suppress(aiohttp.ClientError, TimeoutError, OSError):
                await ask_time(self)
        if self.is_believed and self._is_reported:
            log.info("the clock is right again")
        elif not self.is_believed and not self._is_reported:
            log.warning("the clock cannot be trusted", reason=self.trouble, reckoned=self.now())
        self._is_reported = not self.is_believed
        return self.is_believed

    def note_date(self, date: str | None) -> None:
        """Takes the time from an answer with that date."""
        steady = self._steady()
        try:
            discords = parsedate_to_datetime(date or "")
            lead = (discords if discords.tzinfo else discords.replace(tzinfo=UTC)).timestamp() - steady
        except (ValueError, OverflowError):
            return  # the date is missing or unreadable
        is_new = self._lead is not None and abs(lead - self._lead) > MAX_CLOCK_ERROR_S
        is_repeated = self._doubt is not None and abs(lead - self._doubt) <= MAX_CLOCK_ERROR_S
        if is_new and self._is_close() and not is_repeated:
            self._doubt = lead  # overruling two clocks that agree takes two answers
            return
        self._lead, self._doubt, self._noted_at = lead, None, steady

    def _is_close(self) -> bool:
        return (error := self.seconds_ahead) is not None and abs(error) <= MAX_CLOCK_ERROR_S

    def _reference(self) -> float | None:
        return None if self._lead is None else self._lead + self._steady()


WALL_CLOCK = WallClock()
"""The clock of this process."""


async def ask_time(clock: WallClock) -> None:
    """Asks Discord for the time. Raises aiohttp's errors if it cannot be reached."""
    session = aiohttp.ClientSession(
        timeout=_ASK_TIMEOUT, trace_configs=[date_noting_trace(aiohttp.TraceConfig(), clock)]
    )
    async with session as http, http.get(f"{Route.BASE}/gateway"):
        pass  # only its date matters


def date_noting_trace(trace: aiohttp.TraceConfig, clock: WallClock = WALL_CLOCK) -> aiohttp.TraceConfig:
    """Returns the trace by which an HTTP client hands the clock the date of each answer."""

    async def note_answer(_: object, __: object, answered: aiohttp.TraceRequestEndParams) -> None:
        clock.note_date(answered.response.headers.get("Date"))

    trace.on_request_end.append(note_answer)
    return trace
