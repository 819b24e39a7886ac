"""Repairs ladder entries that a wrong clock dated in the future: redates them to now, and recomputes deadlines."""

from __future__ import annotations

from collections.abc import Mapping

import structlog

from bot.ladder import rows as ladder_store
from bot.ladder.entries import LadderId
from bot.ladder.rebuilding_rows import date_ladder_back, find_future_ladders, rebuild_rows
from bot.play.service.matches import Matches

_log = structlog.get_logger()


async def cut_future_ladders(matches: Matches, after: int, now: int) -> Mapping[str, int]:
    """Redates entries of ladders later than `after` to `now`, and rebuilds these ladders. Returns their number."""
    ladders = await find_future_ladders(matches.store.reader, after)
    for ladder_id in ladders:
        await _cut_ladder(matches, ladder_id, after, now)
    return {"ladders": len(ladders)}


async def renew_ladder_deadlines(matches: Matches, now: int) -> None:
    """Recomputes when the tick must look at each ladder."""
    for ladder_id in await ladder_store.list_ladders(
        matches.store.reader, f"wake IS NOT NULL{matches.store.reader.own_servers_sql()}"
    ):
        async with matches.store.write_transaction() as tx:
            await ladder_store.set_next_tick(tx, ladder_id, now)


async def _cut_ladder(matches: Matches, ladder_id: LadderId, after: int, now: int) -> None:
    """Redates a ladder's entries later than `after` to `now`, and rebuilds the ladder."""
    try:
        async with matches.store.write_transaction() as tx:
            await date_ladder_back(tx, ladder_id, after, now)
            await rebuild_rows(tx, ladder_id)
    except Exception:  # noqa: BLE001 - an unreadable ladder must not keep the others in the future
        _log.exception("ladder not dated back", guild=ladder_id.guild, variant=ladder_id.variant)
