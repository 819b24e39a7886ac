"""A player's clock, worked out minute by minute: slow, plain, and made of nothing that the program uses."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, time
from zoneinfo import ZoneInfo

MINUTE, HOUR, DAY = 60, 3600, 86400
HORIZON = 120 * DAY


@dataclass
class Watch:
    """Seconds that count, and those that do not. All instants are whole minutes."""

    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    sleep: tuple[time, time] | None = None
    """Over midnight."""
    free_weekends: bool = False
    vacations: list[tuple[int, int]] = field(default_factory=list)
    bank: int = 72 * HOUR
    increment: int = 24 * HOUR
    cap: int = 120 * HOUR

    def runs(self, instant: int) -> bool:
        """Whether the minute that begins then counts."""
        local = datetime.fromtimestamp(instant, self.zone)
        if self.sleep and (local.time() >= self.sleep[0] or local.time() < self.sleep[1]):
            return False
        if self.free_weekends and local.weekday() in (5, 6):
            return False
        return not any(first <= instant < last for first, last in self.vacations)

    def spent(self, start: int, end: int) -> int:
        """How much counts of the time between."""
        return sum(MINUTE for instant in range(start, end, MINUTE) if self.runs(instant))

    def when(self, start: int, seconds: int) -> int:
        """When so many seconds have counted."""
        instant = start
        while seconds > 0:
            assert instant < start + HORIZON
            seconds -= MINUTE * self.runs(instant)
            instant += MINUTE
        return instant

    def moved(self, start: int, end: int) -> None:
        """A turn of that length is over."""
        self.bank = min(self.cap, max(0, self.bank - self.spent(start, end)) + self.increment)
