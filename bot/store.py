"""The database: every SQL statement, one writer, and a second connection that only reads.

async with Store.open(path) as store:
    match_id = await store.transaction(lambda writer: writer.add(match, events))
    events = await store.reader.events(match_id)
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

import aiosqlite

from bot._lock import hold
from bot.events import NEWSWORTHY, SEATING, Event, Kind
from bot.match import Match, Phase
from bot.matches.timing import flag, wake
from bot.matches.turns import NOBODY, People
from bot.migrations import Fault, StoreError, fault_of, migrate, steps
from rules import VARIANTS, Variant

__all__ = ["Fault", "Head", "Post", "Posts", "Reader", "Store", "StoreError", "Summary", "Writer"]

T = TypeVar("T")

MOST_SUMMARIES = 200
"""How many games a list has at most."""

_PRAGMAS = ("foreign_keys = ON", "busy_timeout = 5000", "trusted_schema = OFF")
_FOR_WRITING = (*_PRAGMAS, "journal_mode = WAL", "synchronous = FULL")  # FULL: a move once told of survives a power cut
_FOR_READING = (*_PRAGMAS, "query_only = ON")


class Post(NamedTuple):
    """Where a message is."""

    channel: int
    message: int


class Head(NamedTuple):
    """How far a match has come: its last event, the last one to be announced, and the last one that has been."""

    seq: int
    newsworthy: int
    announced: int


class Posts(NamedTuple):
    """The messages of a match that carry buttons: the table, and the latest turn."""

    table: Post | None
    turn: Post | None


@dataclass(frozen=True, slots=True)
class Summary:
    """A started match in a list."""

    id: int
    variant: Variant
    phase: Phase
    channel: int
    thread: int | None
    players: tuple[int, ...]
    """Per seat."""
    resigned: tuple[int, ...]
    to_move: int | None
    ply: int
    moved_at: int
    turn: Post | None
    """The message of the latest turn."""
    flag: int | None = None
    """When the player to move runs out of time, or of grace; None where no clock runs."""

    @property
    def where(self) -> int:
        """The thread or channel in which the match is played."""
        return self.thread or self.channel


class Reader:
    """What can be asked of the database. Raises StoreError where the disk fails."""

    def __init__(self, connection: aiosqlite.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    async def run(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[sqlite3.Row]:
        """The rows that a statement of this module returns."""
        try:
            return list(await self._connection.execute_fetchall(sql, values))
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise  # our own mistakes, not the disk's
        except sqlite3.Error as error:
            raise StoreError(fault_of(error), self._path, str(error)) from error

    async def set_up(self, pragmas: Sequence[str]) -> None:
        """Puts the connection into the state in which it is used."""
        for pragma in pragmas:
            await self.run(f"PRAGMA {pragma}")

    async def head(self, match_id: int) -> Head | None:
        """How far that match has come; None if there is no such match."""
        rows = await self.run("SELECT seq, newsworthy, announced FROM matches WHERE id = ?", (match_id,))
        return Head(*rows[0]) if rows else None

    async def events(self, match_id: int) -> tuple[Event, ...]:
        """All events of a match in order."""
        rows = await self.run("SELECT seq, at, kind, user, body FROM events WHERE match = ? ORDER BY seq", (match_id,))
        return tuple(Event(seq, at, Kind(kind), user, body) for seq, at, kind, user, body in rows)

    async def posts(self, match_id: int) -> Posts:
        """The messages of a match that carry buttons."""
        rows = await self.run(
            "SELECT table_channel, table_message, turn_channel, turn_message FROM matches WHERE id = ?", (match_id,)
        )
        table_channel, table_message, turn_channel, turn_message = rows[0] if rows else (None,) * 4
        return Posts(_post(table_channel, table_message), _post(turn_channel, turn_message))

    async def due(self, now: int) -> list[int]:
        """The matches whose deadline has come, the longest overdue first."""
        return _ids(await self.run("SELECT id FROM matches WHERE deadline <= ? ORDER BY deadline", (now,)))

    async def unannounced(self) -> list[int]:
        """The matches with news that have not been marked as announced."""
        return _ids(await self.run("SELECT id FROM matches WHERE newsworthy > announced ORDER BY id"))

    async def in_thread(self, guild: int, thread: int) -> int | None:
        """The match that is played in that thread."""
        rows = await self.run(
            "SELECT id FROM matches WHERE thread = ? AND guild = ? ORDER BY id DESC LIMIT 1", (thread, guild)
        )
        return rows[0][0] if rows else None

    async def games_of(self, guild: int, user: int, *, live: bool) -> list[Summary]:
        """The started games of a user in a server, all or only those that are on.

        Those that wait for him come first, then those that are on; the latest move first in each.
        """
        rows = await self.run(
            "SELECT id FROM matches JOIN players ON match = id"
            " WHERE user = :user AND guild = :guild AND (phase = 'live' OR phase = 'over' AND NOT :live)"
            " ORDER BY phase = 'live' DESC, coalesce(to_move = :user, 0) DESC, moved_at DESC, id DESC LIMIT :most",
            {"user": user, "guild": guild, "live": live, "most": MOST_SUMMARIES},
        )
        return await self._summaries(_ids(rows))

    async def games_in(self, guild: int, channel: int) -> list[Summary]:
        """The started games of a channel: those that are on first, the latest move first in each."""
        rows = await self.run(
            "SELECT id FROM matches WHERE channel = ? AND guild = ? AND phase IN ('live', 'over')"
            " ORDER BY phase = 'live' DESC, moved_at DESC, id DESC LIMIT ?",
            (channel, guild, MOST_SUMMARIES),
        )
        return await self._summaries(_ids(rows))

    async def _summaries(self, match_ids: list[int]) -> list[Summary]:
        """Those matches, in that order."""
        rows = await self.run(
            "SELECT id, variant, phase, channel, thread, to_move, ply, moved_at, turn_channel, turn_message,"
            " flag, user, resigned FROM matches JOIN players ON match = id"
            " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id, seat",
            (json.dumps(match_ids),),
        )
        found = {match_id: _summary(list(players)) for match_id, players in groupby(rows, key=itemgetter(0))}
        return [found[match_id] for match_id in match_ids]

    async def meta(self, key: str) -> str | None:
        """What was noted under that key."""
        rows = await self.run("SELECT value FROM meta WHERE key = ?", (key,))
        return rows[0][0] if rows else None


class Writer(Reader):
    """What can be done to the database within a transaction; it reads what it has written."""

    async def add(self, match: Match, events: Sequence[Event], people: People = NOBODY) -> int:
        """Adds a match that these events have brought about, and returns its number. Its own `id` is not looked at.

        `people` are its players, whose habits the deadline depends on.
        """
        rows = await self.run(
            "INSERT INTO matches (guild, channel, thread, variant, phase, to_move, ply, seq, newsworthy, moved_at,"
            " deadline, flag, updated) VALUES (:guild, :channel, :thread, :variant, :phase, :to_move, :ply, :seq,"
            " :newsworthy, :moved_at, :deadline, :flag, :updated) RETURNING id",
            _derived(match, events, people),
        )
        match_id = int(rows[0][0])
        await self._tell(match_id, match, events)
        return match_id

    async def append(self, match: Match, events: Sequence[Event], people: People = NOBODY) -> None:
        """Adds events to a match; `match` is as it stands after them, `people` as for `add`."""
        if not events:
            return
        await self.run(
            "UPDATE matches SET channel = :channel, thread = :thread, phase = :phase, to_move = :to_move, ply = :ply,"
            " seq = :seq, newsworthy = max(newsworthy, :newsworthy), moved_at = :moved_at, deadline = :deadline,"
            " flag = :flag, updated = :updated WHERE id = :id",
            _derived(match, events, people),
        )
        await self._tell(match.id, match, events)

    async def set_times(self, match: Match, people: People) -> None:
        """Notes anew when something is due, because the habits of a player have changed."""
        await self.run(
            "UPDATE matches SET deadline = ?, flag = ? WHERE id = ?",
            (wake(match, people), flag(match, people), match.id),
        )

    async def _tell(self, match_id: int, match: Match, events: Sequence[Event]) -> None:
        for event in events:
            row = (match_id, event.seq, event.at, event.kind.value, event.user, event.body)
            await self.run("INSERT INTO events (match, seq, at, kind, user, body) VALUES (?, ?, ?, ?, ?, ?)", row)
        if not any(event.kind in SEATING for event in events):
            return
        await self.run("DELETE FROM players WHERE match = ?", (match_id,))
        for seat, user in enumerate(match.players or match.joined):
            await self.run(
                "INSERT INTO players (match, user, seat, resigned) VALUES (?, ?, ?, ?)",
                (match_id, user, seat, user in match.resigned),
            )

    async def set_table_post(self, match_id: int, post: Post) -> None:
        """Notes which message shows the table."""
        await self.run(
            "UPDATE matches SET table_channel = ?, table_message = ? WHERE id = ?",
            (post.channel, post.message, match_id),
        )

    async def set_turn_post(self, match_id: int, post: Post) -> None:
        """Notes which message shows the latest turn."""
        await self.run(
            "UPDATE matches SET turn_channel = ?, turn_message = ? WHERE id = ?", (post.channel, post.message, match_id)
        )

    async def mark_announced(self, match_id: int, seq: int) -> None:
        """Notes that the players have been told of everything up to that event."""
        await self.run("UPDATE matches SET announced = max(announced, ?) WHERE id = ?", (seq, match_id))

    async def set_meta(self, key: str, value: str) -> None:
        """Notes a value under that key, in the place of an earlier one."""
        await self.run(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", (key, value)
        )


class Store:
    """The open database. It is this process's alone until it is closed."""

    def __init__(self, path: Path, writer: Writer, reader: Reader) -> None:
        self.path = path
        self.reader = reader
        self._writer = writer
        self._turn = asyncio.Lock()
        self._units: set[asyncio.Task[Any]] = set()

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path) -> AsyncIterator[Store]:
        """The database in that file, created or brought up to date if need be, and closed behind.

        Raises StoreError where it cannot be used; a file that was there is then as it was.
        """
        with await asyncio.to_thread(_prepare, path):
            async with _connect(path, "rw") as writing, _connect(path, "ro") as reading:
                store = cls(path, Writer(writing, path), Reader(reading, path))
                await store._writer.set_up(_FOR_WRITING)
                await store.reader.set_up(_FOR_READING)
                try:
                    yield store
                finally:
                    await store._finish()

    async def transaction(self, work: Callable[[Writer], Awaitable[T]]) -> T:
        """What `work` returns, once all that it wrote is on the disk. If it raises, nothing of it is.

        A caller that is cancelled while it waits leaves the transaction to run to its end: all or nothing. So `work`
        writes to the database and has no other effect, nor does it begin another transaction, which would wait for
        this one. When the commit happens is not its business: several that wait may one day share one.
        """
        # A cancelled BEGIN … COMMIT would leave the transaction open for the next one to stumble over.
        unit = asyncio.create_task(self._unit(work))
        self._units.add(unit)
        unit.add_done_callback(self._units.discard)
        return await asyncio.shield(unit)

    async def _unit(self, work: Callable[[Writer], Awaitable[T]]) -> T:
        async with self._turn:
            try:
                await self._writer.run("BEGIN IMMEDIATE")
                result = await work(self._writer)
                await self._writer.run("COMMIT")
            except BaseException:
                with suppress(StoreError):  # there may be nothing to roll back
                    await self._writer.run("ROLLBACK")
                raise
            return result

    async def _finish(self) -> None:
        """Waits for the transactions that are under way, and tidies up."""
        await asyncio.gather(*self._units, return_exceptions=True)
        with suppress(StoreError):  # only a help for the next start
            await self._writer.run("PRAGMA optimize")


def _prepare(path: Path) -> BinaryIO:
    """The lock on the database, which is up to date then."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        real = path.resolve()  # one lock, whatever links lead to the file
        lock = hold(real.with_name(real.name + ".lock"))
    except OSError as error:
        raise StoreError(Fault.NO_ACCESS, path, str(error)) from error
    if lock is None:
        raise StoreError(Fault.IN_USE, path)
    try:
        migrate(path, steps())
    except BaseException:
        lock.close()
        raise
    return lock


def _connect(path: Path, mode: str) -> aiosqlite.Connection:
    return aiosqlite.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None)


def _derived(match: Match, events: Sequence[Event], people: People) -> dict[str, Any]:
    """The derived columns of a match behind those events, and its id."""
    return {
        "id": match.id,
        "guild": match.guild,
        "channel": match.channel,
        "thread": match.thread,
        "variant": match.variant.key,
        "phase": match.phase.value,
        "to_move": match.to_move,
        "ply": match.ply,
        "seq": match.seq,
        "newsworthy": max((event.seq for event in events if event.kind in NEWSWORTHY), default=0),
        "moved_at": match.moved_at,
        "deadline": wake(match, people),
        "flag": flag(match, people),
        "updated": events[-1].at,
    }


def _summary(rows: list[sqlite3.Row]) -> Summary:
    """A match from its rows, one for each player in seat order."""
    match_id, variant, phase, channel, thread, to_move, ply, moved_at, turn_channel, turn_message, flag_falls, *_ = (
        rows[0]
    )
    return Summary(
        id=match_id,
        variant=VARIANTS[variant],
        phase=Phase(phase),
        channel=channel,
        thread=thread,
        players=tuple(user for *_, user, _ in rows),
        resigned=tuple(user for *_, user, resigned in rows if resigned),
        to_move=to_move,
        ply=ply,
        moved_at=moved_at,
        turn=_post(turn_channel, turn_message),
        flag=flag_falls,
    )


def _post(channel: int | None, message: int | None) -> Post | None:
    return Post(channel, message) if channel is not None and message is not None else None


def _ids(rows: list[sqlite3.Row]) -> list[int]:
    return [match_id for (match_id,) in rows]
