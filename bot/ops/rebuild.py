"""Computes all that is derived from the events of matches and ladders again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from bot.core.match import Phase
from bot.core.results import derive_results
from bot.ladder.rows import rebuild_ladders
from bot.play.service import Service
from bot.play.service.results import rate_from
from bot.store import Writer
from bot.store import results as results_store


class RebuildReport(NamedTuple):
    """The counts of a rebuild, and how many of the stored rows were wrong."""

    games: int
    ratings: int
    ladders: int
    differing: Mapping[str, int]
    """By table, the number of wrong, missing and superfluous stored rows. Empty if all agree to the last digit."""


class _RollbackError(Exception):
    """Undoes a rebuild that was made only to compare."""


async def rebuild_all(service: Service, *, write: bool) -> RebuildReport:
    """Computes everything derived from the events of matches and ladders again, and compares it with the stored rows.
    With `write`, also replaces them. May take minutes.
    """
    with suppress(_RollbackError):
        async with service.store.write_transaction() as tx:
            report = await _rebuild_derived(service, tx)
            if not write:
                raise _RollbackError
    return report


async def _rebuild_derived(service: Service, tx: Writer) -> RebuildReport:
    before = await results_store.snapshot_derived(tx, service.database_tables)
    await results_store.drop_derived(tx)
    moved: dict[int, dict[int, int]] = defaultdict(dict)
    games, rated, scopes = 0, 0, set[tuple[int, str]]()
    for match_id, guild, phase in await results_store.matches_begun(tx):
        derived = derive_results(match_id, await tx.load_events(match_id))
        for user, at in derived.moved.items():
            moved[guild][user] = max(at, moved[guild].get(user, 0))
        assert (derived.result is None) == (phase is not Phase.OVER), match_id
        if derived.result:
            games += 1
            scopes.add((guild, derived.result.finished.variant))
            await results_store.set_result(tx, derived.result)
    for scope in sorted(scopes):
        await rate_from(tx, *scope, (0, 0))
        rated += len(await results_store.ratings_of(tx, *scope))
    ladders = await rebuild_ladders(tx, moved)
    after = await results_store.snapshot_derived(tx, service.database_tables)
    differing = {table: len(before[table] ^ after[table]) for table in before if before[table] != after[table]}
    return RebuildReport(games, rated, ladders, differing)
