"""What can be asked of the database about matches, players and what is noted beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from bot.match.events import Event, EventKind
from bot.match.match import Phase
from bot.match.results import Post, Summary
from bot.store.connection import Connection, Row, Values
from bot.store.shards import WHOLE, Share
from rules import VARIANTS

MOST_SUMMARIES = 200
"""How many games a list has at most."""


class Head(NamedTuple):
    """How far a match has come: its last event, the last one to be announced, and the last one that has been."""

    seq: int
    newsworthy: int
    announced: int


class Posts(NamedTuple):
    """The messages of a match that carry buttons: the table, and the latest turn."""

    table: Post | None
    turn: Post | None


_HEAD = "SELECT seq, newsworthy, announced FROM matches WHERE id = :match"
_EVENT = "seq, at, kind, user, body"


def reached(share: Share) -> str:
    """A condition: the server of that row is one of those, and can be reached, as far as is known."""
    return "guild NOT IN (SELECT guild FROM absences WHERE until IS NULL)" + share.also()


def draft_key(match_id: int) -> str:
    """Where the store notes a move in the making."""
    return f"draft:{match_id}"


class Reader:
    """What can be asked of the database. Raises StoreError where the disk fails."""

    def __init__(self, connection: Connection, share: Share = WHOLE) -> None:
        self._connection = connection
        self.share = share
        """The servers that are looked after here. Whatever is due or to be told is so in these alone."""

    async def run(self, sql: str, values: Values = ()) -> list[Row]:
        """The rows that a statement of the store's modules returns."""
        return await self._connection.run(sql, values)

    async def last_number(self, table: str) -> int:
        """The highest number that a row of that table has ever been given."""
        return await self._connection.last_number(table)

    async def column(self, sql: str, values: Values = ()) -> list[Any]:
        """The values that a statement returns in its only column."""
        return [value for (value,) in await self.run(sql, values)]

    async def row(self, sql: str, values: Values = ()) -> Row | None:
        """The first row that a statement returns, if any."""
        return next(iter(await self.run(sql, values)), None)

    async def head(self, match_id: int) -> Head | None:
        """How far that match has come; None if there is no such match."""
        row = await self.row(_HEAD, {"match": match_id})
        return Head(*row) if row else None

    async def untold(self, match_id: int) -> tuple[Head | None, tuple[Event, ...]]:
        """How far that match has come, and its events after the last one that has been announced."""
        rows = await self.run(
            f"SELECT matches.seq, newsworthy, announced, events.{_EVENT} FROM matches"
            " LEFT JOIN events ON match = id AND events.seq > announced WHERE id = ? ORDER BY events.seq",
            (match_id,),
        )
        return (Head(*rows[0][:3]) if rows else None), _events([row[3:] for row in rows if row[3] is not None])

    async def events(self, match_id: int) -> tuple[Event, ...]:
        """All events of a match in order."""
        return _events(await self.run(f"SELECT {_EVENT} FROM events WHERE match = ? ORDER BY seq", (match_id,)))

    async def posts(self, match_id: int) -> Posts:
        """The messages of a match that carry buttons."""
        rows = await self.run(
            "SELECT table_channel, table_message, turn_channel, turn_message FROM matches WHERE id = ?", (match_id,)
        )
        table_channel, table_message, turn_channel, turn_message = rows[0] if rows else (None,) * 4
        return Posts(_post(table_channel, table_message), _post(turn_channel, turn_message))

    @property
    def reached(self) -> str:
        """A condition: the server of that row is looked after here, and can be reached, as far as is known."""
        return reached(self.share)

    async def due(self, now: int) -> list[int]:
        """The matches whose deadline has come, and in whose server people can be told: the longest overdue first.

        Also those in which a plan waits for the end of its planner's vacation.
        """
        reached = self.reached
        found = await self.column(
            f"SELECT * FROM (SELECT id FROM matches WHERE deadline <= ?1 AND {reached} ORDER BY deadline) AS due"
            f" UNION ALL SELECT match FROM plans JOIN matches ON match = matches.id WHERE wakes <= ?1 AND {reached}",
            (now,),
        )
        return list(dict.fromkeys(found))

    async def unannounced(self) -> list[tuple[int, int]]:
        """The matches with news not marked as announced of which people can be told, and the place of each."""
        rows = await self.run(
            "SELECT id, coalesce(thread, channel) FROM matches"
            f" WHERE newsworthy > announced AND {self.reached} ORDER BY id"
        )
        return [(match_id, where) for match_id, where in rows]

    async def in_thread(self, guild: int, thread: int) -> int | None:
        """The match that is played in that thread."""
        row = await self.row(
            "SELECT id FROM matches WHERE thread = ? AND guild = ? ORDER BY id DESC LIMIT 1", (thread, guild)
        )
        return row[0] if row else None

    async def games_of(self, guild: int | None, user: int, *, live: bool) -> list[Summary]:
        """The started games of a user in a server, or for None in every one, all or only those that are on.

        Those that wait for them come first, then those that are on; the latest move first in each.
        """
        return await self._summaries(
            "SELECT id, row_number() OVER (ORDER BY phase = 'live' DESC, to_move IS NOT NULL AND to_move = :user DESC,"
            " moved_at DESC, id DESC) AS place FROM matches JOIN players ON match = id"
            " WHERE user = :user AND ended <= 1 - :live AND guild = coalesce(:guild, guild)"
            " AND phase IN ('live', 'over') ORDER BY place LIMIT :most",
            {"user": user, "guild": guild, "live": live, "most": MOST_SUMMARIES},
        )

    async def games_in(self, guild: int, channel: int) -> list[Summary]:
        """The started games of a channel: those that are on first, the latest move first in each."""
        return await self.summaries(await self.latest("channel = ? AND guild = ?", (channel, guild)))

    async def latest(self, where: str, values: Sequence[Any], *, live: bool = False) -> list[int]:
        """The started games for which that holds, or only those that are on: these first, the latest move first."""
        found: list[int] = []
        for phase in ("live",) if live else ("live", "over"):
            found += await self.column(
                f"SELECT id FROM matches WHERE {where} AND phase = ? ORDER BY moved_at DESC, id DESC LIMIT ?",
                (*values, phase, MOST_SUMMARIES - len(found)),
            )
        return found

    async def summaries(self, match_ids: list[int]) -> list[Summary]:
        """Those matches, in that order."""
        return await self._summaries("SELECT value AS id, key AS place FROM json_each(?)", (json.dumps(match_ids),))

    async def _summaries(self, chosen: str, values: Values) -> list[Summary]:
        """The matches that the statement `chosen` names by `id`, in the order of its `place`."""
        rows = await self.run(
            f"WITH chosen AS MATERIALIZED ({chosen})"
            " SELECT id, variant, phase, channel, thread, to_move, ply, moved_at, turn_channel, turn_message,"
            " flag, title, homeless, guild, user, resigned"
            " FROM chosen JOIN matches USING (id) JOIN players ON match = id ORDER BY place, seat",
            values,
        )
        games = [list(players) for _, players in groupby(rows, key=itemgetter(0))]
        return [_summary(players) for players in games if players[0][1] in VARIANTS]  # another version's are not shown

    async def meta(self, key: str) -> str | None:
        """What was noted under that key."""
        row = await self.row("SELECT value FROM meta WHERE key = ?", (key,))
        return row[0] if row else None

    async def draft(self, match_id: int) -> str | None:
        """The move in the making that was noted for a match."""
        return await self.meta(draft_key(match_id))

    async def preferences(self, user: int) -> list[tuple[str, str]]:
        """What that user has set for themselves, as (key, value)."""
        rows = await self.run("SELECT key, value FROM preferences WHERE user = ?", (user,))
        return [(key, value) for key, value in rows]


def _summary(rows: list[Row]) -> Summary:
    """A match from its rows, one for each player in seat order."""
    first = rows[0]
    match_id, variant, phase, channel, thread, to_move, ply, moved_at, *post, flag, title, homeless, guild, _, _ = first
    return Summary(
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
        turn=_post(*post),
        flag=flag,
        title=title,
        homeless=bool(homeless),
    )


def _post(channel: int | None, message: int | None) -> Post | None:
    return Post(channel, message) if channel is not None and message is not None else None


def _events(rows: list[Row]) -> tuple[Event, ...]:
    return tuple(Event(seq, at, EventKind(kind), user, body) for seq, at, kind, user, body in rows)
