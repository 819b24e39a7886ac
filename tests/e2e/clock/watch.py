"""A player's clock computed minute by minute: slow, plain, and without any code of the program."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, time
from zoneinfo import ZoneInfo

MINUTE, HOUR, DAY = 60, 3600, 86400
HORIZON = 120 * DAY


@dataclass
class Watch:
    """Decides which seconds count. All instants are whole minutes."""

    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    sleep: tuple[time, time] | None = None
    """From when to when the player sleeps, over midnight."""
    free_weekends: bool = False
    vacations: list[tuple[int, int]] = field(default_factory=list)
    bank: int = 72 * HOUR
    increment: int = 24 * HOUR
    cap: int = 120 * HOUR

    def runs(self, instant: int) -> bool:
        """Returns True if the minute that begins at that instant counts."""
        local = datetime.fromtimestamp(instant, self.zone)
        if self.sleep and (local.time() >= self.sleep[0] or local.time() < self.sleep[1]):
            return False
        if self.free_weekends and local.weekday() in (5, 6):
            return False
        return not any(first <= instant < last for first, last in self.vacations)

    def spent(self, start: int, end: int) -> int:
        """Returns how many seconds count between the two instants."""
        return sum(MINUTE for instant in range(start, end, MINUTE) if self.runs(instant))

    def when(self, start: int, seconds: int) -> int:
        """Returns the instant at which so many seconds since `start` have counted."""
        instant = start
        while seconds > 0:
            assert instant < start + HORIZON
            seconds -= MINUTE * self.runs(instant)
            instant += MINUTE
        return instant

    def moved(self, start: int, end: int) -> None:
        """Charges the turn between the two instants to the clock."""
        self.bank = min(self.cap, max(0, self.bank - self.spent(start, end)) + self.increment)
