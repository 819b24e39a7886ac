"""Repairs what a wrong clock has dated in the future: it is dated now and logged.

Nothing else would ever repair it: in an absence that ends next year no clock would run, and a turn that begins in the
future would use no time.
"""

from __future__ import annotations

import structlog

from bot.core.results import derive_results
from bot.ladder import rows as ladder_store
from bot.ladder.row_codec import LadderId
from bot.play.service.matches import Matches
from bot.play.service.results import rerate_variant
from bot.store import future as future_store
from bot.store.results import set_result

_log = structlog.get_logger()

FUTURE_SLACK_S = 5 * 60
"""Seconds that a date may be ahead: clocks of several workers differ a little."""


async def cut_future(matches: Matches, now: int) -> None:
    """Dates everything now that is dated in the future, and recomputes deadlines.

    Uses one transaction for each match and ladder, so others can run in between. The next call completes what a crash
    interrupted; repeating it is harmless.
    """
    store, after = matches.store, now + FUTURE_SLACK_S
    async with store.write_transaction() as tx:
        spans = await future_store.cut_absences(tx, after, now)
        rows = await future_store.cut_other_rows(tx, after, now)
    found = await future_store.find_future_matches(store.reader, after)
    for match_id in found:
        await _cut_match(matches, match_id, after, now)
    ladders = await future_store.find_future_ladders(store.reader, after)
    for place in ladders:
        await _cut_ladder(matches, place, after, now)
    if await future_store.has_old_deadlines(store.reader):
        await _renew_deadlines(matches, now)
    if spans or rows or found or ladders:
        counts = {"matches": len(found), "ladders": len(ladders), "absences": spans, "others": rows}
        _log.warning("dated in the future, cut to now", now=now, **counts)


async def _cut_match(matches: Matches, match_id: int, after: int, now: int) -> None:
    """Dates the future events of a match now, and rebuilds what is derived from them."""
    try:
        async with matches.store.write_transaction() as tx:
            story = await future_store.date_match_back(tx, match_id, after, now)
            derived = derive_results(match_id, story)
            match = derived.match
            await future_store.set_match_dates(tx, match_id, match.moved_at, story[-1].at)
            await tx.set_deadlines(match, await matches.presence.load_players(tx, match))
            if derived.result:
                await set_result(tx, derived.result)
                await rerate_variant(tx, match.guild, match.variant.key)
    except Exception:  # noqa: BLE001 - one match that cannot be read must not keep the others in the future
        _log.exception("match not dated back", match=match_id)
        return
    matches.drop_from_cache(match_id)  # the cached match has the old dates


async def _cut_ladder(matches: Matches, place: LadderId, after: int, now: int) -> None:
    """Dates the future entries of a ladder now, and rebuilds the ladder."""
    try:
        async with matches.store.write_transaction() as tx:
            await future_store.date_ladder_back(tx, place, after, now)
            await ladder_store.rebuild_rows(tx, place, await ladder_store.last_moves(tx, place))
    except Exception:  # noqa: BLE001 - nor may one ladder
        _log.exception("ladder not dated back", guild=place.guild, variant=place.variant)


async def _renew_deadlines(matches: Matches, now: int) -> None:
    """Recomputes the deadlines of all matches and ladders after changes of absences and vacations."""
    for match_id in await future_store.unfinished_matches(matches.store.reader):
        try:
            async with matches.store.write_transaction() as tx:
                match = await matches.load_match(tx, match_id)
                await tx.set_deadlines(match, await matches.presence.load_players(tx, match))
        except Exception:  # noqa: BLE001 - as above
            _log.exception("match not looked at", match=match_id)
    for place in await ladder_store.list_ladders(
        matches.store.reader, f"wake IS NOT NULL{matches.store.share.guild_filter_sql()}"
    ):
        async with matches.store.write_transaction() as tx:
            await ladder_store.set_next_tick(tx, place, now)
    async with matches.store.write_transaction() as tx:
        await future_store.clear_old_deadlines(tx)
