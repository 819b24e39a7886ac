"""Tables and games that a test begins with, through the service."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bot.core.clock import Pace
from bot.core.deadlines import Actor
from bot.core.events import Event, Seating
from bot.core.fold import replay_match
from bot.core.match import Match
from bot.core.table import TableOptions
from bot.play.service import Service, tables
from rules import VARIANTS
from tests.bot import acts
from tests.bot.playing import ADA, CHANNEL, GUILD, NOW, PEOPLE


async def set_up(service: Service, events: Iterable[Event]) -> Match:
    """Stores a match with these events and returns it."""
    events = [*events]
    async with service.store.write_transaction() as tx:
        number = await tx.add_match(replay_match(0, events), events)
    return await service.current_match(number, GUILD)


async def opened(
    service: Service,
    key: str = "camelot",
    pace: Pace | None = None,
    *,
    host: int = ADA,
    guild: int = GUILD,
    channel: int = CHANNEL,
    now: int = NOW,
    parent: int | None = None,
    seating: Seating = Seating.JOIN_ORDER,
    **options: Any,
) -> Match:
    """Opens a table with those `TableOptions` and returns it."""
    chosen = TableOptions(key, seating=seating, pace=pace, **options)
    return await tables.open_table(service, Actor(host, now, guild), channel, chosen, parent)


async def begun(
    service: Service,
    key: str = "camelot",
    pace: Pace | None = Pace.FAST,
    *,
    players: Sequence[int] = PEOPLE,
    guild: int = GUILD,
    channel: int = CHANNEL,
    ladder: bool = False,
) -> Match:
    """Begins a game of the first of these players, seated in that order, and returns the match."""
    host, *others = players[: len(VARIANTS[key].seats)]
    match = await opened(service, key, pace, host=host, guild=guild, channel=channel, ladder=ladder)
    for user in others:
        match = await acts.join_table(service, match.id, guild, user, NOW)
    return match
