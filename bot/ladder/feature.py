"""The hooks of ladders into the bot: after moves and results of matches, for a person's data, and the list of all."""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.events import Event, EventKind, parse_turn
from bot.core.fold import fold_event
from bot.core.match import Match
from bot.ladder import commands, profile_commands, sheets, words
from bot.ladder import rows as ladder_store
from bot.ladder.posts import LadderAnnouncer, add_ladder_notes, close_challenge
from bot.ladder.service import tick_ladders
from bot.ladder.state import EntryKind, LadderId, finish_game
from bot.play.context import Feature, JobKind, OnTick, Posting
from bot.play.service.matches import Service
from bot.play.service.results import ResultChange
from bot.store import Writer
from bot.store.database_tables import Table


async def follow_match(
    tx: Writer, before: Match, match: Match, events: Sequence[Event], change: ResultChange | None
) -> None:
    """Notes which climbers have moved, also by a plan, because a climber who moves is awake. Moves by house players and
    forced moves do not count. Then updates the ladder after a change of the match's result."""
    stage = before
    for event in events:
        theirs = event.kind is EventKind.MOVED and not stage.house_to_move and not parse_turn(event.body).auto
        if theirs and stage.to_move is not None:
            await ladder_store.note_move(tx, match.guild, stage.to_move, event.at)
        if event is not events[-1]:
            stage = fold_event(stage, event)
    if change and match.terms.ladder:
        await _revise_ladder(tx, match, change, events[-1].at)


async def _revise_ladder(tx: Writer, match: Match, change: ResultChange, now: int) -> None:
    """Updates the ladder after a change of the match's result."""
    ladder_id = LadderId(match.guild, match.variant.key)
    ladder = await ladder_store.load_ladder(tx, ladder_id)
    if change.old and await ladder_store.rungs_moved_by(tx, match):  # annulled or reopened by a referee
        kind = EntryKind.ANNULLED if match.annulled else EntryKind.REOPENED
        entry = ladder.next_entry(now, kind, match.players, (match.id,))
        await tx.run_batch([ladder_store.write_entry(ladder_id, entry, {})])
        ladder = await ladder_store.rebuild_state(tx, ladder_id)
    if change.new and not match.annulled and (finished := finish_game(ladder, change.new, now)):
        await ladder_store.add_entry(tx, ladder_id, ladder, finished)


async def leave_all(service: Service, user: int, now: int) -> None:
    """Takes the user off each ladder, so that no queue pairs them while their games are being forgotten."""
    for ladder_id in await ladder_store.ladders_climbed(service.reader, user):
        async with service.store.write_transaction() as tx:
            await _leave_ladder(tx, ladder_id, user, now)


async def _leave_ladder(tx: Writer, ladder_id: LadderId, user: int, now: int) -> None:
    """Takes the user off that ladder, even during a game: a game of three continues without them."""
    ladder = await ladder_store.load_ladder(tx, ladder_id)
    if ladder.active_climber(user):
        await ladder_store.add_entry(tx, ladder_id, ladder, ladder.next_entry(now, EntryKind.LEFT, (user,)))


async def replace_person(service: Service, user: int, stand_in: int, now: int) -> None:
    """Replaces the user in the entries of each ladder, in one transaction per ladder."""
    for ladder_id in await ladder_store.ladders_climbed(service.reader, user):
        async with service.store.write_transaction() as tx:
            await _leave_ladder(tx, ladder_id, user, now)  # if they have joined it again
            await ladder_store.forget_in_ladder(tx, ladder_id, user, stand_in)
            await ladder_store.rebuild_state(tx, ladder_id)


LADDER = Feature(
    modules=(commands, profile_commands, sheets, words),
    after_events=follow_match,
    database_tables=(
        Table("ladder_entries", ("guild", "variant", "seq"), of_server=True, lists_servers=True),
        Table(
            "ladders",
            ("guild", "variant"),
            of_server=True,
            lists_servers=True,
            places_sql=ladder_store.LADDER_PLACES_SQL,
        ),
        Table("climbers", ("guild", "variant", "user"), of_server=True, is_derived=True),
    ),
    export_person=ladder_store.export_person,
    leave_all=leave_all,
    replace_person=replace_person,
    work=(
        OnTick("ladders", lambda context, now: tick_ladders(context.service, now)),
        JobKind("challenge", close_challenge, is_edit=True),
        Posting("news of ladders", LadderAnnouncer),
    ),
    add_notes=add_ladder_notes,
)
