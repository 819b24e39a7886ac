"""The statements about absences: when nobody could be reached, so that no clock ran.

In a server, or in all servers of a shard because the bot itself was away: see `Share.shard_key`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from bot.core.clock import DAY, FOREVER, Span
from bot.core.events import LARGEST_STORED_INT
from bot.core.match import Match
from bot.core.settings import Person
from bot.store import Reader, Writer
from bot.store.connection import upsert_statement
from bot.store.people import load_people
from bot.store.shards import ShardShare, absence_filter_sql

_PRESENT_KEY, _PRESENT_END = "ticked", "ticked;"
"""Where it is noted when the bot was last there, and what comes after the keys of single shards."""

_SHARD_COUNTS_KEY = "shards"
"""Where it is noted into how many shards the servers are divided, after how many there were before."""

ABSENCE_RETENTION_S = 90 * DAY
"""For so long an absence is kept in any case; and for as long as a game is on whose turn began before its end."""


async def load_players(
    reader: Reader, match: Match, since: int | None = None, pending: int | None = None
) -> dict[int, Person]:
    """Who plays in a match or waits for it, with the absences after `since`, or else after its turn began.

    `pending`: from when on the bot has been away, if nobody has noted that yet. Those who have asked for nothing are
    left out where there are no absences.
    """
    users = match.players or match.joined
    known_people = await load_people(reader, users)
    away = None if pending is None else (pending, FOREVER)
    spans = await absences_after(reader, match.guild, match.moved_at if since is None else since, away)
    if not spans:
        return known_people
    return {user: replace(known_people.get(user, Person()), absences=spans) for user in users}


async def absences_after(reader: Reader, guild: int, since: int, pending: Span | None = None) -> tuple[Span, ...]:
    """When nobody could be reached in that server, as far as it ends after `since`; the one that lasts, FOREVER.

    `pending`: another one, which nobody has noted yet.
    """
    keys = reader.share.absence_keys(guild)
    rows = await reader.run_sql(
        f"SELECT since, coalesce(until, ?) FROM absences WHERE guild IN ({', '.join('?' * len(keys))})"
        " AND (until IS NULL OR until > ?) ORDER BY since",
        (FOREVER, *keys, since),
    )
    return (*((first, last) for first, last in rows), *([pending] if pending else []))


async def add_absence(writer: Writer, guild: int, since: int, until: int | None = None) -> None:
    """Notes an absence; without an end it lasts, if one does not already."""
    if until is None and await writer.run_sql("SELECT 1 FROM absences WHERE guild = ? AND until IS NULL", (guild,)):
        return
    longer = "max(absences.until, excluded.until)"  # NULL where either lasts
    await writer.run_sql(
        *upsert_statement("absences", {"guild": guild, "since": since}, {"until": until}, until=longer)
    )


async def end_absence(writer: Writer, guild: int, until: int) -> None:
    """Notes that a server can be reached again; nothing where it could."""
    await writer.run_sql("UPDATE absences SET until = max(since, ?) WHERE guild = ? AND until IS NULL", (until, guild))


async def set_ladders_shut(writer: Writer, guild: int, now: int, *, shut: bool) -> None:
    """Notes whether the bot may post where a server's ladders are played; an absence of those alone."""
    if shut:
        row = {"guild": _ladders_of(guild), "since": now}
        await writer.run_sql(*upsert_statement("absences", row, {"until": None, "made_up": LARGEST_STORED_INT}))
    else:
        await end_absence(writer, _ladders_of(guild), now)


async def ladder_absences(reader: Reader, guild: int, now: int) -> tuple[Span, ...]:
    """When the bot could not post where a server's ladders are played, as far as it lies before now."""
    rows = await reader.run_sql(
        "SELECT since, coalesce(until, ?) FROM absences WHERE guild = ? ORDER BY since", (now, _ladders_of(guild))
    )
    return tuple((since, until) for since, until in rows)


async def challenged_ladders(reader: Reader) -> list[tuple[int, int, bool]]:
    """The servers and channels of the ladders on which a challenge waits, and whether they are noted as shut."""
    rows = await reader.run_sql(
        "SELECT guild, channel, EXISTS (SELECT 1 FROM absences WHERE absences.guild = -ladders.guild AND until IS NULL)"
        " FROM ladders WHERE EXISTS (SELECT 1 FROM ladder_challenges WHERE ladder_challenges.guild = ladders.guild"
        f" AND ladder_challenges.variant = ladders.variant){reader.share.guild_filter_sql('ladders.guild')}"
        " ORDER BY guild"
    )
    return [(guild, channel, bool(shut)) for guild, channel, shut in rows]


async def lasting_absences(reader: Reader) -> dict[int, int]:
    """The servers that cannot be reached, with since when."""
    rows = await reader.run_sql("SELECT guild, since FROM absences WHERE until IS NULL")
    return {int(guild): int(since) for guild, since in rows}


async def waiting_servers(reader: Reader) -> list[int]:
    """The servers in which anything goes on whose time is counted, of those that are looked after here."""
    ours = reader.share.guild_filter_sql()
    return await reader.read_column(
        f"SELECT guild FROM matches INDEXED BY matches_unfinished WHERE phase IN ('open', 'live'){ours}"
        f" UNION SELECT guild FROM ladders WHERE wake IS NOT NULL{ours}"
    )


class Absence(NamedTuple):
    """An absence that is over."""

    guild: int
    since: int
    until: int
    made_up: int
    """The last match that has been brought up to date after it."""


async def unfinished_absences(reader: Reader, least: int) -> list[Absence]:
    """The absences of so many seconds that are over, after which not all matches have been brought up to date.

    Those that are seen to here.
    """
    rows = await reader.run_sql(
        "SELECT guild, since, until, made_up FROM absences WHERE made_up < ? AND until - since >= ? ORDER BY until",
        (LARGEST_STORED_INT, least),
    )
    return [absence for absence in (Absence(*row) for row in rows) if reader.share.owns_key(absence.guild)]


async def set_made_up(writer: Writer, absence: Absence, match_id: int) -> None:
    """Notes how far that has come; LARGEST once it is done."""
    await writer.run_sql(
        "UPDATE absences SET made_up = ? WHERE guild = ? AND since = ?", (match_id, absence.guild, absence.since)
    )


async def matches_concerned(reader: Reader, absence: Absence, most: int) -> list[int]:
    """The next open tables and live games that were on during the absence and have an end."""
    return await reader.read_column(
        "SELECT id FROM matches WHERE phase IN ('open', 'live') AND deadline IS NOT NULL AND id > :made_up"
        f" AND moved_at < :until{absence_filter_sql(absence.guild)} ORDER BY id LIMIT :most",
        {"made_up": absence.made_up, "until": absence.until, "most": most},
    )


async def unreached_matches(reader: Reader, since: int) -> list[tuple[int, int]]:
    """The open tables and live games of the servers that nobody could reach from then on, with since when.

    Those that are looked after here.
    """
    rows = await reader.run_sql(
        "SELECT id, since FROM matches JOIN absences USING (guild)"
        f" WHERE until IS NULL AND since <= ? AND phase IN ('open', 'live'){reader.share.guild_filter_sql()}"
        " ORDER BY id",
        (since,),
    )
    return [(match_id, at) for match_id, at in rows]


async def forget_absences(writer: Writer, now: int) -> None:
    """Strikes out those that no clock depends on any more."""
    await writer.run_sql(
        "DELETE FROM absences WHERE until < ? AND until < coalesce("
        "(SELECT min(moved_at) FROM matches WHERE phase IN ('open', 'live')), ?)",
        (now - ABSENCE_RETENTION_S, now),
    )


async def last_present_at(reader: Reader, shard: int) -> int | None:
    """When the bot was last there for the servers of that shard; None if it never was."""
    noted_at = await reader.get_meta(_present_key(reader.share, shard)) or await reader.get_meta(_PRESENT_KEY)
    return int(noted_at) if noted_at else None


async def note_present(writer: Writer, since: Mapping[int, int], now: int) -> None:
    """Notes that the bot is there for the servers of its shards, and since when it was not, by shard."""
    share = writer.share
    for shard in sorted(share.own_shards):
        if shard in since:
            await add_absence(writer, share.shard_key(shard), since[shard], now)
        await writer.set_meta(_present_key(share, shard), str(now))


async def shard_counts(reader: Reader) -> list[int]:
    """Into how many shards the servers have been divided; the present number comes last."""
    stored = await reader.get_meta(_SHARD_COUNTS_KEY)
    return [int(count) for count in stored.split()] if stored else [1]


async def divide_servers(writer: Writer, count: int) -> tuple[int, ...]:
    """Has the servers divided into so many shards from now on; how many there have been before.

    Nobody may look after any of them meanwhile. When the bot was last there, is noted of all of them together then.
    """
    all_counts = await shard_counts(writer)
    if (last := all_counts[-1]) != count:
        rows: dict[str, str] = dict(
            await writer.run_sql("SELECT key, value FROM meta WHERE key >= ? AND key < ?", (_PRESENT_KEY, _PRESENT_END))
        )
        together = rows.pop(_PRESENT_KEY, None)
        oldest = min(map(int, rows.values()), default=None) if len(rows) == last else together
        for key in rows:
            await writer.set_meta(key, None)
        await writer.set_meta(_PRESENT_KEY, str(oldest) if oldest is not None else None)
        all_counts = [earlier for earlier in all_counts if earlier != count] + [count]
        await writer.set_meta(_SHARD_COUNTS_KEY, " ".join(map(str, all_counts)))
    return tuple(all_counts[:-1])


def _ladders_of(guild: int) -> int:
    """What stands for the ladders of a server, where a server could stand."""
    return -guild


def _present_key(share: ShardShare, shard: int) -> str:
    return _PRESENT_KEY if share.shard_count == 1 else f"{_PRESENT_KEY}:{shard}"
