"""The work that waits for the bot: matches in which something is due, servers whose absences count, channels to post
in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.store import Reader
from bot.store.absences import servers_of_games
from bot.store.posting_places import StoredPlace

ReadMatches = Callable[[Reader, int], Awaitable[Sequence[int]]]
"""Returns matches, given the time."""

ReadServers = Callable[[Reader], Awaitable[Sequence[int]]]
"""Returns servers."""

ReadPlaces = Callable[[Reader], Awaitable[Sequence[StoredPlace]]]
"""Returns channels in which the bot has to post."""


async def _read_nothing(*_: object) -> Sequence[Any]:
    return ()


@dataclass(frozen=True)
class WaitingHooks:
    """The hooks by which a feature names the work that waits for the bot."""

    matches: ReadMatches = _read_nothing
    """Called by each tick. Returns matches in which something other than their deadline is due."""
    servers: ReadServers = _read_nothing
    """Returns servers with work due now or later that no open table or live game accounts for."""
    places: ReadPlaces = _read_nothing
    """Called when the doctor checks permissions. Returns channels other than those of games and settings."""


async def matches_due(reader: Reader, hooks: Iterable[WaitingHooks], now: int) -> list[int]:
    """Returns the matches in which something is due, those with a deadline first."""
    due = await reader.matches_due(now)
    for hook in hooks:
        due += await hook.matches(reader, now)
    return list(dict.fromkeys(due))


async def servers_waiting(reader: Reader, hooks: Iterable[WaitingHooks]) -> list[int]:
    """Returns the servers in which something is due, now or later."""
    servers = {*await servers_of_games(reader)}
    for hook in hooks:
        servers.update(await hook.servers(reader))
    return sorted(servers)
