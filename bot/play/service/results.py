"""Stores what follows from the end of a match (result, ratings, rungs), in the transaction that ends it.

When a match ends, is annulled or is reopened by a referee, everything derived is recomputed from its position in the
order of games on; usually that is one game.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from bot.core.events import Event, EventKind, parse_turn
from bot.core.match import Match, Phase
from bot.core.ratings import NEW_RATING, Rating, is_capped, is_countable, rate_all_games, rate_game
from bot.core.results import FinishedGame, derive_results
from bot.ladder import rows as ladder_store
from bot.ladder import scores
from bot.ladder.row_codec import LadderId
from bot.ladder.standing_rows import note_move
from bot.privacy.rows import note_rerated
from bot.store import Store, Writer
from bot.store import results as results_store
from bot.store.results import note_undone, ratings_and_steps
from bot.store.upkeep import drop_derived, matches_begun, snapshot_derived

_RESULT_EVENTS = frozenset({EventKind.ENDED, EventKind.ANNULLED, EventKind.REWOUND})
"""The kinds of events after which the result of a match is another."""


async def update_results(tx: Writer, before: Match, match: Match, events: Sequence[Event]) -> None:
    """Stores what follows from events that are stored already. `before` is the match without them."""
    for mover, at in _moves_made(before, events):
        await note_move(tx, match.guild, mover, at)
    if any(event.kind in _RESULT_EVENTS for event in events):
        await revise_results(tx, match, events[-1].at)


def _moves_made(before: Match, events: Sequence[Event]) -> Iterator[tuple[int, int]]:
    """Who has made a move by those events, and when, or had planned it. Not whose only one it was, nor the house."""
    match = before
    for event in events:
        theirs = event.kind is EventKind.MOVED and not match.house_to_move and not parse_turn(event.body).auto
        if theirs and match.to_move is not None:
            yield match.to_move, event.at
        if event is not events[-1]:
            match = match.apply(event)


async def revise_results(tx: Writer, match: Match, now: int) -> None:
    """Brings result, ratings and ladder into line with the match as it stands."""
    old = await results_store.result_of(tx, match.id)
    if old and old.has_result and match.annulled:
        before = await ratings_and_steps(tx, match, old.users_concerned)
        await _revise_from_match(tx, match, old, now)
        await note_undone(tx, match.id, before, await ratings_and_steps(tx, match, old.users_concerned))
    else:
        await _revise_from_match(tx, match, old, now)


async def _revise_from_match(tx: Writer, match: Match, old: FinishedGame | None, now: int) -> None:
    result = derive_results(match.id, await tx.load_events(match.id)).result
    new = result.finished if result else None
    if old is None and new is None:
        return
    order = min(game.rating_order for game in (old, new) if game)
    await unrate_from(tx, match.guild, match.variant.key, order)
    if result:
        await results_store.set_result(tx, result)
    else:
        await results_store.drop_result(tx, match.id)
    await rate_from(tx, match.guild, match.variant.key, order)
    if match.ladder:
        place = LadderId(match.guild, match.variant.key)
        if old and await ladder_store.has_finished(tx, place, match.id):
            await _revise_ladder(tx, place, match, now)
        if new and not match.annulled:  # also one that goes on by a referee's decision, and ends again with it
            ladder = await ladder_store.load_ladder(tx, place, (), [match.id])
            if entry := scores.finish_game(ladder, new, now):
                await ladder_store.add_entry(tx, place, ladder, entry)


async def rerate_variant(tx: Writer, guild: int, variant: str) -> None:
    """Rates all games of a server and variant again."""
    await results_store.drop_ratings(tx, guild, variant)
    await rate_from(tx, guild, variant, (0, 0))


async def unrate_from(tx: Writer, guild: int, variant: str, order: results_store.GameOrder) -> None:
    """Takes back what the games from that place in the order on have made of ratings."""
    before = await results_store.take_back_changes(tx, guild, variant, order)
    if before:
        await results_store.set_ratings(tx, guild, variant, before)
        await note_rerated(tx, guild, variant)


async def rate_from(tx: Writer, guild: int, variant: str, order: results_store.GameOrder) -> None:
    """Rates the games from that place in the order on, which must be unrated."""
    for game in await results_store.results_from(tx, guild, variant, order):
        if not is_countable(game) or is_capped(game, await results_store.rated_together(tx, game)):
            continue
        ratings = await results_store.ratings_of(tx, guild, variant, game.users_concerned)
        changes = rate_game(game, {user: ratings.get(user, NEW_RATING) for user in game.users_concerned})
        await results_store.add_changes(tx, game.match, changes)
        await results_store.set_ratings(tx, guild, variant, {user: change.after for user, change in changes.items()})


async def _revise_ladder(tx: Writer, place: LadderId, match: Match, now: int) -> None:
    """Rebuilds the ladder after a referee's decision about a game whose end the ladder has recorded."""
    ladder = await ladder_store.load_ladder(tx, place, ())
    revised = scores.annul_game if match.annulled else scores.reopen_game
    await ladder_store.append_entry(tx, place, revised(ladder, match.id, match.players, now))
    await ladder_store.rebuild_rows(tx, place, await ladder_store.last_moves(tx, place))


# Rebuilding everything


class RebuildReport(NamedTuple):
    """What a rebuild has looked at, and where it does not agree with what was stored."""

    games: int
    ratings: int
    ladders: int
    differing: Mapping[str, int]
    """By table, the rows that were stored otherwise, too many or missing. Empty where all agree to the last digit."""


class _RollbackError(Exception):
    """Undoes a rebuild that was only to be compared."""


class Results:
    """Rebuilds everything derived from finished games, to compare it with the stored rows or to repair them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def rebuild_all(self, *, write: bool) -> RebuildReport:
        """Compares all that is derived with what comes out of the stories of matches and ladders. It may take minutes.

        With `write`, that is in its place afterwards.
        """
        with suppress(_RollbackError):
            async with self._store.write_transaction() as tx:
                report = await _rebuild_derived(tx)
                if not write:
                    raise _RollbackError
        return report


async def _rebuild_derived(tx: Writer) -> RebuildReport:
    before = await snapshot_derived(tx)
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
    places = await ladder_store.list_ladders(tx)
    for place in places:
        await ladder_store.rebuild_rows(tx, place, moved[place.guild])
    after = await snapshot_derived(tx)
    differing = {table: len(before[table] ^ after[table]) for table in before if before[table] != after[table]}
    return RebuildReport(games, rated, len(places), differing)


async def _rate_all(tx: Writer) -> int:
    """How many people are rated, each server and variant counting by itself."""
    ratings: dict[tuple[int, str], dict[int, Rating]] = defaultdict(dict)
    for game, changes in rate_all_games(await results_store.all_results(tx)):
        await results_store.add_changes(tx, game.match, changes)
        ratings[game.guild, game.variant] |= {user: change.after for user, change in changes.items()}
    for (guild, variant), known_ratings in ratings.items():
        await results_store.set_ratings(tx, guild, variant, known_ratings)
    return sum(map(len, ratings.values()))
