"""Stores the consequences of a match's end (result and ratings), in the transaction that ends the match.

When a match ends, or when a referee annuls or reopens it, everything derived from it and from all later games is
computed again. Usually that is just the one game.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from bot.core.events import Event, EventKind
from bot.core.match import Match, Phase
from bot.core.ratings import NEW_RATING, Rating, is_capped, is_countable, rate_all_games, rate_game
from bot.core.results import FinishedGame, RungChanges, derive_results
from bot.store import Reader, Store, Writer
from bot.store import results as results_store
from bot.store.database_tables import Table
from bot.store.people import note_rerated
from bot.store.results import (
    drop_derived,
    matches_begun,
    note_undone,
    snapshot_derived,
)

_RESULT_EVENTS = frozenset({EventKind.ENDED, EventKind.ANNULLED, EventKind.REWOUND})
"""The kinds of events that change the result of a match."""


AfterResult = Callable[[Writer, Match, FinishedGame | None, FinishedGame | None, int], Awaitable[RungChanges | None]]
"""Stores the consequences of a match's result, given the match, its old and its new result, and the time. Returns the
rungs before and after it if a referee has annulled the match."""

RungsByVariant = Callable[[Reader, int, int], Awaitable[Mapping[str, int]]]
"""Returns the rungs of a user in a server, by variant, given the server and the user."""

RebuildRows = Callable[[Writer, Mapping[int, Mapping[int, int]]], Awaitable[Mapping[str, int]]]
"""Rebuilds rows, given the times of last moves by server and user. Returns the number of rebuilt things by kind."""


async def read_nothing(*_: object) -> Any:
    """Does nothing and returns an empty mapping, which also stands for no rows, lines, words or buttons."""
    return {}


@dataclass(frozen=True)
class ResultHooks:
    """The hooks of a feature about results. They run in the transaction that changes the result."""

    after_result: AfterResult = read_nothing
    """Called when a match ends, is annulled or is reopened, once its result and the ratings are stored."""
    rungs_by_variant: RungsByVariant = read_nothing
    """Called for a person's profile."""
    rebuild: RebuildRows = read_nothing
    """Called after results and ratings have been rebuilt from the events of all matches."""


async def update_results(tx: Writer, hooks: Sequence[ResultHooks], match: Match, events: Sequence[Event]) -> None:
    """Stores the consequences of events that are already stored."""
    if any(event.kind in _RESULT_EVENTS for event in events):
        await revise_results(tx, hooks, match, events[-1].at)


async def revise_results(tx: Writer, hooks: Sequence[ResultHooks], match: Match, now: int) -> None:
    """Makes the result, the ratings and everything derived from them agree with the current state of the match."""
    old = await results_store.result_of(tx, match.id)
    result = derive_results(match.id, await tx.load_events(match.id)).result
    new = result.finished if result else None
    if old is None and new is None:
        return
    undone_for = old.users_concerned if old and old.has_result and match.annulled else ()
    place = match.guild, match.variant.key
    before = await results_store.ratings_of(tx, *place, undone_for) if undone_for else {}
    order = min(game.rating_order for game in (old, new) if game)
    await unrate_from(tx, *place, order)
    if result:
        await results_store.set_result(tx, result)
    else:
        await results_store.drop_result(tx, match.id)
    await rate_from(tx, *place, order)
    rungs: dict[int, tuple[int | None, int]] = {}
    for hook in hooks:
        rungs |= await hook.after_result(tx, match, old, new, now) or {}
    if undone_for:
        after = await results_store.ratings_of(tx, *place, undone_for)
        await note_undone(tx, match.id, undone_for, (before, after), rungs)


async def rerate_variant(tx: Writer, guild: int, variant: str) -> None:
    """Rates all games of a server and variant again."""
    await results_store.drop_ratings(tx, guild, variant)
    await rate_from(tx, guild, variant, (0, 0))


async def unrate_from(tx: Writer, guild: int, variant: str, order: results_store.GameOrder) -> None:
    """Undoes the rating changes of that game and of all later games."""
    before = await results_store.take_back_changes(tx, guild, variant, order)
    if before:
        await results_store.set_ratings(tx, guild, variant, before)
        await note_rerated(tx, guild, variant)


async def rate_from(tx: Writer, guild: int, variant: str, order: results_store.GameOrder) -> None:
    """Rates that game and all later games, which must be unrated."""
    for game in await results_store.results_from(tx, guild, variant, order):
        if not is_countable(game) or is_capped(game, await results_store.rated_together(tx, game)):
            continue
        ratings = await results_store.ratings_of(tx, guild, variant, game.users_concerned)
        changes = rate_game(game, {user: ratings.get(user, NEW_RATING) for user in game.users_concerned})
        await results_store.add_changes(tx, game.match, changes)
        await results_store.set_ratings(tx, guild, variant, {user: change.after for user, change in changes.items()})


# Rebuilding everything


class RebuildReport(NamedTuple):
    """The counts of a rebuild, and how many of the stored rows were wrong."""

    games: int
    ratings: int
    others: Mapping[str, int]
    """The number of things that features have rebuilt, by kind, such as "ladders"."""
    differing: Mapping[str, int]
    """By table, the number of wrong, missing and superfluous stored rows. Empty if all agree to the last digit."""


class _RollbackError(Exception):
    """Undoes a rebuild that was made only to compare."""


async def rebuild_all(
    store: Store, hooks: Sequence[ResultHooks], tables: Sequence[Table], *, write: bool
) -> RebuildReport:
    """Computes everything derived from the events of matches and ladders again, and compares it with the stored rows.
    With `write`, also replaces them. May take minutes.
    """
    with suppress(_RollbackError):
        async with store.write_transaction() as tx:
            report = await _rebuild_derived(tx, hooks, tables)
            if not write:
                raise _RollbackError
    return report


async def _rebuild_derived(tx: Writer, hooks: Sequence[ResultHooks], tables: Sequence[Table]) -> RebuildReport:
    before = await snapshot_derived(tx, tables)
    await drop_derived(tx)
    moved: dict[int, dict[int, int]] = defaultdict(dict)
    games = 0
    for match_id, guild, phase in await matches_begun(tx):
        derived = derive_results(match_id, await tx.load_events(match_id))
        for user, at in derived.moved.items():
            moved[guild][user] = max(at, moved[guild].get(user, 0))
        assert (derived.result is None) == (phase is not Phase.OVER), match_id
        if derived.result:
            games += 1
            await results_store.set_result(tx, derived.result)
    rated = await _rate_all(tx)
    others: dict[str, int] = {}
    for hook in hooks:
        others |= await hook.rebuild(tx, moved)
    after = await snapshot_derived(tx, tables)
    differing = {table: len(before[table] ^ after[table]) for table in before if before[table] != after[table]}
    return RebuildReport(games, rated, others, differing)


async def _rate_all(tx: Writer) -> int:
    """Rates everything. Returns the number of rated people, counted once for each server and variant."""
    ratings: dict[tuple[int, str], dict[int, Rating]] = defaultdict(dict)
    for game, changes in rate_all_games(await results_store.all_results(tx)):
        await results_store.add_changes(tx, game.match, changes)
        ratings[game.guild, game.variant] |= {user: change.after for user, change in changes.items()}
    for (guild, variant), known_ratings in ratings.items():
        await results_store.set_ratings(tx, guild, variant, known_ratings)
    return sum(map(len, ratings.values()))
