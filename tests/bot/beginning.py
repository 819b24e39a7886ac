"""Tables and games that the service opens for a test."""

from __future__ import annotations

from bot.core.clock import Pace
from bot.core.events import Event, Seating
from bot.core.match import Match
from bot.play.service import Service
from tests.bot.playing import ADA, BO, CHANNEL, CY, GUILD, NOW


async def set_up(service: Service, events: list[Event]) -> Match:
    """Stores a match with these events and returns it."""
    async with service.store.write_transaction() as tx:
        number = await tx.add_match(Match.replay(0, events), events)
    return await service.current_match(number, GUILD)


async def opened(service: Service, key: str = "camelot", pace: Pace | None = None, channel: int = CHANNEL) -> Match:
    """Opens Ada's table for anybody and returns it."""
    return await service.open_table(GUILD, channel, ADA, key, (), Seating.JOIN_ORDER, False, NOW, pace=pace)


async def begun(service: Service, key: str = "camelot", pace: Pace | None = Pace.FAST) -> Match:
    """Opens Ada's table and seats Bo (and Cy), so that the game begins; returns the match."""
    match = await opened(service, key, pace)
    for user in (BO, CY)[: len(match.variant.seats) - 1]:
        match = await service.join_table(match.id, GUILD, user, NOW)
    return match
