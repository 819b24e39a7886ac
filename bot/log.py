"""Structured logs on standard error: one event a line, for people on a terminal and for machines elsewhere.

During an interaction every line carries its id, the command or button, the server and the game.
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
"""The replacement for a secret in the log."""

_BOT_TOKEN = re.compile(r"\b[\w-]{23,30}\.[\w-]{6,7}\.[\w-]{27,}")
"""The pattern of a bot's token: ours, or another one in a trial."""

_CREDENTIAL_URL = re.compile(r"(/(?:webhooks|interactions)/\d+/)[\w-]+(?:\.[\w-]+)*")
"""The pattern of an address that carries the right to answer an interaction."""


_PASSWORD = re.compile(
    r"(\w://[^\s:/@]*?(?::|%3A))[^\s@]\S*(?=@)|(\bpassword\s*=\s*)(?:'[^']*'|[^\s'\"]+)", re.IGNORECASE
)
"""The pattern of a password in an address, in either of PostgreSQL's forms."""


def set_up_logging(level: str, token: str | None = None) -> None:
    """Sends our events and the libraries' through one formatter, which removes the token.

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
        # Other formatters, used if rich or better-exceptions is installed, would show values, wrapped or cut short: a
        # part of the token would not be recognised.
        plain = structlog.dev.plain_traceback
        renderer: structlog.typing.Processor = structlog.dev.ConsoleRenderer(exception_formatter=plain)
    else:
        renderer = structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"], bool_as_flag=False)
        shared.append(structlog.processors.format_exc_info)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(number),
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_RedactingFormatter(token, foreign_pre_chain=shared, renderer=renderer))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # Below INFO libraries log what people write: aiosqlite its statements with their values, discord.py its payloads.
    quiet = max(logging.INFO, number)
    root.setLevel(quiet)
    handler.setLevel(quiet)
    _quiet_libraries(number, quiet)
    sys.excepthook = _log_crash


def _quiet_libraries(number: int, quiet: int) -> None:
    """Sets the libraries' levels, given ours and the lowest of theirs. Their lines about every request help nobody."""
    for name in ("discord.http", "aiohttp.access", "discord.gateway", "discord.client"):
        is_shown = number < quiet and name in ("discord.gateway", "discord.client")
        logging.getLogger(name).setLevel(logging.INFO if is_shown else max(logging.WARNING, number))
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # it warns only while it is debugged, and shows values
    logging.getLogger("discord.shard").addFilter(_shorten_gateway_error)


def redact_secrets(text: str, token: str | None = None) -> str:
    """The text without that token or any other, without passwords, and without the rights to answer."""
    if token:
        text = text.replace(token, REDACTED)
    text = _PASSWORD.sub(lambda found: f"{found[1] or found[2]}{REDACTED}", text)
    return _CREDENTIAL_URL.sub(rf"\g<1>{REDACTED}", _BOT_TOKEN.sub(REDACTED, text))


def _shorten_store_error(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Shortens an unusable database to one line: its traceback says nothing, and the error is frequent."""
    error = _exception_in(event.get("exc_info"))
    if isinstance(error, StoreError):
        del event["exc_info"]
        event["exception"] = f"{type(error).__name__}: {error}"
    return event


def _exception_in(exc_info: object) -> object:
    """The error to log, from any of logging's forms; None without one."""
    if isinstance(exc_info, tuple):
        return exc_info[1]
    return exc_info if isinstance(exc_info, BaseException) or not exc_info else sys.exc_info()[1]


def _shorten_gateway_error(record: logging.LogRecord) -> bool:
    """Shortens a gateway that is tried again to one line: the traceback through discord.py helps nobody."""
    if record.exc_info and str(record.msg).startswith(("Failed to connect", "Attempting a reconnect")):
        record.msg, record.args = "%s %r", (record.getMessage(), record.exc_info[1])
        record.exc_info, record.levelno, record.levelname = None, logging.WARNING, "WARNING"
    return True


class _RedactingFormatter(structlog.stdlib.ProcessorFormatter):
    """Redacts the finished line, so that the origin of a secret and its depth in a traceback do not matter."""

    def __init__(self, token: str | None, *, renderer: structlog.typing.Processor, **options: Any) -> None:
        super().__init__(processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer], **options)
        self._token = token

    def format(self, record: logging.LogRecord) -> str:
        """The line without secrets."""
        return redact_secrets(super().format(record), self._token)


def _log_crash(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Logs an uncaught error, which ends the program."""
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        structlog.get_logger().critical("crashed", exc_info=(kind, error, trace))
