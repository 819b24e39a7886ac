"""The writer: changes to the database within a transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bot.core.deadlines import NO_PEOPLE, PeopleById, next_tick_at, time_runs_out_at
from bot.core.events import NEWSWORTHY_EVENTS, SEATING_EVENTS, Event, EventKind
from bot.core.listings import MessageRef
from bot.core.match import Match, Phase
from bot.core.running_positions import describe_present, number_closed_to_all
from bot.store.connection import Row, Statement, insert_statement, upsert_statement
from bot.store.reading import Reader, draft_key


class Writer(Reader):
    """Changes to the database within a transaction. Its queries see its own changes."""

    async def run_batch(self, statements: Sequence[Statement]) -> None:
        """Runs statements of the store's modules that return nothing, one after the other."""
        await self._connection.run_batch(statements)

    async def insert_rows(self, table: str, rows: Sequence[Row]) -> None:
        """Adds whole rows to a table, many at a time."""
        await self._connection.insert_rows(table, rows)

    async def set_last_number(self, table: str, number: int) -> None:
        """Makes the table's numbering continue after `number`."""
        await self._connection.set_last_number(table, number)

    async def add_match(self, match: Match, events: Sequence[Event], people: PeopleById = NO_PEOPLE) -> int:
        """Stores a new match with its events, ignoring its `id`, and returns its number.

        `people` are its players, because the deadline depends on their habits.
        """
        sql, values = insert_statement("matches", _derived_columns(match, events, people))
        [(match_id,)] = await self.run_sql(f"{sql} RETURNING id", values)
        await self.run_batch(_event_statements(match_id, match, events))
        return int(match_id)

    async def append_events(self, match: Match, events: Sequence[Event], people: PeopleById = NO_PEOPLE) -> None:
        """Appends events to a match. `match` is the match after these events; `people` as in `add_match`."""
        if not events:
            return
        update_sql = (
            "UPDATE matches SET channel = :channel, thread = :thread, phase = :phase, to_move = :to_move, ply = :ply,"
            " seq = :seq, newsworthy = max(newsworthy, :newsworthy), moved_at = :moved_at, deadline = :deadline,"
            " flag = :flag, updated = :updated, title = :title, homeless = :homeless,"
            " present = :present, position = :position,"
            # A reopened game will end differently, so it is searched for puzzles again.
            " milled = CASE :phase WHEN 'over' THEN milled ELSE 0 END WHERE id = :id"
        )
        values = {"id": match.id, **_derived_columns(match, events, people)}
        await self.run_batch([(update_sql, values), *_event_statements(match.id, match, events)])

    async def set_deadlines(self, match: Match, people: PeopleById) -> None:
        """Updates the deadlines of a match after a change of a player's habits."""
        await self.run_sql(
            "UPDATE matches SET deadline = ?, flag = ? WHERE id = ?",
            (next_tick_at(match, people), time_runs_out_at(match, people), match.id),
        )

    async def set_table_post(self, match_id: int, post: MessageRef) -> None:
        """Notes which message shows the table."""
        await self.run_sql(
            "UPDATE matches SET table_channel = ?, table_message = ? WHERE id = ?",
            (post.channel, post.message, match_id),
        )

    async def set_turn_post(self, match_id: int, post: MessageRef) -> None:
        """Notes which message shows the latest turn."""
        await self.run_sql(
            "UPDATE matches SET turn_channel = ?, turn_message = ? WHERE id = ?", (post.channel, post.message, match_id)
        )

    async def mark_announced(self, match_id: int, seq: int, turn: MessageRef | None = None) -> None:
        """Notes that everything up to an event has been announced; by the message `turn`, if that shows a board."""
        await self.run_sql(
            "UPDATE matches SET announced = max(announced, ?), turn_channel = coalesce(?, turn_channel),"
            " turn_message = coalesce(?, turn_message) WHERE id = ?",
            (seq, *(turn or (None, None)), match_id),
        )

    async def set_meta(self, key: str, value: str | None) -> None:
        """Stores a note under a key, replacing an earlier one; None deletes it."""
        if value is None:
            await self.run_sql("DELETE FROM meta WHERE key = ?", (key,))
            return
        await self.run_sql(*upsert_statement("meta", {"key": key}, {"value": value}))

    async def set_draft(self, match_id: int, draft: str) -> None:
        """Stores a draft move, which is deleted when a move is made or the game is over."""
        await self.set_meta(draft_key(match_id), draft)

    async def set_preference(self, user: int, key: str, value: str) -> None:
        """Stores a user's preference, replacing an earlier choice."""
        await self.run_sql(*upsert_statement("preferences", {"user": user, "key": key}, {"value": value}))


def _derived_columns(match: Match, events: Sequence[Event], people: PeopleById) -> dict[str, Any]:
    """Returns the derived columns of a match after those events."""
    return {
        "guild": match.guild,
        "channel": match.channel,
        "thread": match.thread,
        "variant": match.variant.key,
        "phase": match.phase.value,
        "to_move": match.to_move,
        "ply": match.ply,
        "seq": match.seq,
        "newsworthy": max((event.seq for event in events if event.kind in NEWSWORTHY_EVENTS), default=0),
        "moved_at": match.moved_at,
        "deadline": next_tick_at(match, people),
        "flag": time_runs_out_at(match, people),
        "updated": events[-1].at,
        "title": match.title,
        "homeless": match.has_lost_channel,
        "present": describe_present(match),
        "position": number_closed_to_all(match),
    }


def _event_statements(match_id: int, match: Match, events: Sequence[Event]) -> list[Statement]:
    """Returns the statements that store events, and the seats after these events."""
    statements = [
        insert_statement("events", {"match": match_id, **asdict(event), "kind": event.kind.value}) for event in events
    ]
    if any(event.kind in SEATING_EVENTS for event in events):
        statements.append(("DELETE FROM players WHERE match = ?", (match_id,)))
        statements += [
            insert_statement(
                "players", {"match": match_id, "user": user, "seat": seat, "resigned": user in match.resigned_users}
            )
            for seat, user in enumerate(match.players or match.joined)
        ]
    if match.phase is not Phase.LIVE or any(event.kind is EventKind.MOVED for event in events):
        statements.append(("DELETE FROM meta WHERE key = ?", (draft_key(match_id),)))
    if any(event.kind is not EventKind.MOVED for event in events):  # a move that ends the game comes with ENDED
        ended = match.phase in (Phase.OVER, Phase.CLOSED)
        statements.append(("UPDATE players SET ended = ? WHERE match = ? AND ended <> ?", (ended, match_id, ended)))
    return statements
