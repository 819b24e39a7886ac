"""SQL about people who look for a game, and about the tables to which they are called."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from bot.store import Reader, Writer
from bot.store.connection import insert_once_statement


async def add_seeker(writer: Writer, guild: int, user: int) -> None:
    """Adds a user to the list of a server; nothing changes if they are on it."""
    await writer.run_sql(*insert_once_statement("seekers", {"guild": guild, "user": user}))


async def remove_seeker(writer: Writer, guild: int, user: int) -> None:
    """Removes a user from the list."""
    await writer.run_sql("DELETE FROM seekers WHERE guild = ? AND user = ?", (guild, user))


async def servers_of_seeker(reader: Reader, user: int) -> list[int]:
    """The servers on whose lists the user is."""
    return await reader.read_column("SELECT guild FROM seekers WHERE user = ? ORDER BY guild", (user,))


async def export_person(reader: Reader, user: int) -> Mapping[str, Any]:
    """Returns the user's places on lists, ready for JSON."""
    return {"looking_for_a_game_in": [str(guild) for guild in await servers_of_seeker(reader, user)]}


async def next_in_turn(reader: Reader, guild: int, before: int, most: int) -> list[int]:
    """The users on a server's list who have not been called since `before`, the longest waiting first."""
    return await reader.read_column(
        "SELECT user FROM seekers WHERE guild = ? AND called <= ? ORDER BY called, user LIMIT ?",
        (guild, before, most),
    )


async def open_tables(reader: Reader, since: int) -> list[int]:
    """The open tables of servers with a seeker that were opened since then, and to which nobody has been called."""
    return await reader.read_column(
        "SELECT id FROM matches WHERE guild IN (SELECT guild FROM seekers) AND phase = 'open'"
        " AND (SELECT at FROM events WHERE match = id AND seq = 1) >= ?"
        " AND NOT EXISTS (SELECT 1 FROM tables_called WHERE match = id) ORDER BY id",
        (since,),
    )


async def note_table_called(writer: Writer, match_id: int) -> None:
    """Notes that people have been called to a table."""
    await writer.run_sql(*insert_once_statement("tables_called", {"match": match_id}))


async def note_called(writer: Writer, guild: int, users: Iterable[int], now: int) -> None:
    """Notes that these users have been called in a server."""
    await writer.run_sql(
        "UPDATE seekers SET called = ? WHERE guild = ? AND user IN (SELECT value FROM json_each(?))",
        (now, guild, json.dumps([*users])),
    )
