"""SQL about what leagues do outside their posts: the role of their winners, and scheduled events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bot.leagues.honours import RETRY_S, Announcement
from bot.store import Reader, Writer
from bot.store.connection import upsert_statement

_IS_DUE = "(try_at <= :now OR try_at > :latest)"
"""Whether Discord is to be asked now. A time that is too late stems from a clock that was wrong."""


class RoleHolder(NamedTuple):
    """A person who is to get the role of a league, or to lose it."""

    league: int
    user: int
    role: int
    guild: int
    is_wanted: bool
    """True if they are to have it."""


class AnnouncedSeason(NamedTuple):
    """A league and its scheduled event, which have to be compared."""

    league: int
    guild: int
    event: int | None = None
    """The number of the event that is up; None if there is none."""
    announcement: Announcement | None = None
    """What that event announces."""


# Roles


async def set_holders(
    writer: Writer, league: int, guild: int, role: int | None, users: Iterable[int], now: int
) -> None:
    """Notes that these users are to have the role, and that all others are to lose what they have of the league."""
    await writer.run_sql("UPDATE league_role_holders SET wanted = 0, try_at = ? WHERE league = ?", (now, league))
    for user in users if role is not None else ():
        key = {"league": league, "user": user, "role": role}
        await writer.run_sql(
            *upsert_statement("league_role_holders", key, {"guild": guild, "wanted": 1, "try_at": now})
        )


async def due_holders(reader: Reader, now: int) -> list[RoleHolder]:
    """The people of this worker's servers who are to get or lose a role now, those who lose it first."""
    rows = await reader.run_sql(
        "SELECT league, user, role, guild, wanted FROM league_role_holders"
        f" WHERE {_IS_DUE}{reader.own_servers_sql()} ORDER BY wanted, league, user, role",
        {"now": now, "latest": now + RETRY_S},
    )
    return [RoleHolder(league, user, role, guild, bool(wanted)) for league, user, role, guild, wanted in rows]


async def is_wanted_elsewhere(reader: Reader, holder: RoleHolder) -> bool:
    """True if another league wants the same user to have the same role."""
    row = await reader.read_row(
        "SELECT 1 FROM league_role_holders WHERE user = ? AND role = ? AND league <> ? AND wanted = 1",
        (holder.user, holder.role, holder.league),
    )
    return row is not None


async def try_holder_at(writer: Writer, holder: RoleHolder, at: int) -> None:
    """Notes when Discord is to be asked again, unless it has been asked by then."""
    await writer.run_sql(
        "UPDATE league_role_holders SET try_at = ? WHERE league = ? AND user = ? AND role = ? AND wanted = ?",
        (at, *holder[:3], int(holder.is_wanted)),
    )


async def settle_holder(writer: Writer, holder: RoleHolder) -> None:
    """Notes that the user has what is wanted, unless something else has been wanted since."""
    change = "UPDATE league_role_holders SET try_at = NULL" if holder.is_wanted else "DELETE FROM league_role_holders"
    await writer.run_sql(
        f"{change} WHERE league = ? AND user = ? AND role = ? AND wanted = ?", (*holder[:3], int(holder.is_wanted))
    )


async def drop_holder(writer: Writer, holder: RoleHolder) -> None:
    """Forgets a user who has left the server, or a role that has been deleted."""
    await writer.run_sql(
        "DELETE FROM league_role_holders WHERE league = ? AND user = ? AND role = ?", tuple(holder[:3])
    )


async def stop_trying_role(writer: Writer, league: int, role: int) -> None:
    """Leaves a role of a league where it is, until somebody else is to have one."""
    await writer.run_sql("UPDATE league_role_holders SET try_at = NULL WHERE league = ? AND role = ?", (league, role))


# Scheduled events


async def watch_event(writer: Writer, league: int, guild: int) -> None:
    """Queues a league's event, present or wanted, for comparison with the league."""
    key, values = {"league": league}, {"guild": guild, "try_at": 0}
    await writer.run_sql(*upsert_statement("league_scheduled_events", key, values))


async def check_event(writer: Writer, league: int) -> None:
    """Queues the event of a league that may have changed, if it is to have one, for comparison with the league."""
    await writer.run_sql("UPDATE league_scheduled_events SET try_at = 0 WHERE league = ?", (league,))


async def due_events(reader: Reader, now: int) -> list[AnnouncedSeason]:
    """The leagues of this worker whose scheduled event has to be compared with them now."""
    rows = await reader.run_sql(
        "SELECT league, guild, event, season, kind, at FROM league_scheduled_events"
        f" WHERE {_IS_DUE}{reader.own_servers_sql()} ORDER BY league",
        {"now": now, "latest": now + RETRY_S},
    )
    return [
        AnnouncedSeason(league, guild, event, None if event is None else Announcement(*shown))
        for league, guild, event, *shown in rows
    ]


async def try_event_at(writer: Writer, league: int, at: int) -> None:
    """Notes when the event of a league is to be compared with it again."""
    await writer.run_sql("UPDATE league_scheduled_events SET try_at = ? WHERE league = ?", (at, league))


async def set_event(writer: Writer, league: int, event: int | None, shown: Announcement | None) -> None:
    """Notes which event is up, and what it announces; None: nothing."""
    season, kind, at = shown or (None, None, None)
    await writer.run_sql(
        "UPDATE league_scheduled_events SET event = ?, season = ?, kind = ?, at = ? WHERE league = ?",
        (event, season, kind, at, league),
    )


async def settle_event(writer: Writer, league: int, tried_at: int) -> None:
    """Notes that nothing is to be done about the event of a league, unless the league has changed since `tried_at`."""
    await writer.run_sql(
        "UPDATE league_scheduled_events SET try_at = NULL WHERE league = ? AND try_at = ?", (league, tried_at)
    )
