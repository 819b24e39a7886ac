"""The settings: from the environment, or from a file `.env` where the program is started. The environment wins."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from environs import Env

T = TypeVar("T")

LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
MOST_BACKUPS = 9999
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")


class SettingsError(Exception):
    """Settings that cannot be used. `problems` are sentences, one for each, that begin with the setting's name.

    They are English: who runs the program reads them in a terminal, before any language is known.
    """

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


@dataclass(frozen=True, slots=True)
class Settings:
    """How the program is to run."""

    token: str | None = field(repr=False)
    """None runs the sandbox instead of Discord."""
    database: Path
    log_level: str
    """One of LOG_LEVELS."""
    sandbox_port: int
    """0 takes any free one."""
    sandbox_url: str | None
    """A sandbox server that runs already, to be joined instead of starting one; on this machine only."""
    backups: Path
    """The folder of the database's copies."""
    keep_backups: int
    """How many of them; 0 makes none at night."""
    metrics_port: int | None
    """Where /healthz and /metrics are served; 0 takes any free one, None serves neither."""
    metrics_host: str

    @classmethod
    def read(cls, dotenv: Path = Path(".env")) -> Settings:
        """The settings in force. Raises SettingsError that names everything wrong at once."""
        form = _Form(dotenv)
        token = form.take("DISCORD_TOKEN", "", _token)
        database = form.take("ROUNDTABLE_DB", "data/roundtable.db", _file)
        log_level = form.take("ROUNDTABLE_LOG", "INFO", _log_level)
        port = form.take("ROUNDTABLE_SANDBOX_PORT", "8414", _port)
        url = form.take("ROUNDTABLE_SANDBOX_URL", "", _loopback_url)
        backups = form.take("ROUNDTABLE_BACKUPS", "", _folder)
        keep = form.take("ROUNDTABLE_KEEP_BACKUPS", "7", _count)
        metrics_port = form.take("ROUNDTABLE_METRICS_PORT", "", _port_if_any)
        metrics_host = form.take("ROUNDTABLE_METRICS_HOST", "127.0.0.1", _address)
        token_required = form.take("ROUNDTABLE_REQUIRE_TOKEN", "0", _yes_or_no)
        if token_required and not form.given("DISCORD_TOKEN"):
            form.problems.append("DISCORD_TOKEN is missing, and ROUNDTABLE_REQUIRE_TOKEN demands it.")
        if form.given("DISCORD_TOKEN") and form.given("ROUNDTABLE_SANDBOX_URL"):
            form.problems.append("ROUNDTABLE_SANDBOX_URL is for running without DISCORD_TOKEN; set only one of them.")
        if form.problems:
            raise SettingsError(tuple(form.problems))
        assert database is not None
        assert log_level is not None
        assert port is not None
        assert keep is not None
        assert metrics_host is not None
        return cls(
            token=token,
            database=database,
            log_level=log_level,
            sandbox_port=port,
            sandbox_url=url,
            backups=backups or database.with_name("backups"),
            keep_backups=keep,
            metrics_port=metrics_port,
            metrics_host=metrics_host,
        )


class _Form:
    """Reads one setting after the other and collects what is wrong."""

    def __init__(self, dotenv: Path) -> None:
        self._env = Env()
        self._env.read_env(dotenv, recurse=False)
        self.problems: list[str] = []

    def given(self, name: str) -> bool:
        """Whether the setting is there and not blank."""
        return bool(self._text(name, ""))

    def take(self, name: str, default: str, parse: Callable[[str], T]) -> T | None:
        """What the setting means; None if it is wrong. `parse` raises ValueError saying what it must be."""
        try:
            return parse(self._text(name, default))
        except ValueError as error:
            self.problems.append(f"{name} must be {error}.")
            return None

    def _text(self, name: str, default: str) -> str:
        return str(self._env.str(name, default)).strip()


def _token(text: str) -> str | None:
    # Never said again, also not where it is wrong.
    if len(text.split()) > 1:
        raise ValueError("the token alone, without blanks or a word before it")
    return text or None


def _file(text: str) -> Path:
    path = Path(text).expanduser()
    if not text or os.path.isdir(path):  # pathlib raises an error in a folder that is shut
        raise ValueError(f"the name of a file, not {text!r}")
    return path


def _folder(text: str) -> Path | None:
    path = Path(text).expanduser()
    if text and os.path.exists(path) and not os.path.isdir(path):  # as above
        raise ValueError(f"the name of a folder, not {text!r}")
    return path if text else None


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= MOST_BACKUPS):
        raise ValueError(f"a number from 0 to {MOST_BACKUPS}, not {text!r}")
    return int(text)


def _log_level(text: str) -> str:
    if text.upper() not in LOG_LEVELS:
        raise ValueError(f"one of {', '.join(LOG_LEVELS)}, not {text!r}")
    return text.upper()


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 65536):
        raise ValueError(f"a port number from 0 to 65535, not {text!r}")
    return int(text)


def _port_if_any(text: str) -> int | None:
    return _port(text) if text else None


def _address(text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError:
        raise ValueError(f"an address such as 127.0.0.1, not {text!r}") from None


def _loopback_url(text: str) -> str | None:
    if not text:
        return None
    wrong = ValueError(f"an address on this machine such as http://127.0.0.1:8414, not {text!r}")
    try:
        url = urlsplit(text)
        known = url.scheme == "http" and url.hostname in LOOPBACK and url.port is not None
    except ValueError:
        raise wrong from None
    if not known or url.path.strip("/") or url.query or url.fragment or url.username is not None:
        raise wrong
    return text.rstrip("/")


def _yes_or_no(text: str) -> bool:
    if text.lower() not in _YES + _NO:
        raise ValueError(f"1 or 0, not {text!r}")
    return text.lower() in _YES
