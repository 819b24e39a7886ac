"""Starts ladder games, which need no table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.core import table
from bot.core.clock import Pace
from bot.core.events import Opening, Seating
from bot.core.match import Match
from bot.ladder import rows as ladder_store
from bot.ladder.part_rows import LadderId
from bot.store import Writer
from bot.store.people import load_guild_settings, load_people
from rules import VARIANTS


async def begin_ladder_game(tx: Writer, place: LadderId, order: Sequence[int], now: int) -> Match:
    """Starts a ladder game of these users, in seat order, with a clock and in public.

    A person's limit of games does not apply: the ladder has its own.
    """
    settings = await load_guild_settings(tx, place.guild)
    head = await ladder_store.load_head(tx, place)
    assert head is not None, place
    opening = Opening(
        place.guild,
        settings.ladder_channel or head.channel,
        VARIANTS[place.variant],
        Seating.JOIN_ORDER,
        settings.threads.gives_thread(wanted=True),
        tuple(order[1:]),
        settings.pace if settings.pace.clock_terms else Pace.STANDARD,
        ladder=True,
    )
    match, events = table.begin_at_once(opening, order, now)
    return replace(match, id=await tx.add_match(match, events, await load_people(tx, order)))
