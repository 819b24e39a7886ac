"""Starts ladder games, which need no table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.core import table
from bot.core.clock import Pace
from bot.core.events import Opening, Seating
from bot.core.match import Match
from bot.ladder import rows as ladder_store
from bot.ladder.state import LadderId
from bot.store import Writer
from bot.store.people import load_people
from bot.store.servers import load_guild_settings
from rules import VARIANTS


async def begin_ladder_game(tx: Writer, ladder_id: LadderId, order: Sequence[int], now: int) -> Match:
    """Starts a ladder game of these users, in seat order, with a clock and in public.

    The server's limit of games for a person does not apply, because the ladder has its own.
    """
    settings = await load_guild_settings(tx, ladder_id.guild)
    head = await ladder_store.load_head(tx, ladder_id)
    assert head is not None, ladder_id
    opening = Opening(
        ladder_id.guild,
        settings.ladder_channel or head.channel,
        VARIANTS[ladder_id.variant],
        Seating.JOIN_ORDER,
        settings.threads.gives_thread(wanted=True),
        tuple(order[1:]),
        settings.pace if settings.pace.clock_terms else Pace.STANDARD,
        ladder=True,
    )
    match, events = table.begin_at_once(opening, order, now)
    return replace(match, id=await tx.add_match(match, events, await load_people(tx, order)))
