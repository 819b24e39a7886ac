"""What the running bot counts, for Prometheus. Without the extra `metrics` it counts nothing."""

from __future__ import annotations

import logging
from collections.abc import Collection
from enum import Enum
from typing import NamedTuple


class InteractionOutcome(Enum):
    """What has become of an interaction. The values are labels."""

    ANSWERED = "answered"
    REFUSED = "refused"  # what was asked for is against the rules, or cannot be done; the person was told why
    FAILED = "failed"  # a fault of ours; the person was told so
    UNANSWERED = "unanswered"  # nobody was told anything: too late, or Discord did not take it


class BotStatus(NamedTuple):
    """How things stand at a moment."""

    is_healthy: bool
    """As `/healthz` sees it."""
    live: int | None
    """Games; None while the database cannot be read."""
    unannounced: int | None
    """Games with news that has not been posted; None as above."""
    backup_age: float | None
    """Seconds since the latest backup was made; None where there is none, or their folder cannot be read."""
    shards: Collection[int]
    """Those that are looked after."""
    backups_ahead: int = 0
    """Backups dated in the future; 0 where their folder cannot be read."""


class Metrics:
    """Takes note of what happens. This one forgets it."""

    def count_interaction(self, name: str, outcome: InteractionOutcome) -> None:
        """An interaction has been dealt with. `name` is the command's, or what the button is for."""

    def observe_answer(self, seconds: float) -> None:
        """Discord has taken the first answer to an interaction, so long after it came."""

    def count_move(self) -> None:
        """The players have been told of a move."""

    def observe_lag(self, seconds: float) -> None:
        """Something on the event loop has run that much later than it was to."""

    def failed(self, part: str) -> None:
        """A part of the tick has failed, for everybody or for a single server or game."""

    def count_error(self) -> None:
        """An error has been logged."""

    def render_page(self, status: BotStatus) -> bytes | None:
        """Everything in Prometheus's text format; None where nothing is counted."""


class ErrorCounter(logging.Handler):
    """Counts what is logged as an error, by us or by a library."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__(logging.ERROR)
        self._metrics = metrics

    def emit(self, record: logging.LogRecord) -> None:
        """One more."""
        self._metrics.count_error()
