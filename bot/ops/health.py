"""Serves /healthz for process monitors and /metrics for Prometheus, on a local port."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec

import structlog
from aiohttp import web

from bot.core.timings import Timings
from bot.discordkit.metrics import Metrics

log = structlog.get_logger()

METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""Prometheus's text format."""


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
        metrics.observe_lag(max(0.0, loop.time() - due))


def make_metrics() -> Metrics:
    """Returns metrics that count if the extra is installed."""
    if find_spec("prometheus_client") is None:
        return Metrics()
    from bot.ops.prometheus import PrometheusMetrics

    return PrometheusMetrics()
