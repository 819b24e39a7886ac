"""SQL about the roles for the winners of leagues: who has one, and who is to get or lose one; and about old events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bot.leagues import season_rows
from bot.leagues.league import RETRY_S, League
from bot.store import Reader, Writer
from bot.store.connection import upsert_statement


class RoleHolder(NamedTuple):
    """A person who is to get the role of a league, or to lose it."""

    league: int
    user: int
    role: int
    guild: int
    is_wanted: bool
    """True if they are to have it."""


async def pass_role_on(writer: Writer, league: League, now: int) -> None:
    """Notes that the latest winners are to have the league's role, and nobody else. Seasons without winners do not
    count."""
    winners = await season_rows.winners_of(writer, league.id)
    users = winners[max(winners)] if winners else []
    people = [user for user in users if user > 0]  # a forgotten person has been replaced by a stand-in
    await set_holders(writer, league.id, league.guild, league.role, people, now)


async def set_holders(
    writer: Writer, league: int, guild: int, role: int | None, users: Iterable[int], now: int
) -> None:
    """Notes that these users are to have the role, and that all others are to lose the roles they got from it."""
    await writer.run_sql("UPDATE league_role_holders SET wanted = 0, try_at = ? WHERE league = ?", (now, league))
    for user in users if role is not None else ():
        key = {"league": league, "user": user, "role": role}
        await writer.run_sql(
            *upsert_statement("league_role_holders", key, {"guild": guild, "wanted": 1, "try_at": now})
        )


async def due_holders(reader: Reader, now: int) -> list[RoleHolder]:
    """Returns the people who are to get or lose a role now. Losses come first."""
    rows = await reader.run_sql(
        "SELECT league, user, role, guild, wanted FROM league_role_holders"
        " WHERE (try_at <= :now OR try_at > :latest) ORDER BY wanted, league, user, role",
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
    """Notes when Discord is to be asked again, unless the row is settled before."""
    await writer.run_sql(
        "UPDATE league_role_holders SET try_at = ? WHERE league = ? AND user = ? AND role = ? AND wanted = ?",
        (at, *holder[:3], int(holder.is_wanted)),
    )


async def settle_holder(writer: Writer, holder: RoleHolder) -> None:
    """Notes that the user has got or lost the role as wanted, unless the wish has changed since."""
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
    """Stops all requests about a role of a league, until the role is passed on or chosen again."""
    await writer.run_sql("UPDATE league_role_holders SET try_at = NULL WHERE league = ? AND role = ?", (league, role))


async def announced_events(reader: Reader) -> list[tuple[int, int]]:
    """Returns the server and id of each scheduled event that earlier versions have left."""
    rows = await reader.run_sql("SELECT guild, event FROM league_scheduled_events ORDER BY event")
    return [(guild, event) for guild, event in rows]


async def forget_event(writer: Writer, event: int) -> None:
    """Forgets a scheduled event."""
    await writer.run_sql("DELETE FROM league_scheduled_events WHERE event = ?", (event,))
