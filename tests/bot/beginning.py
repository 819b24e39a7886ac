"""Tables and games that a test begins with, through the service."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.core.clock import Pace
from bot.core.events import Event, Seating
from bot.core.match import Match
from bot.play.service import Service
from rules import VARIANTS
from tests.bot import acts
from tests.bot.playing import ADA, CHANNEL, GUILD, NOW, PEOPLE


async def set_up(service: Service, events: Iterable[Event]) -> Match:
    """Stores a match with these events and returns it."""
    events = [*events]
    async with service.store.write_transaction() as tx:
        number = await tx.add_match(Match.replay(0, events), events)
    return await service.current_match(number, GUILD)


async def opened(
    service: Service,
    key: str = "camelot",
    pace: Pace | None = None,
    *,
    host: int = ADA,
    guild: int = GUILD,
    channel: int = CHANNEL,
    ladder: bool = False,
) -> Match:
    """Opens a table for anybody and returns it."""
    return await acts.open_table(
        service, guild, channel, host, key, (), Seating.JOIN_ORDER, False, NOW, pace=pace, ladder=ladder
    )


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
