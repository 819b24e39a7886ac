"""The statements about absences: when nobody could be reached, so that no clock ran.

In a server, or in all servers of a shard because the bot itself was away: see `Share.everywhere`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from bot.match.events import LARGEST
from bot.match.match import Match
from bot.people.clock import DAY, FOREVER, Span
from bot.people.settings import Person
from bot.store import Reader, Writer
from bot.store.connection import upsert
from bot.store.people import people
from bot.store.shards import Share, condition

_THERE, _AFTER = "ticked", "ticked;"
"""Where it is noted when the bot was last there, and what comes after the keys of single shards."""

_COUNTS = "shards"
"""Where it is noted into how many shards the servers are divided, after how many there were before."""

KEPT = 90 * DAY
"""For so long an absence is kept in any case; and for as long as a game is on whose turn began before its end."""


async def players(
    reader: Reader, match: Match, since: int | None = None, pending: int | None = None
) -> dict[int, Person]:
    """Who plays in a match or waits for it, with the absences after `since`, or else after its turn began.

    `pending`: from when on the bot has been away, if nobody has noted that yet. Those who have asked for nothing are
    left out where there are no absences.
    """
    users = match.players or match.joined
    known = await people(reader, users)
    away = None if pending is None else (pending, FOREVER)
    spans = await absences(reader, match.guild, match.moved_at if since is None else since, away)
    if not spans:
        return known
    return {user: replace(known.get(user, Person()), absences=spans) for user in users}


async def absences(reader: Reader, guild: int, since: int, pending: Span | None = None) -> tuple[Span, ...]:
    """When nobody could be reached in that server, as far as it ends after `since`; the one that lasts, FOREVER.

    `pending`: another one, which nobody has noted yet.
    """
    around = reader.share.around(guild)
    rows = await reader.run(
        f"SELECT since, coalesce(until, ?) FROM absences WHERE guild IN ({', '.join('?' * len(around))})"
        " AND (until IS NULL OR until > ?) ORDER BY since",
        (FOREVER, *around, since),
    )
    return (*((first, last) for first, last in rows), *([pending] if pending else []))


async def add_absence(writer: Writer, guild: int, since: int, until: int | None = None) -> None:
    """Notes an absence; without an end it lasts, if one does not already."""
    if until is None and await writer.run("SELECT 1 FROM absences WHERE guild = ? AND until IS NULL", (guild,)):
        return
    longer = "max(absences.until, excluded.until)"  # NULL where either lasts
    await writer.run(*upsert("absences", {"guild": guild, "since": since}, {"until": until}, until=longer))


async def end_absence(writer: Writer, guild: int, until: int) -> None:
    """Notes that a server can be reached again; nothing where it could."""
    await writer.run("UPDATE absences SET until = max(since, ?) WHERE guild = ? AND until IS NULL", (until, guild))


async def note_ladders(writer: Writer, guild: int, now: int, *, shut: bool) -> None:
    """Notes whether the bot may post where a server's ladders are played; an absence of those alone."""
    if shut:
        row = {"guild": _ladders_of(guild), "since": now}
        await writer.run(*upsert("absences", row, {"until": None, "made_up": LARGEST}))
    else:
        await end_absence(writer, _ladders_of(guild), now)


async def ladders_shut(reader: Reader, guild: int, now: int) -> tuple[Span, ...]:
    """When the bot could not post where a server's ladders are played, as far as it lies before now."""
    rows = await reader.run(
        "SELECT since, coalesce(until, ?) FROM absences WHERE guild = ? ORDER BY since", (now, _ladders_of(guild))
    )
    return tuple((since, until) for since, until in rows)


async def challenged_in(reader: Reader) -> list[tuple[int, int, bool]]:
    """The servers and channels of the ladders on which a challenge waits, and whether they are noted as shut."""
    rows = await reader.run(
        "SELECT guild, channel, EXISTS (SELECT 1 FROM absences WHERE absences.guild = -ladders.guild AND until IS NULL)"
        " FROM ladders WHERE EXISTS (SELECT 1 FROM ladder_challenges WHERE ladder_challenges.guild = ladders.guild"
        f" AND ladder_challenges.variant = ladders.variant){reader.share.also('ladders.guild')} ORDER BY guild"
    )
    return [(guild, channel, bool(shut)) for guild, channel, shut in rows]


async def lasting(reader: Reader) -> dict[int, int]:
    """The servers that cannot be reached, with since when."""
    rows = await reader.run("SELECT guild, since FROM absences WHERE until IS NULL")
    return {int(guild): int(since) for guild, since in rows}


async def waiting_servers(reader: Reader) -> list[int]:
    """The servers in which anything goes on whose time is counted, of those that are looked after here."""
    ours = reader.share.also()
    return await reader.column(
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


async def unfinished(reader: Reader, least: int) -> list[Absence]:
    """The absences of so many seconds that are over, after which not all matches have been brought up to date.

    Those that are seen to here.
    """
    rows = await reader.run(
        "SELECT guild, since, until, made_up FROM absences WHERE made_up < ? AND until - since >= ? ORDER BY until",
        (LARGEST, least),
    )
    return [absence for absence in (Absence(*row) for row in rows) if reader.share.sees_to(absence.guild)]


async def set_made_up(writer: Writer, absence: Absence, match_id: int) -> None:
    """Notes how far that has come; LARGEST once it is done."""
    await writer.run(
        "UPDATE absences SET made_up = ? WHERE guild = ? AND since = ?", (match_id, absence.guild, absence.since)
    )


async def concerned(reader: Reader, absence: Absence, most: int) -> list[int]:
    """The next open tables and live games that were on during the absence and have an end."""
    return await reader.column(
        "SELECT id FROM matches WHERE phase IN ('open', 'live') AND deadline IS NOT NULL AND id > :made_up"
        f" AND moved_at < :until{condition(absence.guild)} ORDER BY id LIMIT :most",
        {"made_up": absence.made_up, "until": absence.until, "most": most},
    )


async def unreached(reader: Reader, since: int) -> list[tuple[int, int]]:
    """The open tables and live games of the servers that nobody could reach from then on, with since when.

    Those that are looked after here.
    """
    rows = await reader.run(
        "SELECT id, since FROM matches JOIN absences USING (guild)"
        f" WHERE until IS NULL AND since <= ? AND phase IN ('open', 'live'){reader.share.also()} ORDER BY id",
        (since,),
    )
    return [(match_id, at) for match_id, at in rows]


async def forget_absences(writer: Writer, now: int) -> None:
    """Strikes out those that no clock depends on any more."""
    await writer.run(
        "DELETE FROM absences WHERE until < ? AND until < coalesce("
        "(SELECT min(moved_at) FROM matches WHERE phase IN ('open', 'live')), ?)",
        (now - KEPT, now),
    )


async def last_there(reader: Reader, shard: int) -> int | None:
    """When the bot was last there for the servers of that shard; None if it never was."""
    noted = await reader.meta(_there(reader.share, shard)) or await reader.meta(_THERE)
    return int(noted) if noted else None


async def note_there(writer: Writer, since: Mapping[int, int], now: int) -> None:
    """Notes that the bot is there for the servers of its shards, and since when it was not, by shard."""
    share = writer.share
    for shard in sorted(share.own):
        if shard in since:
            await add_absence(writer, share.everywhere(shard), since[shard], now)
        await writer.set_meta(_there(share, shard), str(now))


async def counts(reader: Reader) -> list[int]:
    """Into how many shards the servers have been divided; the present number comes last."""
    noted = await reader.meta(_COUNTS)
    return [int(one) for one in noted.split()] if noted else [1]


async def divide(writer: Writer, count: int) -> tuple[int, ...]:
    """Has the servers divided into so many shards from now on; how many there have been before.

    Nobody may look after any of them meanwhile. When the bot was last there, is noted of all of them together then.
    """
    known = await counts(writer)
    if (last := known[-1]) != count:
        rows: dict[str, str] = dict(
            await writer.run("SELECT key, value FROM meta WHERE key >= ? AND key < ?", (_THERE, _AFTER))
        )
        together = rows.pop(_THERE, None)
        oldest = min(map(int, rows.values()), default=None) if len(rows) == last else together
        for key in rows:
            await writer.set_meta(key, None)
        await writer.set_meta(_THERE, str(oldest) if oldest is not None else None)
        known = [one for one in known if one != count] + [count]
        await writer.set_meta(_COUNTS, " ".join(map(str, known)))
    return tuple(known[:-1])


def _ladders_of(guild: int) -> int:
    """What stands for the ladders of a server, where a server could stand."""
    return -guild


def _there(share: Share, shard: int) -> str:
    return _THERE if share.count == 1 else f"{_THERE}:{shard}"
