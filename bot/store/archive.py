"""SQL about games that were played elsewhere and kept as records."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import NamedTuple

from bot.store import Reader, Writer
from bot.store.connection import insert_statement


class ArchivedGame(NamedTuple):
    """A game that was played elsewhere."""

    id: int
    variant: str
    players: str
    """The names, as in the record."""
    result: str
    moves: int
    record: str
    """In the form of `rules.collection.canonical_text`; as it was written if an earlier version took it."""


_ARCHIVED_GAMES_SQL = (
    "SELECT id, variant, players, result, moves, record FROM archive WHERE (guild IS NULL OR guild = ?)"
)


async def records_of(reader: Reader, guild: int | None) -> AsyncIterator[str]:
    """Yields the records in the archive of that server, or with None in that of all servers."""
    sql, last = "SELECT id, record FROM archive WHERE coalesce(guild, 0) = ? AND id > ? ORDER BY id LIMIT 1000", 0
    while rows := await reader.run_sql(sql, (guild or 0, last)):
        for _, record in rows:
            yield record
        last = rows[-1][0]


async def add_archived(writer: Writer, game: ArchivedGame, guild: int | None, now: int) -> None:
    """Stores a game that was played elsewhere, ignoring its `id`."""
    columns = {name: value for name, value in game._asdict().items() if name != "id"}
    await writer.run_sql(*insert_statement("archive", {**columns, "guild": guild, "imported_at": now}))


async def archived_games(reader: Reader, guild: int, first: int, most: int) -> list[ArchivedGame]:
    """Returns the archived games of a server, including those for all servers, the latest import first."""
    rows = await reader.run_sql(f"{_ARCHIVED_GAMES_SQL} ORDER BY id DESC LIMIT ? OFFSET ?", (guild, most, first))
    return [ArchivedGame(*row) for row in rows]


async def archived_game(reader: Reader, guild: int, number: int) -> ArchivedGame | None:
    """Returns an archived game; None if the server does not have it."""
    row = await reader.read_row(f"{_ARCHIVED_GAMES_SQL} AND id = ?", (guild, number))
    return ArchivedGame(*row) if row else None
