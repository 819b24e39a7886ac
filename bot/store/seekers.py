"""SQL about the people who look for a game, and the tables to which some of them have been called."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bot.core.clock import DAY
from bot.core.match import Match
from bot.store import Reader, Writer
from bot.store.people import load_people, people_apart

SEEKER_REST_S = DAY
"""Seconds for which a user is not called again."""

MAX_SEEKERS_CONSIDERED = 100
"""People among whom the called ones are chosen: they must be in the server and able to see the table."""


async def is_looking(reader: Reader, guild: int, user: int) -> bool:
    """Returns True if the user is on the list of that server."""
    return guild in await servers_of_seeker(reader, user)


async def servers_of_seeker(reader: Reader, user: int) -> list[int]:
    """Returns the servers on whose lists the user is."""
    return await reader.read_column("SELECT guild FROM seekers WHERE user = ? ORDER BY guild", (user,))


async def remove_seeker(writer: Writer, guild: int, user: int) -> None:
    """Takes the user off the list of that server."""
    await writer.run_sql("DELETE FROM seekers WHERE guild = ? AND user = ?", (guild, user))


async def tables_not_called(reader: Reader, since: int) -> list[int]:
    """Returns the tables opened since then, in servers with seekers, to which nobody has been called."""
    return await reader.read_column(
        "SELECT id FROM matches WHERE guild IN (SELECT guild FROM seekers) AND phase = 'open'"
        " AND (SELECT at FROM events WHERE match = id AND seq = 1) >= ?"
        " AND NOT EXISTS (SELECT 1 FROM tables_called WHERE match = id) ORDER BY id",
        (since,),
    )


async def note_called(writer: Writer, match: Match, users: Sequence[int], now: int) -> None:
    """Notes that these people have been called to that table or game."""
    await writer.save_row("tables_called", {"match": match.id}, {})
    await writer.run_sql(
        "UPDATE seekers SET called_at = ? WHERE guild = ? AND user IN (SELECT value FROM json_each(?))",
        (now, match.guild, json.dumps([*users])),
    )


async def seekers_in_turn(reader: Reader, match: Match, now: int) -> list[int]:
    """Returns the people who may be called to that table or game, the longest waiting first.

    Leaves out people who sit there or did, are invited, have declined, are on vacation, or are apart from somebody
    there.
    """
    table, roster = match.table, match.roster
    left_out = {table.host, *table.joined, *table.invited, *table.declined, *match.players}
    left_out |= {leaver.user for leaver in roster.leavers} | {taken.instead for taken in roster.substitutes}
    seekers = await reader.read_column(
        "SELECT user FROM seekers WHERE guild = ? AND called_at <= ? ORDER BY called_at, user LIMIT ?",
        (match.guild, now - SEEKER_REST_S, MAX_SEEKERS_CONSIDERED),
    )
    people = await load_people(reader, seekers)
    away = [user for user, person in people.items() if any(start <= now < end for start, end in person.vacations)]
    apart = await people_apart(reader, seekers, match.people_in or table.joined)
    return [user for user in seekers if user not in {*left_out, *away, *apart}]
