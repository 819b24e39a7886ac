"""The settings: from the environment, or from a file `.env` in the working directory. The environment wins."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from importlib.util import find_spec
from io import StringIO
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from dotenv import dotenv_values

from bot.store.connection import Address, Database
from rules.terminal import read_text

DOTENV = Path(".env")
"""The file of settings, in the working directory."""
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
MAX_BACKUPS = 9999
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_URL_LIKE = re.compile(
    r"://|^postgres[^/\\]*:|^(?![a-z]:[/\\][^:]*$).*(?::|%3a).*@"
    r"|(?:^|\s)(?:user|password|host|hostaddr|port|dbname|service|passfile|sslmode)\s*=",
    re.IGNORECASE,
)
"""Matches text that is meant as the address of a database server, even a mistyped one, but no path on a drive, such as
"C:/x". A file whose name looks like an address cannot be used."""
_WRITTEN = re.compile(r"^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w-]*)[ \t]*([=:])", re.MULTILINE)
"""Matches the name in a line of the file, and the sign after it."""
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")


class UnfitValue(ValueError):
    """What somebody wrote for a setting cannot be used. The message says what it must be, and never repeats what was
    written, since that may be a secret.
    """


class SettingsError(Exception):
    """Settings that cannot be used. `problems` are sentences, one each, that begin with the setting's name.

    They are English: the operator reads them in a terminal, before any language is known.
    """

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class _Written:
    """What is written for the settings, in the environment or else in the text of the file."""

    def __init__(self, text: str) -> None:
        self._values = {**dotenv_values(stream=StringIO(text)), **os.environ}
        self.known = {"DISCORD_TOKEN"}
        """The names of settings."""
        self.problems: list[str] = []
        """A sentence for each setting that is wrong."""

    def has_value(self, name: str) -> bool:
        """Whether anything is written for that setting."""
        return bool(_strip_quotes(self._values.get(name) or ""))

    def read_setting(self, name: str, parse: Callable[[str], Any], default: str = "") -> Any:
        """Returns the parsed value of that setting; None if it is wrong, which is noted."""
        self.known.add(name)
        typed = self._values.get(name)
        try:
            return parse(read_value(default if typed is None else typed))
        except UnfitValue as error:
            self.problems.append(f"{name} must be {error}.")
            return None


@dataclass(frozen=True, slots=True)
class Settings:
    """The program's settings."""

    token: str | None = field(repr=False)
    """None runs the sandbox instead of Discord."""
    database: Database
    log_level: str
    """One of LOG_LEVELS."""
    sandbox_port: int
    """0 uses any free port."""
    sandbox_url: str | None
    """A running sandbox server to join instead of starting one; on this machine only."""
    backups: Path
    """The folder of the backups."""
    keep_backups: int
    """How many backups to keep; 0 makes none at night."""
    metrics_port: int | None
    """The port of /healthz and /metrics; 0 uses any free one, None serves neither."""
    metrics_host: str
    servers: frozenset[int] | None
    """The only servers in which the bot works; None for all."""
    remarks: tuple[str, ...] = ()
    """Sentences about names that are no setting, or none any more, for the log."""

    @classmethod
    def from_environment(cls, dotenv: Path = DOTENV, *, with_token: bool = True) -> Settings:
        """Reads the settings, all or all but the token. Raises SettingsError that names everything wrong at once."""
        text = _read_dotenv(dotenv)
        written = _Written(text)
        read, problems, has_token = written.read_setting, written.problems, written.has_value("DISCORD_TOKEN")
        database = read("ROUNDTABLE_DB", parse_database, "data/roundtable.db")
        if not (written.has_value("ROUNDTABLE_DB") or has_token) and isinstance(database, Path):
            database = _sandbox_database(database)
        settings = cls(
            token=read("DISCORD_TOKEN", _parse_token) if with_token else None,
            database=database,
            log_level=read("ROUNDTABLE_LOG", _parse_level, "INFO"),
            sandbox_port=read("ROUNDTABLE_SANDBOX_PORT", _parse_port, "8414"),
            sandbox_url=read("ROUNDTABLE_SANDBOX_URL", _parse_loopback_url),
            backups=read("ROUNDTABLE_BACKUPS", _parse_folder) or _folder_of(database) / "backups",
            keep_backups=read("ROUNDTABLE_KEEP_BACKUPS", _parse_count, "7"),
            metrics_port=read("ROUNDTABLE_METRICS_PORT", lambda text: _parse_port(text) if text else None),
            metrics_host=read("ROUNDTABLE_METRICS_HOST", _parse_address, "127.0.0.1"),
            servers=read("ROUNDTABLE_SERVERS", _parse_servers),
        )
        token_required = read("ROUNDTABLE_REQUIRE_TOKEN", _parse_switch, "0")
        if with_token and token_required and not has_token:
            problems.append("DISCORD_TOKEN is missing, and ROUNDTABLE_REQUIRE_TOKEN demands it.")
        if with_token and has_token and written.has_value("ROUNDTABLE_SANDBOX_URL"):
            problems.append("ROUNDTABLE_SANDBOX_URL is for running without DISCORD_TOKEN; set only one of them.")
        if problems:
            raise SettingsError(tuple(problems))
        return replace(settings, remarks=tuple(_remarks_on_names(dotenv, text, written.known, has_token=has_token)))

    @property
    def data_folder(self) -> Path:
        """The folder for the program's own files."""
        return _folder_of(self.database)


def _read_dotenv(path: Path) -> str:
    """Returns the text of the file, in any encoding in which editors save it; empty if there is none."""
    try:
        return read_text(path) if path.exists() else ""
    except (OSError, ValueError) as error:  # their own messages may contain a part of the token
        why = (isinstance(error, OSError) and error.strerror) or "it must be a file of text in UTF-8"
        raise SettingsError((f"{path} cannot be read: {why}.",)) from None


def _sandbox_database(real: Path) -> Path:
    """Returns the sandbox's own file, so that the first real game is number 1. A sandbox that is older than its own
    file goes on with the games that it has.
    """
    own, world = real.with_name("sandbox.db"), real.with_name("sandbox")
    return real if world.is_dir() and real.exists() and not own.exists() else own


def _remarks_on_names(dotenv: Path, written: str, known: Collection[str], *, has_token: bool) -> Iterator[str]:
    """Yields a sentence for each name in the text of the file, or in the environment, that is like a setting's and is
    none, or is followed by a wrong sign."""
    around = ((name, "=") for name in os.environ if name.upper() != "TOKEN")  # that may be for another program
    for name, sign in dict.fromkeys([*_WRITTEN.findall(written), *around]):
        if name in known and sign == ":":
            yield f"{name}: is not read. Write {name}=, then the value."
        elif name not in known and name.upper().startswith(("ROUNDTABLE_", "DISCORD_TOKEN")):
            close = get_close_matches(name.upper(), known, 1, 0.85)
            yield f"{name} is no setting." + (f" Do you mean {close[0]}?" if close else "")
        elif name.upper() == "TOKEN" and not has_token:
            yield f"{name} is not read as the token. Write DISCORD_TOKEN=, then the token."
    if not dotenv.exists() and os.path.exists(f"{dotenv}.txt"):
        yield f"{dotenv}.txt is not read. Rename it to {dotenv}."


def _folder_of(database: Database) -> Path:
    return database.parent if isinstance(database, Path) else Path("data")


# Parsers of the kinds of settings. Each raises UnfitValue.


def _strip_quotes(text: str) -> str:
    """The text without blanks around it, and without one pair of quotation marks."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1].strip()
    return text


def read_value(text: str) -> str:
    """Returns the value of a setting, without blanks and quotation marks around it.

    Raises UnfitValue that names a character which cannot be seen.
    """
    text = _strip_quotes(text)
    for sign in text:
        if unicodedata.category(sign) in ("Cc", "Cf"):
            raise UnfitValue(f"written without {_describe_character(sign)}")
    return text


def _describe_character(sign: str) -> str:
    return f"{unicodedata.name(sign, 'a control character')} (U+{ord(sign):04X})"


def _parse_token(text: str) -> str | None:
    for sign in text:
        if not sign.isascii():
            raise UnfitValue(f"the token alone, without {_describe_character(sign)}")
    if len(text.split()) > 1:  # never repeated in messages, even if it is wrong
        raise UnfitValue("the token alone, without blanks or a word before it")
    return text or None


def parse_typed_token(text: str) -> str:
    """A token as somebody typed it. Raises UnfitValue that says what it must be."""
    token = _parse_token(read_value(text)) or ""
    if not re.fullmatch(r"[\w-]{18,}\.[\w-]{5,}\.[\w-]{8,}", token):
        raise UnfitValue("three parts with dots between them, as in the developer portal (Bot > Reset Token)")
    return token


def parse_database(text: str) -> Database:
    """A file or an address. Raises UnfitValue that says what it must be."""
    if not _URL_LIKE.search(text):
        return _path(text, "the name of a file", os.path.isfile)
    try:
        address = Address.from_url(text)
    except ValueError:  # the text may contain a password
        raise UnfitValue(
            "the name of a file, or an address such as postgresql://user:password@host/database, whose password has %40"
            " for @, %2F for / and so on"
        ) from None
    if not find_spec("asyncpg"):
        raise UnfitValue("a file, until the extra is installed: pip install -c constraints.txt '.[postgres]'")
    return address


def _path(text: str, what: str, is_fit: Callable[[Path], bool]) -> Path:
    try:
        path = Path(text).expanduser()
    except RuntimeError:  # ~ with an unknown user's name
        raise UnfitValue(what) from None
    if not text or (os.path.exists(path) and not is_fit(path)):  # pathlib raises in a folder without access
        raise UnfitValue(what)
    return path


def parse_file_argument(text: str) -> Path:
    """A file that a command reads or writes. Raises UnfitValue for an address."""
    if _URL_LIKE.search(text):
        raise UnfitValue("the name of a file, not an address")
    return Path(text)


def _parse_folder(text: str) -> Path | None:
    if _URL_LIKE.search(text):
        raise UnfitValue("the name of a folder, not an address")
    return _path(text, "the name of a folder", os.path.isdir) if text else None


def _parse_level(text: str) -> str:
    if text.upper() not in LOG_LEVELS:
        raise UnfitValue(f"one of {', '.join(LOG_LEVELS)}")
    return text.upper()


def _parse_number(text: str, most: int, what: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= most):
        raise UnfitValue(f"{what} from 0 to {most}")
    return int(text)


def _parse_address(text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError:
        raise UnfitValue("an address such as 127.0.0.1") from None


def _parse_servers(text: str) -> frozenset[int] | None:
    if not text:
        return None
    numbers = text.replace(",", " ").split()
    is_number = [number.isascii() and number.isdecimal() and 15 <= len(number) <= 20 for number in numbers]
    if not numbers or not all(is_number):
        raise UnfitValue("the numbers of servers with commas between them")
    return frozenset(map(int, numbers))


def _parse_loopback_url(text: str) -> str | None:
    if not text:
        return None
    wrong = UnfitValue("an address on this machine such as http://127.0.0.1:8414")
    try:
        url = urlsplit(text)
        is_local = url.scheme == "http" and url.hostname in LOOPBACK and url.port is not None
    except ValueError:
        raise wrong from None
    if not is_local or url.path.strip("/") or url.query or url.fragment or url.username is not None:
        raise wrong
    return text.rstrip("/")


def _parse_switch(text: str) -> bool:
    if text.lower() not in _YES + _NO:
        raise UnfitValue("1 or 0")
    return text.lower() in _YES


_parse_port = partial(_parse_number, most=65535, what="a port number")
_parse_count = partial(_parse_number, most=MAX_BACKUPS, what="a number")
