"""Structured logs on standard error: one event a line, for people on a terminal and for machines elsewhere."""

from __future__ import annotations

import logging
import sys

import structlog


def set_up_logging(level: str) -> None:
    """Send our events and those of the libraries through one formatter. `level` is the name of a level."""
    number = logging.getLevelNamesMapping()[level]
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if sys.stderr.isatty():
        renderer: structlog.typing.Processor = structlog.dev.ConsoleRenderer()
    else:
        renderer = structlog.processors.LogfmtRenderer(bool_as_flag=False)
        shared.append(structlog.processors.format_exc_info)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(number),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(number)
    # The libraries' own chatter about every request helps nobody.
    for noisy in ("discord.http", "discord.gateway", "discord.client", "aiohttp.access"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, number))
