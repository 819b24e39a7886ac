"""Serves /healthz for process monitors and /metrics for Prometheus, on a local port."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from importlib.util import find_spec

import structlog
from aiohttp import web

from bot.core.timings import Timings
from bot.discordkit.metrics import Metrics

log = structlog.get_logger()

METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""Prometheus's text format."""

_ANSWER_BUCKETS_S = (0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2, 3)
"""Seconds; after three Discord no longer takes an answer."""
_LAG_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5)


_GAUGES = {
    "connected": "1 while all is well, as /healthz sees it.",
    "live_games": "Games in progress; NaN while the database cannot be read.",
    "unannounced_games": "Games with news that is not posted yet; NaN while the database cannot be read.",
    "waiting_jobs": "Jobs that are due and not done; NaN while the database cannot be read.",
    "backup_age_seconds": "Since the latest backup; NaN where there is none, or their folder cannot be read.",
}
"""What is measured for each page of metrics."""


@asynccontextmanager
async def serve_health(
    host: str,
    port: int,
    unhealthy_reason: Callable[[], str | None],
    metrics_page: Callable[[], Awaitable[bytes | None]],
    healthy_message: Callable[[], str] = lambda: "ok",
) -> AsyncIterator[str]:
    """Serves both within the block at the returned address. Port 0 takes a free port. Raises OSError if the port is
    taken.

    `unhealthy_reason` returns what is wrong, None if nothing is; `healthy_message` is the answer then.
    `metrics_page` returns None if nothing is counted.
    """

    async def answer_healthz(request: web.Request) -> web.Response:
        trouble = unhealthy_reason()
        return web.Response(text=f"{trouble or healthy_message()}\n", status=503 if trouble else 200)

    async def answer_metrics(request: web.Request) -> web.Response:
        body = await metrics_page()
        if body is None:
            return web.Response(text="Metrics need the extra: pip install 'round-table[metrics]'\n", status=404)
        return web.Response(body=body, headers={"Content-Type": METRICS_CONTENT_TYPE})

    application = web.Application()
    application.add_routes([web.get("/healthz", answer_healthz), web.get("/metrics", answer_metrics)])
    # Nothing here reads a body; unpacked, a small one may fill the memory.
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=2.0, auto_decompress=False)
    try:
        await runner.setup()
        await web.TCPSite(runner, host, port).start()
        name = f"[{host}]" if ":" in host else host
        address = f"http://{name}:{runner.addresses[0][1]}"
        log.info("health and metrics served", address=address)
        yield address
    finally:
        await runner.cleanup()


async def watch_loop(metrics: Metrics, timings: Timings) -> None:
    """Measures the delay of the event loop repeatedly."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + timings.lag_check_interval_s
        await asyncio.sleep(timings.lag_check_interval_s)
        metrics.observe("loop_lag", max(0.0, loop.time() - due))


def make_metrics() -> Metrics:
    """Returns metrics that count if the extra is installed."""
    return PrometheusMetrics() if find_spec("prometheus_client") else Metrics()


class PrometheusMetrics(Metrics):
    """Metrics with a registry of their own, so that a process may have two."""

    def __init__(self) -> None:
        # An optional dependency.
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
        from prometheus_client.gc_collector import GCCollector
        from prometheus_client.platform_collector import PlatformCollector
        from prometheus_client.process_collector import ProcessCollector

        self._generate = generate_latest
        registry = self._registry = CollectorRegistry()
        counter, gauge = partial(Counter, registry=registry), partial(Gauge, registry=registry)
        histogram = partial(Histogram, registry=registry)
        dealt_with = "Commands, buttons, menus and forms dealt with."
        parts = "Parts of the tick that have failed, for everybody or for a single server or game."
        self._counters = {
            "interactions": counter("roundtable_interactions", dealt_with, ("name", "outcome")),
            "moves": counter("roundtable_moves", "Moves that the players have been told of."),
            "tick_failures": counter("roundtable_tick_failures", parts, ("part",)),
            "errors": counter("roundtable_errors", "Lines logged as errors."),
        }
        first_answer = "From an interaction to its first answer, as taken by Discord."
        late = "How late the event loop is."
        self._durations = {
            "answer": histogram("roundtable_answer_seconds", first_answer, buckets=_ANSWER_BUCKETS_S),
            "loop_lag": histogram("roundtable_loop_lag_seconds", late, buckets=_LAG_BUCKETS_S),
        }
        self._gauges = {name: gauge(f"roundtable_{name}", words) for name, words in _GAUGES.items()}
        GCCollector(registry)
        PlatformCollector(registry)
        if sys.platform == "linux":
            ProcessCollector(registry=registry)

    def count(self, what: str, *labels: str) -> None:
        """See `Metrics.count`."""
        counter = self._counters[what]
        (counter.labels(*labels) if labels else counter).inc()

    def observe(self, what: str, seconds: float) -> None:
        """See `Metrics.observe`."""
        self._durations[what].observe(seconds)

    def render_page(self, measured: Mapping[str, float | None]) -> bytes:
        """Returns everything in Prometheus's text format."""
        for name, value in measured.items():
            self._gauges[name].set(float("nan") if value is None else value)
        return self._generate(self._registry)
