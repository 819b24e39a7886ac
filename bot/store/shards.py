"""Which servers are whose: Discord divides them into shards, and each shard is looked after by exactly one worker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

ALL_SERVERS = 0
"""Stands for all servers, where a server could stand."""

_SHARD_BITS = 16

MAX_SHARDS = 1 << 12
"""More shards than this nobody needs: Discord asks for one from 2,500 servers to the next."""


@dataclass(frozen=True, slots=True)
class ShardShare:
    """Those servers that one worker looks after: it alone ticks for them, posts in them and answers there."""

    shard_count: int
    """How many shards there are."""
    own_shards: frozenset[int]
    """Those that are the worker's."""
    earlier_counts: tuple[int, ...] = ()
    """How many there have been before: absences were noted by those."""

    def shard_of(self, guild: int) -> int:
        """The shard of a server, as Discord reckons."""
        return (guild >> 22) % self.shard_count

    def has_server(self, guild: int) -> bool:
        """Whether that server is looked after here."""
        return self.shard_of(guild) in self.own_shards

    @property
    def is_leader(self) -> bool:
        """Whether what concerns everybody is done here: with the first shard, where direct messages arrive too."""
        return 0 in self.own_shards

    @property
    def is_whole(self) -> bool:
        """Whether all servers are looked after here."""
        return len(self.own_shards) == self.shard_count

    @property
    def shard_fraction(self) -> float:
        """What part of all shards is looked after here."""
        return len(self.own_shards) / self.shard_count

    def guild_filter_sql(self, column: str = "guild") -> str:
        """What a condition goes on with so that it holds only for the servers that are looked after here."""
        if self.is_whole:
            return ""
        return (
            f" AND ({column} >> 22) % {self.shard_count} IN ({', '.join(map(str, sorted(self.own_shards))) or 'NULL'})"
        )

    def shard_key(self, shard: int) -> int:
        """What stands for all servers of that shard, where a server could stand."""
        return _shard_key(self.shard_count, shard)

    def absence_keys(self, guild: int) -> tuple[int, ...]:
        """What stands for that server, also together with others."""
        shards = {_shard_key(count, (guild >> 22) % count) for count in (*self.earlier_counts, self.shard_count)}
        return (guild, *sorted({ALL_SERVERS, *shards}))

    def owns_key(self, guild: int) -> bool:
        """Whether a server, or what stands for several, is looked after here."""
        if guild > 0:
            return self.has_server(guild)
        return any(self.shard_key(shard) == guild for shard in self.own_shards) or (
            self.is_leader and not self._is_present_shard(guild)
        )

    def _is_present_shard(self, guild: int) -> bool:
        """Whether that stands for one of the shards as they are now."""
        return self.shard_count > 1 and -guild >> _SHARD_BITS == self.shard_count


WHOLE_SHARE = ShardShare(1, frozenset({0}))
"""All servers, where there is one worker."""

EMPTY_SHARE = ShardShare(1, frozenset())
"""No server."""


class Lease:
    """What a worker looks after, for as long as nobody else may and it can be stored. This one is of everything."""

    has_other_workers = False
    """Whether there may be other workers."""

    def __init__(self, share: ShardShare = WHOLE_SHARE, sure: Callable[[], bool] = lambda: True) -> None:
        self.share = share
        self._is_sure = sure
        self.lost = asyncio.Event()
        """Set once others may look after it, for good."""
        self.on_lapsed: Callable[[float], None] = _do_nothing
        """Called when it is sure again after it has not been, with the seconds since it was."""
        self.on_message: Callable[[str], None] = _do_nothing
        """Called with what another worker calls out; with nothing where it may have acted in these servers."""

    @property
    def is_valid(self) -> bool:
        """Whether nobody else looks after it at this instant, and it can be stored what becomes of it.

        Else nothing is done, neither here nor in Discord.
        """
        return self._is_sure()

    def notify_workers(self, message: str) -> None:
        """Has all other workers hear that; whoever is away does not."""

    async def wait_for_bucket(self, bucket: int) -> None:
        """Wait until no other worker has begun a session in that bucket lately, of those that Discord tells apart."""


def _do_nothing(_: object) -> None:
    pass


def absence_filter_sql(guild: int) -> str:
    """What a condition goes on with so that it holds only for that server, or for those for which it stands."""
    if guild >= 0:
        return f" AND guild = {guild}" if guild else ""
    return f" AND (guild >> 22) % {-guild >> _SHARD_BITS} = {-guild & (1 << _SHARD_BITS) - 1}"


def _shard_key(count: int, shard: int) -> int:
    return -(count << _SHARD_BITS | shard) if count > 1 else ALL_SERVERS
