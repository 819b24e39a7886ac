"""The statements about those who look for a game, and the tables for which they are called."""

from __future__ import annotations

import json
from collections.abc import Iterable

from bot.store import Reader, Writer
from bot.store.connection import insert_once_statement


async def add_seeker(writer: Writer, guild: int, user: int) -> None:
    """Puts somebody on the list of that server."""
    await writer.run_sql(*insert_once_statement("seekers", {"guild": guild, "user": user}))


async def remove_seeker(writer: Writer, guild: int, user: int) -> bool:
    """Takes somebody off it; whether they stood on it."""
    rows = await writer.run_sql("DELETE FROM seekers WHERE guild = ? AND user = ? RETURNING user", (guild, user))
    return bool(rows)


async def servers_of_seeker(reader: Reader, user: int) -> list[int]:
    """The servers on whose list somebody stands."""
    return await reader.read_column("SELECT guild FROM seekers WHERE user = ? ORDER BY guild", (user,))


async def next_in_turn(reader: Reader, guild: int, before: int, most: int) -> list[int]:
    """Those on the list of that server who have not been called since `before`; who has waited longest comes first."""
    return await reader.read_column(
        "SELECT user FROM seekers WHERE guild = ? AND called <= ? ORDER BY called, user LIMIT ?",
        (guild, before, most),
    )


async def open_tables(reader: Reader) -> list[int]:
    """The open tables of servers in which anybody looks for a game, and for which nobody has been called."""
    return await reader.read_column(
        "SELECT id FROM matches WHERE guild IN (SELECT guild FROM seekers) AND phase = 'open'"
        f" AND NOT EXISTS (SELECT 1 FROM tables_called WHERE match = id){reader.share.guild_filter_sql()} ORDER BY id"
    )


async def note_table_called(writer: Writer, match_id: int) -> None:
    """Notes that people have been called to that table."""
    await writer.run_sql(*insert_once_statement("tables_called", {"match": match_id}))


async def note_called(writer: Writer, guild: int, users: Iterable[int], now: int) -> None:
    """Notes that those people's turn has come in that server."""
    await writer.run_sql(
        "UPDATE seekers SET called = ? WHERE guild = ? AND user IN (SELECT value FROM json_each(?))",
        (now, guild, json.dumps([*users])),
    )
