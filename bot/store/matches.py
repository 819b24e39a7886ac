"""The reader and the writer: queries about matches, players and notes, and changes to them within a transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, cast

from bot.core.clock import FOREVER
from bot.core.deadlines import NO_PEOPLE, PeopleById, next_tick_at, time_runs_out_at
from bot.core.events import LARGEST_STORED_INT, NEWSWORTHY_EVENTS, Event, EventKind
from bot.core.match import Match, MatchSummary, MessageRef, Phase, Place
from bot.core.running_positions import describe_present, number_closed_to_all
from bot.store.connection import (
    Connection,
    Row,
    SqlValues,
    Statement,
    insert_statement,
    update_statement,
    upsert_statement,
)
from bot.store.rows import MakeStored, Stored, columns_of, read_as, values_of
from rules import VARIANTS

MAX_SUMMARIES = 200
"""The most games in a list."""

_LATEST_GAMES = 1000
"""The number of games read for a list of a person's: of those that are not over, the latest, and as many others."""


class MatchHead(NamedTuple):
    """The numbers of a match's last event, of the last event to announce, and of the last announced event."""

    seq: int
    newsworthy: int
    announced: int


class MatchPosts(NamedTuple):
    """The messages of a match that have buttons: those of the table and of the latest turn."""

    table: MessageRef | None
    turn: MessageRef | None


class Job(NamedTuple):
    """Something to be done once, outside the transaction that asks for it: see `bot.play.announcing.ticker`."""

    kind: str
    key: str
    """What it is about. Asked for twice, it is still one job."""
    guild: int
    match: int | None = None
    """The match with which it is deleted."""
    due_at: int | None = None
    """When it is due; None until something asks for it."""
    note: str = ""
    tries: int = 0
    """How often it has been put off since it was last asked for."""
    why: str = ""
    """Why it was put off last, for operators."""
    requests: int = 1
    """How often it has been asked for. A request while it runs has it run again."""

    @classmethod
    def of_match(cls, kind: str, match: Match, channel: int, due_at: int) -> Job:
        """Returns the job to edit something in a channel after a change of the match."""
        return cls(kind, f"{channel}:{match.id}", match.guild, match.id, due_at)


REACHABLE_SQL = "guild NOT IN (SELECT guild FROM absences WHERE until IS NULL)"
"""A condition: as far as known, the row's server can be reached."""


class Reader:
    """Queries to the database. Raises StoreError if the database fails."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def run_sql(self, sql: str, values: SqlValues = ()) -> list[Row]:
        """Runs a statement of the store's modules and returns its rows."""
        return await self._connection.run_sql(sql, values)

    async def last_number(self, table: str) -> int:
        """Returns the highest number ever given to a row of the table."""
        return await self._connection.last_number(table)

    async def read_column(self, sql: str, values: SqlValues = ()) -> list[Any]:
        """Returns the values of a statement's only column."""
        return [value for (value,) in await self.run_sql(sql, values)]

    async def read_row(self, sql: str, values: SqlValues = ()) -> Row | None:
        """Returns the first row of a statement; None if there is none."""
        return next(iter(await self.run_sql(sql, values)), None)

    async def read_value(self, sql: str, values: SqlValues = ()) -> Any:
        """Returns the first value of a statement; None if there is none."""
        return next(iter(await self.read_column(sql, values)), None)

    async def load_all(self, kind: MakeStored[Stored], source: str, values: SqlValues = ()) -> list[Stored]:
        """Returns the objects that a query finds. `source` is its SQL after FROM; the class has the columns."""
        rows = await self.run_sql(f"SELECT {columns_of(kind)} FROM {source}", values)
        return [read_as(kind, row) for row in rows]

    async def load_first(self, kind: MakeStored[Stored], source: str, values: SqlValues = ()) -> Stored | None:
        """Returns the first object that a query finds; None if there is none."""
        return next(iter(await self.load_all(kind, source, values)), None)

    async def load_head(self, match_id: int) -> MatchHead | None:
        """Returns the head of a match; None if there is no such match."""
        is_possible = 0 < match_id <= LARGEST_STORED_INT
        return await self.load_first(MatchHead, "matches WHERE id = ?", (match_id,)) if is_possible else None

    async def load_events(self, match_id: int) -> tuple[Event, ...]:
        """Returns all events of a match in order."""
        return tuple(await self.load_all(Event, "events WHERE match = ? ORDER BY seq", (match_id,)))

    async def load_posts(self, match_id: int) -> MatchPosts:
        """Returns the messages of a match that carry buttons."""
        sql = "SELECT table_channel, table_message, turn_channel, turn_message FROM matches WHERE id = ?"
        row = await self.read_row(sql, (match_id,)) or (None,) * 4
        return MatchPosts(_message_ref(*row[:2]), _message_ref(*row[2:]))

    async def matches_due(self, now: int) -> list[int]:
        """Returns the matches whose deadline has passed, in servers that can be reached, the longest overdue first."""
        return await self.read_column(
            f"SELECT id FROM matches WHERE deadline <= ? AND {REACHABLE_SQL} ORDER BY deadline", (now,)
        )

    async def unannounced_matches(self) -> list[tuple[int, int]]:
        """Returns the matches with unannounced news in servers that can be reached, each with its thread or channel.

        Live games whose place takes no post are left out: see `games_without_place`.
        """
        rows = await self.run_sql(
            "SELECT id, coalesce(thread, channel) FROM matches"
            " WHERE newsworthy > announced AND NOT (place_is_lost = 1 AND phase = 'live')"
            f" AND {REACHABLE_SQL} ORDER BY id"
        )
        return [(match_id, where) for match_id, where in rows]

    async def match_in_thread(self, guild: int, thread: int) -> tuple[int, int] | None:
        """Returns the match played in that thread, and the number of its last event; None if there is none."""
        sql = "SELECT id, seq FROM matches WHERE thread = ? AND +guild = ? ORDER BY id DESC LIMIT 1"
        return cast("tuple[int, int] | None", await self.read_row(sql, (thread, guild)))

    async def games_of(self, guild: int | None, user: int, *, live: bool) -> list[MatchSummary]:
        """Returns the started games of a user, or only the live ones, in a server (None: in all servers).

        Games that wait for the user come first, then other live games, then the latest finished ones. In each group,
        the game with the latest move comes first.
        """
        # Each branch follows `players_by_user`: of the finished games the latest are read, not all ever played.
        own = "(SELECT match FROM players WHERE user = :user AND ended = {} ORDER BY match DESC LIMIT {})"
        order = "ORDER BY is_live DESC, waits DESC, moved_at DESC, id DESC"
        return await self.find_summaries(
            f"SELECT id, row_number() OVER ({order}) AS place FROM (SELECT id, phase = 'live' AS is_live,"
            " to_move IS NOT NULL AND to_move = :user AS waits, moved_at FROM ("
            f"SELECT match FROM {own.format(0, ':latest')} AS present UNION ALL"
            f" SELECT match FROM {own.format(1, ':latest * (1 - :live)')} AS past"
            ") AS latest CROSS JOIN matches WHERE id = latest.match AND phase IN ('live', 'over')"
            f" AND +guild = coalesce(:guild, guild) {order} LIMIT :most) AS listed",
            {"user": user, "guild": guild, "live": live, "most": MAX_SUMMARIES, "latest": _LATEST_GAMES},
        )

    async def load_summaries(self, match_ids: list[int]) -> list[MatchSummary]:
        """Returns the summaries of these matches, in this order."""
        return await self.find_summaries("SELECT value AS id, key AS place FROM json_each(?)", (json.dumps(match_ids),))

    async def find_summaries(self, chosen: str, values: SqlValues = ()) -> list[MatchSummary]:
        """Returns the matches of the statement `chosen`, which returns their `id`, in the order of its `place`."""
        rows = await self.run_sql(
            f"WITH chosen AS MATERIALIZED ({chosen}) SELECT {', '.join(_SUMMARY_COLUMNS)}"
            " FROM chosen JOIN matches USING (id) JOIN players ON match = id ORDER BY place, seat",
            values,
        )
        seats = [dict(zip(_SUMMARY_COLUMNS, row, strict=True)) for row in rows]
        known = [seat for seat in seats if seat["variant"] in VARIANTS]  # omits games of another version
        return [_read_summary(list(players)) for _, players in groupby(known, key=itemgetter("id"))]

    async def get_meta(self, key: str) -> str | None:
        """Returns the note under a key; None if there is none."""
        return cast("str | None", await self.read_value("SELECT value FROM meta WHERE key = ?", (key,)))

    async def find_jobs(self, condition: str, values: SqlValues = ()) -> list[Job]:
        """Returns the jobs that meet a condition, in the order in which they are done."""
        return await self.load_all(Job, f"jobs WHERE {condition} ORDER BY due_at, kind, key", values)

    async def due_jobs(self, now: int, more: str = "", **values: object) -> list[Job]:
        """Returns the jobs that are due, without those of servers that cannot be reached. `more` may add conditions."""
        return await self.find_jobs(f"due_at <= :now AND {REACHABLE_SQL} {more}", {"now": now, **values})

    async def load_preferences(self, user: int) -> dict[str, str]:
        """Returns the user's stored preferences by key."""
        return dict(await self.run_sql("SELECT key, value FROM preferences WHERE user = ?", (user,)))


_SAME_COLUMNS = ("id", "to_move", "ply", "moved_at", "time_runs_out_at", "title", "seq")
"""The columns of which a summary has fields; the rest is made into others."""
_PLACE_COLUMNS, _TURN_COLUMNS = ("guild", "channel", "thread", "place_is_lost"), ("turn_channel", "turn_message")
_SUMMARY_COLUMNS = (*_SAME_COLUMNS, *_PLACE_COLUMNS, *_TURN_COLUMNS, "variant", "phase", "user", "resigned")


def _read_summary(seats: list[dict[str, Any]]) -> MatchSummary:
    """Returns the summary of a match from its rows, one for each player, in seat order."""
    first = seats[0]
    outages = ((0, FOREVER),) if first["place_is_lost"] else ()
    return MatchSummary(
        **{column: first[column] for column in _SAME_COLUMNS},
        place=Place(first["guild"], first["channel"], first["thread"], outages),
        variant=VARIANTS[first["variant"]],
        phase=Phase(first["phase"]),
        players=tuple(seat["user"] for seat in seats),
        resigned=tuple(seat["user"] for seat in seats if seat["resigned"]),
        turn=_message_ref(first["turn_channel"], first["turn_message"]),
    )


def _message_ref(channel: int | None, message: int | None) -> MessageRef | None:
    return MessageRef(channel, message) if channel is not None and message is not None else None


class Writer(Reader):
    """Changes to the database within a transaction. Its queries see its own changes."""

    appended: tuple[tuple[Event, ...], PeopleById] = (), NO_PEOPLE
    """The events last appended to a match, and its players."""

    async def run_batch(self, statements: Sequence[Statement]) -> None:
        """Runs statements of the store's modules that return nothing, one after the other."""
        await self._connection.run_batch(statements)

    async def add_row(self, table: str, values: Mapping[str, object]) -> None:
        """Adds a row with these values, by column."""
        await self.run_batch([insert_statement(table, values)])

    async def add_numbered_row(self, table: str, values: Mapping[str, object]) -> int:
        """Adds a row, and returns the number that the database gives it: one that it never gives again."""
        sql, stored = insert_statement(table, values)
        [number] = await self.read_column(f"{sql} RETURNING id", stored)
        return int(number)

    async def save_row(
        self, table: str, key: Mapping[str, object], values: Mapping[str, object], **otherwise: str
    ) -> None:
        """Sets the values in the row with that key, or adds the row; `otherwise` as for `upsert_statement`."""
        await self.run_batch([upsert_statement(table, key, values, **otherwise)])

    async def update_rows(self, table: str, key: Mapping[str, object], **values: object) -> None:
        """Sets values in the rows that have those of the key."""
        await self.run_batch([update_statement(table, key, values)])

    async def insert_rows(self, table: str, rows: Sequence[Row]) -> None:
        """Adds rows, many at a time; whole ones unless `table` names its columns, as "name (column, column)"."""
        if rows:
            sql = f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})"
            await self.run_batch([(sql, row) for row in rows])

    async def set_last_number(self, table: str, number: int) -> None:
        """Makes the table's numbering continue after `number`."""
        await self._connection.set_last_number(table, number)

    async def add_match(self, match: Match, events: Sequence[Event], people: PeopleById = NO_PEOPLE) -> int:
        """Stores a new match with its events, ignoring its `id`, and returns its number.

        `people` are its players, because the deadline depends on their habits.
        """
        match_id = await self.add_numbered_row("matches", _derived_columns(match, events, people))
        await self.run_batch(_event_statements(match_id, match, events))
        return match_id

    async def append_events(self, match: Match, events: Sequence[Event], people: PeopleById = NO_PEOPLE) -> None:
        """Appends events to a match. `match` is the match after these events; `people` as in `add_match`."""
        self.appended = tuple(events), people
        update = update_statement("matches", {"id": match.id}, _derived_columns(match, events, people))
        await self.run_batch([update, *_event_statements(match.id, match, events)])

    async def set_deadlines(self, match: Match, people: PeopleById) -> None:
        """Updates the deadlines of a match after a change of a player's habits, and where it stands."""
        await self.update_rows("matches", {"id": match.id}, **_columns_due(match, people))

    async def set_table_post(self, match_id: int, post: MessageRef) -> None:
        """Notes which message shows the table."""
        await self.update_rows("matches", {"id": match_id}, table_channel=post.channel, table_message=post.message)

    async def set_turn_post(self, match_id: int, post: MessageRef) -> None:
        """Notes which message shows the latest turn."""
        await self.update_rows("matches", {"id": match_id}, turn_channel=post.channel, turn_message=post.message)

    async def mark_announced(self, match_id: int, seq: int, turn: MessageRef | None = None) -> MessageRef | None:
        """Notes that everything up to an event has been announced; by the message `turn`, if that shows a board.

        Returns the message that showed the latest turn until now.
        """
        shown = (await self.load_posts(match_id)).turn
        sql = (
            "UPDATE matches SET announced = max(announced, ?), turn_channel = coalesce(?, turn_channel),"
            " turn_message = coalesce(?, turn_message) WHERE id = ?"
        )
        await self.run_batch([(sql, (seq, *(turn or (None, None)), match_id))])
        return shown

    async def add_jobs(self, *jobs: Job) -> None:
        """Stores jobs. A job that is stored already is done as if it had been asked for last."""
        for job in jobs:
            values = job._asdict()
            key = {name: values.pop(name) for name in ("kind", "key")}
            await self.save_row("jobs", key, values, requests="jobs.requests + 1")

    async def end_jobs(self, *jobs: Job) -> None:
        """Deletes jobs that are done. One that has been asked for since it was read stays."""
        sql = "DELETE FROM jobs WHERE kind = ? AND key = ? AND requests = ?"
        await self.run_batch([(sql, (job.kind, job.key, job.requests)) for job in jobs])

    async def put_off_job(self, job: Job, until: int | None, why: str = "", *, tries: int = 0) -> None:
        """Has a job done at that time; with None, when something asks for it. Does not concern later requests."""
        key = {"kind": job.kind, "key": job.key, "requests": job.requests}
        await self.update_rows("jobs", key, due_at=until, why=why, tries=tries)

    async def set_meta(self, key: str, value: str | None) -> None:
        """Stores a note under a key, replacing an earlier one; None deletes it."""
        if value is None:
            await self.run_sql("DELETE FROM meta WHERE key = ?", (key,))
        else:
            await self.save_row("meta", {"key": key}, {"value": value})

    async def set_preference(self, user: int, key: str, value: str) -> None:
        """Stores a user's preference, replacing an earlier choice."""
        await self.save_row("preferences", {"user": user, "key": key}, {"value": value})


def _derived_columns(match: Match, events: Sequence[Event], people: PeopleById) -> dict[str, object]:
    """Returns the derived columns of a match that those events may have changed."""
    turn = {"to_move": match.to_move, "ply": match.ply, "seq": match.seq, "moved_at": match.clock.turn_began_at}
    newsworthy = [event.seq for event in events if event.kind in NEWSWORTHY_EVENTS]
    told = {"newsworthy": newsworthy[-1]} if newsworthy else {}
    changed = {**turn, **told, "updated": events[-1].at, **_columns_due(match, people)}
    if match.is_live and _are_moves(events):  # to set the others would write each of their indexes
        return changed
    place = {"channel": match.place.channel, "thread": match.place.thread, "place_is_lost": match.place.is_lost}
    kept = {"guild": match.guild, "variant": match.variant.key, "phase": match.phase.value, "title": match.title}
    return {**changed, **place, **kept}


def _columns_due(match: Match, people: PeopleById) -> dict[str, object]:
    """Returns the derived columns of a match that the tick computes again if its deadline is 0."""
    due = {"deadline": next_tick_at(match, people), "time_runs_out_at": time_runs_out_at(match, people)}
    return {**due, "present": describe_present(match), "position": number_closed_to_all(match)}


def _are_moves(events: Sequence[Event]) -> bool:
    return all(event.kind is EventKind.MOVED for event in events)


def _event_statements(match_id: int, match: Match, events: Sequence[Event]) -> list[Statement]:
    """Returns the statements that store events, and the seats after these events."""
    statements = [insert_statement("events", {"match": match_id, **values_of(event)}) for event in events]
    if not _are_moves(events):  # which leave everybody in their seats
        statements.append(("DELETE FROM players WHERE match = ?", (match_id,)))
        for seat, user in enumerate(match.players or match.table.joined):
            resigned, ended = user in match.resigned_users, match.phase in (Phase.OVER, Phase.CLOSED)
            values = {"match": match_id, "user": user, "seat": seat, "resigned": resigned, "ended": ended}
            statements.append(insert_statement("players", values))
    return statements
