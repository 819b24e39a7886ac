"""The statements about games that leave for elsewhere, and those that were played there."""

from __future__ import annotations

from typing import NamedTuple

from bot.store import Reader, Writer


class Archived(NamedTuple):
    """A game that was played elsewhere."""

    id: int
    variant: str
    players: str
    """As the record tells them."""
    result: str
    moves: int
    record: str


async def begun(
    reader: Reader, guild: int | None, user: int | None, match_id: int | None = None
) -> list[tuple[int, int, int | None]]:
    """Number, beginning and end (None while it is on) of started games: of a server, of a user, one, or all."""
    conditions = {
        "match": "id = :match",
        "guild": "matches.guild = :guild",
        "user": "EXISTS (SELECT 1 FROM players WHERE players.match = id AND user = :user)",
    }
    values = {"match": match_id, "guild": guild, "user": user}
    # Only those that hold, for SQLite takes no index where a condition may not.
    wanted = "".join(f" AND {conditions[name]}" for name, value in values.items() if value is not None)
    rows = await reader.run(
        "SELECT id, coalesce(began_at, (SELECT at FROM events WHERE events.match = id AND kind = 7)), ended_at"  # noqa: S608 - only our own conditions
        " FROM matches LEFT JOIN results ON results.match = id WHERE phase IN ('live', 'over')"
        f"{wanted} ORDER BY id",
        values,
    )
    return [(match_id, began, ended) for match_id, began, ended in rows]


async def add_archived(writer: Writer, game: Archived, guild: int | None, now: int) -> bool:
    """Notes a game that was played elsewhere; whether it is new. Its `id` is not looked at."""
    rows = await writer.run(
        "INSERT INTO archive (guild, variant, players, result, moves, record, imported_at) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING RETURNING id",
        (guild, *game[1:], now),
    )
    return bool(rows)


async def archived(reader: Reader, guild: int, first: int, most: int) -> list[Archived]:
    """The games from elsewhere that a server has, those for all servers included; the latest import first."""
    rows = await reader.run(
        "SELECT id, variant, players, result, moves, record FROM archive WHERE guild IS NULL OR guild = ?"
        " ORDER BY id DESC LIMIT ? OFFSET ?",
        (guild, most, first),
    )
    return [Archived(*row) for row in rows]


async def archived_game(reader: Reader, guild: int, number: int) -> Archived | None:
    """That game from elsewhere, if the server has it."""
    rows = await reader.run(
        "SELECT id, variant, players, result, moves, record FROM archive WHERE id = ? AND (guild IS NULL OR guild = ?)",
        (number, guild),
    )
    return Archived(*rows[0]) if rows else None
