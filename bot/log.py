"""Structured logs on standard error: one event a line, for people on a terminal and for machines elsewhere.

Within an interaction every line carries its id, the command or button, the server and the game, wherever it comes from.
"""

from __future__ import annotations

import logging
import re
import sys
from types import TracebackType
from typing import Any

import structlog

from bot.store.migrations import StoreError

REDACTED = "[hidden]"
"""What stands in the log where a secret would."""

_BOT_TOKEN = re.compile(r"\b[\w-]{23,30}\.[\w-]{6,7}\.[\w-]{27,}")
"""The look of a bot's token, ours or, in somebody's trial, another's."""

_CREDENTIAL_URL = re.compile(r"(/(?:webhooks|interactions)/\d+/)[\w-]+(?:\.[\w-]+)*")
"""An address that carries the right to answer an interaction."""


_PASSWORD = re.compile(r"(\w://[^\s:/@]*:)[^\s@]\S*(?=@)|(\bpassword\s*=\s*)(?:'[^']*'|[^\s'\"]+)", re.IGNORECASE)
"""A password in an address, in either of the forms that PostgreSQL takes."""


def set_up_logging(level: str, token: str | None = None) -> None:
    """Send our events and those of the libraries through one formatter, which never lets the token through.

    `level` is the name of a level.
    """
    number = logging.getLevelNamesMapping()[level]
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _shorten_store_error,
    ]
    if sys.stderr.isatty():
        # Others, where rich or better-exceptions is installed, would show values, broken into lines or cut short: a
        # part of the token would not be known as one.
        plain = structlog.dev.plain_traceback
        renderer: structlog.typing.Processor = structlog.dev.ConsoleRenderer(exception_formatter=plain)
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
    handler.setFormatter(_RedactingFormatter(token, foreign_pre_chain=shared, renderer=renderer))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(number)
    # The libraries' own chatter about every request helps nobody.
    for noisy in ("discord.http", "discord.gateway", "discord.client", "aiohttp.access"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, number))
    logging.getLogger("discord.shard").addFilter(_shorten_gateway_error)
    sys.excepthook = _log_crash


def redact_secrets(text: str, token: str | None = None) -> str:
    """The text without that token or any other, without passwords, and without the rights to answer."""
    if token:
        text = text.replace(token, REDACTED)
    text = _PASSWORD.sub(lambda found: f"{found[1] or found[2]}{REDACTED}", text)
    return _CREDENTIAL_URL.sub(rf"\g<1>{REDACTED}", _BOT_TOKEN.sub(REDACTED, text))


def _shorten_store_error(_: Any, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """A database that cannot be used is named in a line: where that was noticed tells nothing, and it is so often."""
    error = _exception_in(event.get("exc_info"))
    if isinstance(error, StoreError):
        del event["exc_info"]
        event["exception"] = f"{type(error).__name__}: {error}"
    return event


def _exception_in(exc_info: object) -> object:
    """The error that a line is to tell, in whichever of logging's forms it is handed over; None without one."""
    if isinstance(exc_info, tuple):
        return exc_info[1]
    return exc_info if isinstance(exc_info, BaseException) or not exc_info else sys.exc_info()[1]


def _shorten_gateway_error(record: logging.LogRecord) -> bool:
    """A gateway that is tried again is told in a line: where in discord.py that was noticed helps nobody."""
    if record.exc_info and str(record.msg).startswith(("Failed to connect", "Attempting a reconnect")):
        record.msg, record.args = "%s %r", (record.getMessage(), record.exc_info[1])
        record.exc_info, record.levelno, record.levelname = None, logging.WARNING, "WARNING"
    return True


class _RedactingFormatter(structlog.stdlib.ProcessorFormatter):
    """Looks at the finished line, so that it does not matter who wrote it or how deep in a traceback a secret is."""

    def __init__(self, token: str | None, *, renderer: structlog.typing.Processor, **options: Any) -> None:
        super().__init__(processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer], **options)
        self._token = token

    def format(self, record: logging.LogRecord) -> str:
        """The line as it may be shown."""
        return redact_secrets(super().format(record), self._token)


def _log_crash(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What nobody has caught ends the program, through the log as well."""
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        structlog.get_logger().critical("crashed", exc_info=(kind, error, trace))
