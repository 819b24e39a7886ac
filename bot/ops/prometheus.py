"""Metrics through Prometheus's own client. Only imported if the extra `metrics` is installed."""

from __future__ import annotations

import sys
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

from bot.discordkit.metrics import BotStatus, InteractionOutcome, Metrics

_ANSWER_BUCKETS_S = (0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2, 3)
"""Seconds; after three Discord no longer takes an answer."""
_LAG_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5)


class PrometheusMetrics(Metrics):
    """Metrics with a registry of their own, so that a process may have two."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        counter, gauge = partial(Counter, registry=registry), partial(Gauge, registry=registry)
        histogram = partial(Histogram, registry=registry)
        dealt_with = "Commands, buttons, menus and forms dealt with."
        self._interactions = counter("roundtable_interactions", dealt_with, ("name", "outcome"))
        first_answer = "From an interaction to its first answer, as taken by Discord."
        self._answers = histogram("roundtable_answer_seconds", first_answer, buckets=_ANSWER_BUCKETS_S)
        self._moves = counter("roundtable_moves", "Moves that the players have been told of.")
        parts = "Parts of the tick that have failed, for everybody or for a single server or game."
        self._failures = counter("roundtable_tick_failures", parts, ("part",))
        self._errors = counter("roundtable_errors", "Lines logged as errors.")
        self._lag = histogram("roundtable_loop_lag_seconds", "How late the event loop is.", buckets=_LAG_BUCKETS_S)
        self._connected = gauge("roundtable_connected", "1 while all is well, as /healthz sees it.")
        self._live = gauge("roundtable_live_games", "Games in progress; NaN while the database cannot be read.")
        untold = "Games with news that is not posted yet; NaN while the database cannot be read."
        self._unannounced = gauge("roundtable_unannounced_games", untold)
        since = "Since the latest backup; NaN where there is none, or their folder cannot be read."
        self._backup = gauge("roundtable_backup_age_seconds", since)
        ahead = "Backups dated in the future, by a clock that was wrong; they do not count as the latest."
        self._ahead = gauge("roundtable_backups_in_future", ahead)
        self._shards = gauge("roundtable_shard", "1 for each shard that this worker looks after.", ("shard",))
        GCCollector(registry)
        PlatformCollector(registry)
        if sys.platform == "linux":
            ProcessCollector(registry=registry)

    def count_interaction(self, name: str, outcome: InteractionOutcome) -> None:
        """Counts an answered interaction."""
        self._interactions.labels(name, outcome.value).inc()

    def observe_answer(self, seconds: float) -> None:
        """Records how long a first answer to Discord took."""
        self._answers.observe(seconds)

    def count_move(self) -> None:
        """Counts an announced move."""
        self._moves.inc()

    def observe_lag(self, seconds: float) -> None:
        """Records the delay of the event loop."""
        self._lag.observe(seconds)

    def failed(self, part: str) -> None:
        """Counts a failure of a part of the tick."""
        self._failures.labels(part).inc()

    def count_error(self) -> None:
        """Counts a logged error."""
        self._errors.inc()

    def render_page(self, status: BotStatus) -> bytes:
        """Returns everything in Prometheus's text format."""
        self._connected.set(status.is_healthy)
        self._live.set(_number_or_nan(status.live))
        self._unannounced.set(_number_or_nan(status.unannounced))
        self._backup.set(_number_or_nan(status.backup_age))
        self._ahead.set(status.backups_ahead)
        self._shards.clear()
        for shard in status.shards:
            self._shards.labels(shard).set(1)
        return generate_latest(self._registry)


def _number_or_nan(value: float | None) -> float:
    return float("nan") if value is None else value
