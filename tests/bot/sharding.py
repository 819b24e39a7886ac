"""The shares of two workers of three shards, a server of the other worker, and a running game there."""

from __future__ import annotations

from bot.core.clock import Pace
from bot.core.events import Seating
from bot.features import make_service
from bot.store import ShardShare, Store
from tests.bot.playing import ADA, BO, CHANNEL, GUILD, NOW, unshuffled

HERE, THERE = ShardShare(3, frozenset({0, 2})), ShardShare(3, frozenset({1}))
"""The shares of two workers of three shards. GUILD is on shard 0: its number is of Discord's first second."""

FAR = GUILD + (1 << 22)
"""A server on shard 1."""


async def begun_fast(store: Store, guild: int) -> int:
    """Begins a fast game in that server and returns its number."""
    service, at = make_service(store, unshuffled), (guild, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW)
    return (await service.join_table((await service.open_table(*at, pace=Pace.FAST)).id, guild, BO, NOW)).id
