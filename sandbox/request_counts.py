"""Counts of the bot's requests and their answers, for tests that limit them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

UNLIMITED = ("/interactions/", "/webhooks/{webhook_id}/{webhook_token}")
"""Prefixes of templates that do not count towards the 50 a second: answers to interactions."""
_INVALID = (401, 403, 429)


def counts(asked: str) -> bool:
    """Returns whether requests for that "METHOD template" count towards the 50 a second."""
    return not asked.split(" ", 1)[1].startswith(UNLIMITED)


@dataclass
class RequestCounts:
    """The requests since the start, or since `clear`."""

    asked: Counter[str] = field(default_factory=Counter)
    """The number of requests for each "METHOD template"."""
    answered: Counter[tuple[str, int]] = field(default_factory=Counter)
    """The number of answers to each, by status."""
    places: Counter[str] = field(default_factory=Counter)
    """The number of requests about each channel that count towards the 50 a second."""

    @property
    def counting(self) -> int:
        """The number of requests that counted towards the 50 a second."""
        return sum(number for asked, number in self.asked.items() if counts(asked))

    @property
    def invalid(self) -> int:
        """The number of invalid requests: 401, 403, 429. 10,000 in ten minutes lead to a ban."""
        return sum(number for (_, status), number in self.answered.items() if status in _INVALID)

    @property
    def failed(self) -> int:
        """The number of 5xx answers. discord.py repeats those requests and does not count them against its limits."""
        return sum(number for (_, status), number in self.answered.items() if status >= 500)

    def note(self, asked: str, status: int, channel: str = "") -> None:
        """Counts a request, about that channel if any, and its answer."""
        self.asked[asked] += 1
        self.places[channel] += counts(asked)
        self.answered[asked, status] += 1

    def clear(self) -> None:
        """Sets all counts to zero."""
        self.asked.clear()
        self.answered.clear()
        self.places.clear()
