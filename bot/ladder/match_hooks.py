"""Updates ladders after moves and results of matches, in the transaction of the match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bot.core.events import Event, EventKind, parse_turn
from bot.core.match import Match
from bot.core.results import FinishedGame
from bot.ladder import rows as ladder_store
from bot.ladder.fold import annul_game, finish_game, reopen_game
from bot.ladder.rebuilding_rows import drop_derived, rebuild_rows
from bot.ladder.standing_rows import load_climbers, note_move
from bot.ladder.state import LadderId
from bot.store import Reader, Writer


async def note_moves(tx: Writer, before: Match, match: Match, events: Sequence[Event]) -> None:
    """Notes which climbers have moved, because a climber who moves is awake."""
    for mover, at in _moves_made(before, events):
        await note_move(tx, match.guild, mover, at)


def _moves_made(before: Match, events: Sequence[Event]) -> Iterator[tuple[int, int]]:
    """Yields each user who moved in those events, also by a plan, and the time. Moves by house players and forced moves
    do not count."""
    match = before
    for event in events:
        theirs = event.kind is EventKind.MOVED and not match.house_to_move and not parse_turn(event.body).auto
        if theirs and match.to_move is not None:
            yield match.to_move, event.at
        if event is not events[-1]:
            match = match.apply(event)


async def revise_ladder(tx: Writer, match: Match, old: FinishedGame | None, new: FinishedGame | None, now: int) -> None:
    """Updates the ladder after a change of the match's result."""
    if not match.ladder:
        return
    ladder_id = LadderId(match.guild, match.variant.key)
    if old and await ladder_store.has_finished(tx, ladder_id, match.id):
        await _revise_recorded(tx, ladder_id, match, now)
    if new and not match.annulled:  # also if a referee reopened the match and it has ended again
        ladder = await ladder_store.load_ladder(tx, ladder_id, (), [match.id])
        if entry := finish_game(ladder, new, now):
            await ladder_store.add_entry(tx, ladder_id, ladder, entry)


async def _revise_recorded(tx: Writer, ladder_id: LadderId, match: Match, now: int) -> None:
    """Rebuilds the ladder after a referee's decision about a game whose end the ladder has recorded."""
    ladder = await ladder_store.load_ladder(tx, ladder_id, ())
    revised = annul_game if match.annulled else reopen_game
    await ladder_store.append_entry(tx, ladder_id, revised(ladder, match.id, match.players, now))
    await rebuild_rows(tx, ladder_id)


async def rungs_of(reader: Reader, match: Match, users: Sequence[int]) -> Mapping[int, int]:
    """Returns the rungs of the users on the ladder of the match; empty if the match is no ladder game."""
    if not match.ladder:
        return {}
    climber_rows = await load_climbers(reader, LadderId(match.guild, match.variant.key), users)
    return {user: climber.step for user, (climber, _) in climber_rows.items()}


async def rebuild_ladders(tx: Writer, moved: Mapping[int, Mapping[int, int]]) -> Mapping[str, int]:
    """Rebuilds the rows of all ladders from their entries, and counts the ladders."""
    await drop_derived(tx)
    ladder_ids = await ladder_store.list_ladders(tx)
    for ladder_id in ladder_ids:
        await rebuild_rows(tx, ladder_id, moved.get(ladder_id.guild, {}))
    return {"ladders": len(ladder_ids)}
