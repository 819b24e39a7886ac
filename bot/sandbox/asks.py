"""One request of the page's API: who asks, and what its address and body name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aiohttp import web

from .errors import Code, Refusal
from .options import ActError
from .parts import Parts
from .things import Channel, Command, Guild, Json, Message, Person

_LOCALES = ("en-US", "no")


class Ask:
    """One request of the page: who asks, and what the address and the body name."""

    def __init__(self, parts: Parts, request: web.Request, body: Json) -> None:
        self.parts = parts
        self.world = parts.world
        self.request = request
        self.body = body

    def number(self, name: str) -> int:
        """A snowflake of the address, or of the body. Errors: ActError."""
        text = str(self.request.match_info.get(name, self.body.get(name)))
        if not text.isdecimal():
            raise ActError("bad_request", f"{name} is no id")
        return int(text)

    @property
    def me(self) -> Person:
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
        if self.body.get("locale") not in _LOCALES:
            raise ActError("bad_locale", f"The languages are {', '.join(_LOCALES)}.")
        return str(self.body["locale"])


Handler = Callable[[Ask], Any]
