"""What the end of a match brings besides: its result, ratings, steps. In the transaction of what has ended it.

Whatever happens to a match (it ends, is annulled, or goes on by a referee's decision), all that follows from it is made
anew from that place in the order of games on; mostly that is the one game.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.ladder import scores as results
from bot.ladder.ratings import NEW, capped, countable, rated
from bot.match.events import Event, EventKind, parse_turn
from bot.match.match import Match
from bot.match.results import Finished, tale
from bot.store import Writer
from bot.store import ladder as ladders
from bot.store import results as results_store
from bot.store.ladder_rows import LadderId
from bot.store.results import held, note_undone
from bot.store.standings import note_move

_DECISIVE = frozenset({EventKind.ENDED, EventKind.ANNULLED, EventKind.REWOUND})
"""The kinds of events behind which the result of a match is another."""


async def reckon(writer: Writer, before: Match, match: Match, events: Sequence[Event]) -> None:
    """Writes down what those events, which are written already, bring. `before` is the match without them."""
    first = events[0]  # only what comes first is somebody's own move; those behind it are played by themselves
    if first.kind is EventKind.MOVED and before.to_move is not None and not parse_turn(first.body).auto:
        await note_move(writer, match.guild, before.to_move, first.at)
    if any(event.kind in _DECISIVE for event in events):
        await judge(writer, match, events[-1].at)


async def judge(writer: Writer, match: Match, now: int) -> None:
    """Brings result, ratings and ladder into line with the match as it stands."""
    old = await results_store.result_of(writer, match.id)
    if old and old.has_result and match.annulled:
        before = await held(writer, match, old.users)
        await _judge(writer, match, old, now)
        await note_undone(writer, match.id, before, await held(writer, match, old.users))
    else:
        await _judge(writer, match, old, now)


async def _judge(writer: Writer, match: Match, old: Finished | None, now: int) -> None:
    told = tale(match.id, await writer.events(match.id)).result
    new = told.finished if told else None
    if old is None and new is None:
        return
    order = min(game.order for game in (old, new) if game)
    await unrate(writer, match.guild, match.variant.key, order)
    if told:
        await results_store.set_result(writer, told)
    else:
        await results_store.drop_result(writer, match.id)
    await rate(writer, match.guild, match.variant.key, order)
    if match.ladder:
        place = LadderId(match.guild, match.variant.key)
        if old is None and new:
            ladder = await ladders.load(writer, place, (), [match.id])
            if entry := results.finish(ladder, new, now):
                await ladders.add(writer, place, ladder, entry)
        elif await ladders.has_finished(writer, place, match.id):
            await _revise(writer, place, match, now)


async def unrate(writer: Writer, guild: int, variant: str, order: results_store.Order) -> None:
    """Takes back what the games from that place in the order on have made of ratings."""
    await results_store.set_ratings(
        writer, guild, variant, await results_store.take_changes(writer, guild, variant, order)
    )


async def rate(writer: Writer, guild: int, variant: str, order: results_store.Order) -> None:
    """Rates the games from that place in the order on, which must be unrated."""
    for game in await results_store.results_from(writer, guild, variant, order):
        if not countable(game) or capped(game, await results_store.rated_together(writer, game)):
            continue
        known = await results_store.ratings_of(writer, guild, variant, game.users)
        changes = rated(game, {user: known.get(user, NEW) for user in game.users})
        await results_store.add_changes(writer, game.match, changes)
        await results_store.set_ratings(
            writer, guild, variant, {user: change.after for user, change in changes.items()}
        )


async def _revise(writer: Writer, place: LadderId, match: Match, now: int) -> None:
    """A referee has decided something about a game whose end has come to the ladder: all of it is made anew."""
    ladder = await ladders.load(writer, place, ())
    revised = results.annul if match.annulled else results.reopen
    await ladders.append(writer, place, revised(ladder, match.id, match.players, now))
    await ladders.rebuild(writer, place, await ladders.moves(writer, place))
