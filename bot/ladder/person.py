"""Exports what ladders store about a person, and replaces the person when they are forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.ladder import person_rows as person_store
from bot.ladder import rows as ladder_store
from bot.ladder.rebuilding_rows import rebuild_rows
from bot.ladder.state import EntryKind, LadderId
from bot.play.service.matches import Matches
from bot.store import Reader, Writer


async def export_person(reader: Reader, user: int) -> Mapping[str, Any]:
    """Returns the entries that name the user."""
    return {"ladders": await person_store.entries_of(reader, user)}


async def replace_person(matches: Matches, user: int, stand_in: int, now: int) -> None:
    """Removes the user from each ladder and replaces them in its entries, in one transaction per ladder."""
    for ladder_id in await person_store.ladders_of(matches.store.reader, user):
        async with matches.store.write_transaction() as tx:
            await _leave_ladder(tx, ladder_id, user, now)
            await person_store.forget_in_ladder(tx, ladder_id, user, stand_in)
            await rebuild_rows(tx, ladder_id)


async def _leave_ladder(tx: Writer, ladder_id: LadderId, user: int, now: int) -> None:
    """Removes the user from a ladder even during a game: a game of three continues without them."""
    ladder = await ladder_store.load_ladder(tx, ladder_id, [user])
    if ladder.active_climber(user):
        await ladder_store.add_entry(tx, ladder_id, ladder, ladder.next_entry(now, EntryKind.LEFT, (user,)))
