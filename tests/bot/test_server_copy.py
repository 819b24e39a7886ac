"""A server that an event has half changed before failing is restored to its earlier state."""

from __future__ import annotations

from typing import Any

from bot.discordkit.gateway import ServerCopy


class Server:
    """The state that discord.py keeps of a server, in slots as there."""

    __slots__ = ("_roles", "name", "unavailable")

    def __init__(self) -> None:
        self._roles = {1: "everyone"}
        self.name = "Court"


def test_server_is_as_before_an_event_that_breaks_off() -> None:
    server: Any = Server()
    copy = ServerCopy(server)
    server._roles.clear()
    server._roles, server.name = {}, "half"
    copy.restore()
    assert (server._roles, server.name) == ({1: "everyone"}, "Court")
