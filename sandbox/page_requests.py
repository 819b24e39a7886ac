"""One request of the page's API, with the values of its address and body."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from aiohttp import web

from .discord_types import Channel, Command, Guild, Json, Message, User
from .errors import Code, Refusal
from .options import ActError
from .parts import Parts

T = TypeVar("T")
_CLIENT_LOCALES = ("en-US", "no")

MAX_NUMBER_LENGTH = 20
"""Digits of an id, or of a set of permissions."""


class PageRequest:
    """One request of the page, with the values of its address and body."""

    def __init__(self, parts: Parts, request: web.Request, body: Json) -> None:
        self.parts = parts
        self.world = parts.world
        self.request = request
        self.body = body

    def number(self, name: str) -> int:
        """Returns a snowflake of the address, or of the body. Raises ActError."""
        return _number(name, self.request.match_info.get(name, self.body.get(name)))

    def numbers(self, name: str) -> list[int]:
        """Returns snowflakes of the body; empty if the field is missing. Raises ActError."""
        return [_number(name, one) for one in self._of(name, list)]

    def count(self, name: str, default: int) -> int:
        """Returns a number of the query. Raises ActError."""
        return _number(name, self.request.query.get(name, default))

    def words(self, name: str) -> str:
        """Returns a text of the body; empty if the field is missing. Raises ActError."""
        return self._of(name, str)

    @property
    def name(self) -> str:
        """The name in the body. Raises ActError if there is none."""
        if not (found := self.words("name").strip()):
            raise ActError("bad_name", "A name is needed.")
        return found

    def texts(self, name: str) -> list[str] | None:
        """Returns texts of the body; None if the field is missing. Raises ActError."""
        if self.body.get(name) is None:
            return None
        found: list[str] = self._of(name, list)
        if not all(isinstance(one, str) for one in found):
            raise ActError("bad_request", f"{name} are no texts")
        return found

    def values(self, name: str) -> Json:
        """Returns an object of the body, by names of options or fields; empty if missing. Raises ActError."""
        return self._of(name, dict)

    def _of(self, name: str, kind: type[T]) -> T:
        """Returns a value of the body; an empty one if it is missing. Raises ActError for one of another kind."""
        found = self.body.get(name)
        if found is None:
            return kind()
        if not isinstance(found, kind):
            raise ActError("bad_request", f"{name} is none")
        return found

    @property
    def me(self) -> User:
        """The person who asks."""
        return self.world.person(self.number("person_id"))

    @property
    def channel(self) -> Channel:
        """The channel of the address."""
        return self.world.channel(self.number("channel_id"))

    @property
    def guild(self) -> Guild:
        """The server of the address."""
        return self.world.guild(self.number("guild_id"))

    @property
    def message(self) -> Message:
        """The message of the address."""
        return self.world.message(self.number("channel_id"), self.number("message_id"))

    @property
    def command(self) -> Command:
        """The command of the body."""
        found = self.world.commands.get(self.number("command_id"))
        if found is None:
            raise Refusal(Code.UNKNOWN_COMMAND)
        return found

    @property
    def locale(self) -> str:
        """The language of the body."""
        if self.body.get("locale") not in _CLIENT_LOCALES:
            raise ActError("bad_locale", f"The languages are {', '.join(_CLIENT_LOCALES)}.")
        return str(self.body["locale"])


def _number(name: str, given: object) -> int:
    """Raises ActError for a number that no id and no count of the world can be."""
    text = str(given)
    if not text.isdecimal() or len(text) > MAX_NUMBER_LENGTH:
        raise ActError("bad_request", f"{name} is no id")
    return int(text)


Handler = Callable[[PageRequest], object]
