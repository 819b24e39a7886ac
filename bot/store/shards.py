"""Which servers are whose: Discord divides them into shards, and each shard is looked after by exactly one worker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

EVERYWHERE = 0
"""Stands for all servers, where a server could stand."""

_BITS = 16

MOST = 1 << 12
"""More shards than this nobody needs: Discord asks for one from 2,500 servers to the next."""


@dataclass(frozen=True, slots=True)
class Share:
    """Those servers that one worker looks after: it alone ticks for them, posts in them and answers there."""

    count: int
    """How many shards there are."""
    own: frozenset[int]
    """Those that are the worker's."""
    earlier: tuple[int, ...] = ()
    """How many there have been before: absences were noted by those."""

    def shard_of(self, guild: int) -> int:
        """The shard of a server, as Discord reckons."""
        return (guild >> 22) % self.count

    def has(self, guild: int) -> bool:
        """Whether that server is looked after here."""
        return self.shard_of(guild) in self.own

    @property
    def leads(self) -> bool:
        """Whether what concerns everybody is done here: with the first shard, where direct messages arrive too."""
        return 0 in self.own

    @property
    def whole(self) -> bool:
        """Whether all servers are looked after here."""
        return len(self.own) == self.count

    @property
    def part(self) -> float:
        """What part of all shards is looked after here."""
        return len(self.own) / self.count

    def also(self, column: str = "guild") -> str:
        """What a condition goes on with so that it holds only for the servers that are looked after here."""
        if self.whole:
            return ""
        return f" AND ({column} >> 22) % {self.count} IN ({', '.join(map(str, sorted(self.own))) or 'NULL'})"

    def everywhere(self, shard: int) -> int:
        """What stands for all servers of that shard, where a server could stand."""
        return _everywhere(self.count, shard)

    def around(self, guild: int) -> tuple[int, ...]:
        """What stands for that server, also together with others."""
        shards = {_everywhere(count, (guild >> 22) % count) for count in (*self.earlier, self.count)}
        return (guild, *sorted({EVERYWHERE, *shards}))

    def sees_to(self, guild: int) -> bool:
        """Whether a server, or what stands for several, is looked after here."""
        if guild > 0:
            return self.has(guild)
        return any(self.everywhere(shard) == guild for shard in self.own) or (self.leads and not self._stands(guild))

    def _stands(self, guild: int) -> bool:
        """Whether that stands for one of the shards as they are now."""
        return self.count > 1 and -guild >> _BITS == self.count


WHOLE = Share(1, frozenset({0}))
"""All servers, where there is one worker."""

NOTHING = Share(1, frozenset())
"""No server."""


class Lease:
    """What a worker looks after, for as long as nobody else may and it can be stored. This one is of everything."""

    apart = False
    """Whether there may be other workers."""

    def __init__(self, share: Share = WHOLE, sure: Callable[[], bool] = lambda: True) -> None:
        self.share = share
        self._is_sure = sure
        self.lost = asyncio.Event()
        """Set once others may look after it, for good."""
        self.lapsed: Callable[[float], None] = _nothing
        """Called when it is sure again after it has not been, with the seconds since it was."""
        self.heard: Callable[[str], None] = _nothing
        """Called with what another worker calls out; with nothing where it may have acted in these servers."""

    @property
    def sure(self) -> bool:
        """Whether nobody else looks after it at this instant, and it can be stored what becomes of it.

        Else nothing is done, neither here nor in Discord.
        """
        return self._is_sure()

    def call_out(self, said: str) -> None:
        """Has all other workers hear that; whoever is away does not."""

    async def take_turn(self, bucket: int) -> None:
        """Wait until no other worker has begun a session in that bucket lately, of those that Discord tells apart."""


def _nothing(_: object) -> None:
    pass


def condition(guild: int) -> str:
    """What a condition goes on with so that it holds only for that server, or for those for which it stands."""
    if guild >= 0:
        return f" AND guild = {guild}" if guild else ""
    return f" AND (guild >> 22) % {-guild >> _BITS} = {-guild & (1 << _BITS) - 1}"


def _everywhere(count: int, shard: int) -> int:
    return -(count << _BITS | shard) if count > 1 else EVERYWHERE
