"""Repairs events that a wrong clock dated in the future: redates them to now, and logs that.

Without this repair, an absence that ends next year would stop all clocks until then, and a turn that begins in the
future would use no time.
"""

from __future__ import annotations

import structlog

from bot.core.results import derive_results
from bot.play.service.matches import Matches
from bot.play.service.results import rerate_variant
from bot.store import wrong_dates as future_store
from bot.store.results import set_result

_log = structlog.get_logger()

FUTURE_SLACK_S = 5 * 60
"""Seconds by which a date may be ahead, because the clocks of several workers differ a little."""


async def cut_future(matches: Matches, now: int) -> None:
    """Redates everything dated in the future to `now`, and recomputes deadlines.

    Uses one transaction for each match, so others can run in between. After a crash, the next call completes the work;
    repeating it is harmless.
    """
    store, after = matches.store, now + FUTURE_SLACK_S
    async with store.write_transaction() as tx:
        spans = await future_store.cut_absences(tx, after, now)
        rows = await future_store.cut_other_rows(tx, matches.tables, after, now)
    match_ids = await future_store.find_future_matches(store.reader, after)
    for match_id in match_ids:
        await _cut_match(matches, match_id, after, now)
    counts: dict[str, int] = {}
    for feature in matches.features:
        counts |= await feature.cut_future(matches, after, now)
    if await future_store.has_old_deadlines(store.reader):
        await _renew_deadlines(matches, now)
    counts |= {"matches": len(match_ids), "absences": spans, "others": rows}
    if any(counts.values()):
        _log.warning("dated in the future, cut to now", now=now, **counts)


async def _cut_match(matches: Matches, match_id: int, after: int, now: int) -> None:
    """Redates the events of a match later than `after` to `now`, and rebuilds what is derived from them."""
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
    except Exception:  # noqa: BLE001 - an unreadable match must not prevent the repair of the others
        _log.exception("match not dated back", match=match_id)
        return
    matches.drop_from_cache(match_id)  # the cached match has the old dates


async def _renew_deadlines(matches: Matches, now: int) -> None:
    """Recomputes the deadlines of all matches and features, after absences and vacations have changed."""
    for match_id in await future_store.unfinished_matches(matches.store.reader):
        try:
            async with matches.store.write_transaction() as tx:
                match = await matches.load_match(tx, match_id)
                await tx.set_deadlines(match, await matches.presence.load_players(tx, match))
        except Exception:  # noqa: BLE001 - as above
            _log.exception("match not looked at", match=match_id)
    for feature in matches.features:
        await feature.renew_deadlines(matches, now)
    async with matches.store.write_transaction() as tx:
        await future_store.clear_old_deadlines(tx)
