"""How often the bot has asked for what, and how it was answered: for tests, which hold it to few requests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

UNLIMITED = ("/interactions/", "/webhooks/{webhook_id}/{webhook_token}")
"""How the templates begin whose requests do not count towards the 50 a second: answers to interactions."""
_INVALID = (401, 403, 429)


def counts(asked: str) -> bool:
    """Whether requests for that "METHOD template" count towards the 50 a second."""
    return not asked.split(" ", 1)[1].startswith(UNLIMITED)


@dataclass
class Tally:
    """The requests since the start, or since `clear`."""

    asked: Counter[str] = field(default_factory=Counter)
    """How often each "METHOD template" was asked for."""
    answered: Counter[tuple[str, int]] = field(default_factory=Counter)
    """How often each was answered with which status."""
    places: Counter[str] = field(default_factory=Counter)
    """How many requests that count towards the 50 a second were about each channel."""
    shared: int = 0
    """How many of the 429s were not the bot's fault: scope "shared"."""

    @property
    def counting(self) -> int:
        """How many requests counted towards the 50 a second."""
        return sum(number for asked, number in self.asked.items() if counts(asked))

    @property
    def invalid(self) -> int:
        """How many Discord calls invalid: 401, 403, and 429 if not shared. 10,000 in ten minutes end in a ban."""
        return sum(number for (_, status), number in self.answered.items() if status in _INVALID) - self.shared

    @property
    def failed(self) -> int:
        """How many were answered with 5xx. discord.py tries them again and does not count that against their limit."""
        return sum(number for (_, status), number in self.answered.items() if status >= 500)

    def note(self, asked: str, status: int, scope: str | None = None, channel: str = "") -> None:
        """One more request, about that channel if any, and its answer; `scope` of a 429 is that of its header."""
        self.asked[asked] += 1
        self.places[channel] += counts(asked)
        self.answered[asked, status] += 1
        self.shared += status == 429 and scope == "shared"

    def clear(self) -> None:
        """Counts from here on."""
        self.asked.clear()
        self.answered.clear()
        self.places.clear()
        self.shared = 0
