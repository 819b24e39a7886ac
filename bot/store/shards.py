"""The division of servers among workers: Discord divides servers into shards, and each shard belongs to one worker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

ALL_SERVERS = 0
"""The number that stands for all servers in a column of server ids."""

_SHARD_BITS = 16

MAX_SHARDS = 1 << 12
"""More shards than anybody needs: Discord requires one per 2,500 servers."""


@dataclass(frozen=True, slots=True)
class ShardShare:
    """The servers of one worker. No other worker ticks for these servers, or posts and answers in them."""

    shard_count: int
    """The number of shards of all workers."""
    own_shards: frozenset[int]
    """The worker's own shards."""
    earlier_counts: tuple[int, ...] = ()
    """Earlier shard counts. Older absences are stored by the shards of that time."""

    def shard_of(self, guild: int) -> int:
        """Returns the shard of a server, by Discord's formula."""
        return (guild >> 22) % self.shard_count

    def has_server(self, guild: int) -> bool:
        """True if the server belongs to this worker."""
        return self.shard_of(guild) in self.own_shards

    @property
    def is_leader(self) -> bool:
        """True if this worker does the work for all servers. It has the first shard, which gets direct messages."""
        return 0 in self.own_shards

    @property
    def is_whole(self) -> bool:
        """True if all servers belong to this worker."""
        return len(self.own_shards) == self.shard_count

    @property
    def shard_fraction(self) -> float:
        """This worker's part of all shards, from 0 to 1."""
        return len(self.own_shards) / self.shard_count

    def guild_filter_sql(self, column: str = "guild") -> str:
        """Returns an AND clause that limits a condition to this worker's servers; empty if it has all servers."""
        if self.is_whole:
            return ""
        return (
            f" AND ({column} >> 22) % {self.shard_count} IN ({', '.join(map(str, sorted(self.own_shards))) or 'NULL'})"
        )

    def shard_key(self, shard: int) -> int:
        """Returns the number that stands for all servers of a shard in a column of server ids: negative, or ALL_SERVERS
        if there is only one shard."""
        return _shard_key(self.shard_count, shard)

    def absence_keys(self, guild: int) -> tuple[int, ...]:
        """Returns all numbers under which an absence of the server may be stored: its id, those of its shards under all
        shard counts so far, and ALL_SERVERS."""
        shards = {_shard_key(count, (guild >> 22) % count) for count in (*self.earlier_counts, self.shard_count)}
        return (guild, *sorted({ALL_SERVERS, *shards}))

    def owns_key(self, guild: int) -> bool:
        """True if a server belongs to this worker, or a number that stands for several servers does."""
        if guild > 0:
            return self.has_server(guild)
        return any(self.shard_key(shard) == guild for shard in self.own_shards) or (
            self.is_leader and not self._is_present_shard(guild)
        )

    def _is_present_shard(self, guild: int) -> bool:
        """True if the number stands for a shard under the current shard count."""
        return self.shard_count > 1 and -guild >> _SHARD_BITS == self.shard_count


WHOLE_SHARE = ShardShare(1, frozenset({0}))
"""All servers, for a single worker."""

EMPTY_SHARE = ShardShare(1, frozenset())
"""No servers, for a worker without a lease."""


class Lease:
    """A worker's exclusive right to its shards. With this base class, a worker has them permanently."""

    has_other_workers = False
    """Whether there may be other workers."""

    def __init__(self, share: ShardShare = WHOLE_SHARE, sure: Callable[[], bool] = lambda: True) -> None:
        self.share = share
        self._is_sure = sure
        self.lost = asyncio.Event()
        """Set when other workers may take the shards. It is never cleared."""
        self.on_lapsed: Callable[[float], None] = _do_nothing
        """Called when the lease is valid again after a lapse, with the length of the lapse in seconds."""
        self.on_message: Callable[[str], None] = _do_nothing
        """Called with the message of another worker. The message is "" if another worker may have acted in this
        worker's servers."""

    @property
    def is_valid(self) -> bool:
        """True if no other worker can have the shards now, and the store can be written.

        While it is False, this worker does nothing, neither in the store nor in Discord.
        """
        return self._is_sure()

    def notify_workers(self, message: str) -> None:
        """Sends a message to all other workers. Workers that are away miss it."""

    async def wait_for_bucket(self, bucket: int) -> None:
        """Waits until no other worker has lately begun a session in that rate limit bucket of Discord."""


def _do_nothing(_: object) -> None:
    pass


def absence_filter_sql(guild: int) -> str:
    """Returns an AND clause that limits a condition to a server, or to the servers for which the number stands."""
    if guild >= 0:
        return f" AND guild = {guild}" if guild else ""
    return f" AND (guild >> 22) % {-guild >> _SHARD_BITS} = {-guild & (1 << _SHARD_BITS) - 1}"


def _shard_key(count: int, shard: int) -> int:
    return -(count << _SHARD_BITS | shard) if count > 1 else ALL_SERVERS
