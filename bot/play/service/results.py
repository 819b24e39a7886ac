"""Stores what a match's end brings (result and ratings), in the transaction that ends the match.

When a match ends, or when a referee annuls or reopens it, everything derived from it and from all later games is
computed again. Usually that is just the one game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bot.core.events import Event, EventKind
from bot.core.match import Match
from bot.core.ratings import is_capped, is_countable, rate_game
from bot.core.results import FinishedGame, derive_results
from bot.store import Writer
from bot.store import results as results_store
from bot.store.people import note_rerated

_RESULT_EVENTS = frozenset({EventKind.ENDED, EventKind.ANNULLED, EventKind.REWOUND})
"""The kinds of events that change the result of a match."""


class ResultChange(NamedTuple):
    """The result of a match before and after its end, its annulment or its reopening; None while it has none."""

    old: FinishedGame | None
    new: FinishedGame | None


async def revise_results(tx: Writer, match: Match, events: Sequence[Event]) -> ResultChange | None:
    """Makes the result and the ratings agree with the match after those events. None if they do not concern them."""
    if not any(event.kind in _RESULT_EVENTS for event in events):
        return None
    old = await results_store.result_of(tx, match.id)
    result = derive_results(match.id, await tx.load_events(match.id)).result
    new = result.finished if result else None
    if old is None and new is None:
        return None
    scope = match.guild, match.variant.key
    order = min((game.ended_at, game.match) for game in (old, new) if game)
    if unrated := await results_store.take_back_changes(tx, *scope, order):
        await results_store.set_ratings(tx, *scope, unrated)
        await note_rerated(tx, *scope)
    if result:
        await results_store.set_result(tx, result)
    else:
        await results_store.drop_result(tx, match.id)
    await rate_from(tx, *scope, order)
    return ResultChange(old, new)


async def rate_from(tx: Writer, guild: int, variant: str, order: results_store.GameOrder) -> None:
    """Rates that game and all later games, which must be unrated."""
    games = [game for game in await results_store.results_from(tx, guild, variant, order) if is_countable(game)]
    users = {user for game in games for user in game.users_concerned}
    ratings = await results_store.ratings_of(tx, guild, variant, users)
    for game in games:
        if not is_capped(game, await results_store.rated_together(tx, game)):
            changes = rate_game(game, ratings)
            await results_store.add_changes(tx, game.match, changes)
            ratings |= {user: change.after for user, change in changes.items()}
    await results_store.set_ratings(tx, guild, variant, ratings)
