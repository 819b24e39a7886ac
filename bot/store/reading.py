"""The reader: queries about matches, about players, and about notes of the program."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from bot.core.events import Event, EventKind
from bot.core.listings import MatchSummary, MessageRef
from bot.core.match import Phase
from bot.store.connection import Connection, Row, SqlValues
from rules import VARIANTS

MAX_SUMMARIES = 200
"""The most games in a list."""

_LATEST_GAMES = 1000
"""A person's games that are read for a list: those that are not over, and the latest others."""


class MatchHead(NamedTuple):
    """The numbers of a match's last event, of the last event to announce, and of the last announced event."""

    seq: int
    newsworthy: int
    announced: int


class MatchPosts(NamedTuple):
    """The messages of a match that have buttons: those of the table and of the latest turn."""

    table: MessageRef | None
    turn: MessageRef | None


_MATCH_HEAD_SQL = "SELECT seq, newsworthy, announced FROM matches WHERE id = :match"
_EVENT_COLUMNS = "seq, at, kind, user, body"


REACHABLE_SQL = "guild NOT IN (SELECT guild FROM absences WHERE until IS NULL)"
"""A condition: as far as known, the row's server can be reached."""


def draft_key(match_id: int) -> str:
    """Returns the key of the note with a match's draft move."""
    return f"draft:{match_id}"


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

    async def load_head(self, match_id: int) -> MatchHead | None:
        """Returns the head of a match; None if there is no such match."""
        row = await self.read_row(_MATCH_HEAD_SQL, {"match": match_id})
        return MatchHead(*row) if row else None

    async def load_unannounced(self, match_id: int) -> tuple[MatchHead | None, tuple[Event, ...]]:
        """Returns the head of a match (None if there is no such match), and its events after the last announced one."""
        rows = await self.run_sql(
            f"SELECT matches.seq, newsworthy, announced, events.{_EVENT_COLUMNS} FROM matches"
            " LEFT JOIN events ON match = id AND events.seq > announced WHERE id = ? ORDER BY events.seq",
            (match_id,),
        )
        return (MatchHead(*rows[0][:3]) if rows else None), _read_events(
            [row[3:] for row in rows if row[3] is not None]
        )

    async def load_events(self, match_id: int) -> tuple[Event, ...]:
        """Returns all events of a match in order."""
        return _read_events(
            await self.run_sql(f"SELECT {_EVENT_COLUMNS} FROM events WHERE match = ? ORDER BY seq", (match_id,))
        )

    async def load_posts(self, match_id: int) -> MatchPosts:
        """Returns the messages of a match that carry buttons."""
        rows = await self.run_sql(
            "SELECT table_channel, table_message, turn_channel, turn_message FROM matches WHERE id = ?", (match_id,)
        )
        table_channel, table_message, turn_channel, turn_message = rows[0] if rows else (None,) * 4
        return MatchPosts(_message_ref(table_channel, table_message), _message_ref(turn_channel, turn_message))

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
            " WHERE newsworthy > announced AND NOT (homeless = 1 AND phase = 'live')"
            f" AND {REACHABLE_SQL} ORDER BY id"
        )
        return [(match_id, where) for match_id, where in rows]

    async def match_in_thread(self, guild: int, thread: int) -> int | None:
        """Returns the match played in that thread; None if there is none."""
        row = await self.read_row(
            "SELECT id FROM matches WHERE thread = ? AND +guild = ? ORDER BY id DESC LIMIT 1", (thread, guild)
        )
        return row[0] if row else None

    async def games_of(self, guild: int | None, user: int, *, live: bool) -> list[MatchSummary]:
        """Returns the started games of a user, or only the live ones, in a server (None: in all servers).

        Games that wait for the user come first, then other live games, then the latest finished ones. In each group,
        the game with the latest move comes first.
        """
        # Of the finished games the latest are read, not all that the person has ever played.
        return await self._load_summaries(
            "SELECT id, row_number() OVER (ORDER BY phase = 'live' DESC, to_move IS NOT NULL AND to_move = :user DESC,"
            " moved_at DESC, id DESC) AS place FROM ("
            "WITH own AS MATERIALIZED (SELECT match, ended FROM players WHERE user = :user AND ended <= 1 - :live)"
            " SELECT match FROM own ORDER BY ended, match DESC LIMIT :latest"
            ") AS latest CROSS JOIN matches"
            " WHERE id = latest.match AND phase IN ('live', 'over') AND +guild = coalesce(:guild, guild)"
            " ORDER BY place LIMIT :most",
            {"user": user, "guild": guild, "live": live, "most": MAX_SUMMARIES, "latest": _LATEST_GAMES},
        )

    async def games_in_channel(self, guild: int, channel: int) -> list[MatchSummary]:
        """Returns the started games of a channel. Live games come first, and in each group the latest move."""
        return await self.load_summaries(await self.latest_games("channel = ? AND +guild = ?", (channel, guild)))

    async def latest_games(self, where: str, values: Sequence[Any], *, live: bool = False) -> list[int]:
        """Returns the started games that meet the condition, or only the live ones. Live games come first, and in each
        group the game with the latest move."""
        match_ids: list[int] = []
        for phase in ("live",) if live else ("live", "over"):
            rows = await self.run_sql(
                # In the order of the index; with `id`, PostgreSQL would have to sort all games.
                f"SELECT moved_at, id FROM matches WHERE {where} AND phase = ? ORDER BY moved_at DESC LIMIT ?",
                (*values, phase, MAX_SUMMARIES - len(match_ids)),
            )
            match_ids += [match_id for _, match_id in sorted(rows, reverse=True)]
        return match_ids

    async def load_summaries(self, match_ids: list[int]) -> list[MatchSummary]:
        """Returns the summaries of these matches, in this order."""
        return await self._load_summaries(
            "SELECT value AS id, key AS place FROM json_each(?)", (json.dumps(match_ids),)
        )

    async def _load_summaries(self, chosen: str, values: SqlValues) -> list[MatchSummary]:
        """Returns the matches of the statement `chosen`, which returns their `id`, in the order of its `place`."""
        rows = await self.run_sql(
            f"WITH chosen AS MATERIALIZED ({chosen})"
            " SELECT id, variant, phase, channel, thread, to_move, ply, moved_at, turn_channel, turn_message,"
            " flag, title, homeless, guild, user, resigned"
            " FROM chosen JOIN matches USING (id) JOIN players ON match = id ORDER BY place, seat",
            values,
        )
        games = [list(players) for _, players in groupby(rows, key=itemgetter(0))]
        return [
            _read_summary(players) for players in games if players[0][1] in VARIANTS
        ]  # omits games of another version

    async def get_meta(self, key: str) -> str | None:
        """Returns the note under a key; None if there is none."""
        row = await self.read_row("SELECT value FROM meta WHERE key = ?", (key,))
        return row[0] if row else None

    async def load_draft(self, match_id: int) -> str | None:
        """Returns the draft move of a match; None if there is none."""
        return await self.get_meta(draft_key(match_id))

    async def load_preferences(self, user: int) -> list[tuple[str, str]]:
        """Returns the user's stored preferences as (key, value)."""
        rows = await self.run_sql("SELECT key, value FROM preferences WHERE user = ?", (user,))
        return [(key, value) for key, value in rows]


def _read_summary(rows: list[Row]) -> MatchSummary:
    """Returns the summary of a match from its rows, one for each player, in seat order."""
    first = rows[0]
    match_id, variant, phase, channel, thread, to_move, ply, moved_at, *post, flag, title, homeless, guild, _, _ = first
    return MatchSummary(
        id=match_id,
        guild=guild,
        variant=VARIANTS[variant],
        phase=Phase(phase),
        channel=channel,
        thread=thread,
        players=tuple(user for *_, user, _ in rows),
        resigned=tuple(user for *_, user, resigned in rows if resigned),
        to_move=to_move,
        ply=ply,
        moved_at=moved_at,
        turn=_message_ref(*post),
        time_runs_out_at=flag,
        title=title,
        has_lost_channel=bool(homeless),
    )


def _message_ref(channel: int | None, message: int | None) -> MessageRef | None:
    return MessageRef(channel, message) if channel is not None and message is not None else None


def _read_events(rows: list[Row]) -> tuple[Event, ...]:
    return tuple(Event(seq, at, EventKind(kind), user, body) for seq, at, kind, user, body in rows)
