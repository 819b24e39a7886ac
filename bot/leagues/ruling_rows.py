"""SQL about the rulings of referees in leagues."""

from __future__ import annotations

from typing import Literal, NamedTuple

from bot.store import Reader, Writer
from bot.store.connection import upsert_statement
from rules import Seat

Audience = Literal["players", "audit"]


class LeagueRuling(NamedTuple):
    """A referee's decision on how a game counts in its league."""

    match: int
    at: int
    league: int
    guild: int
    referee: int
    winner: Seat | None
    """None: a draw."""
    reason: str


async def add_ruling(writer: Writer, ruling: LeagueRuling) -> None:
    """Stores a ruling, which then has to be posted for both audiences."""
    values = {**ruling._asdict(), "told": 0, "audited": 0}
    key = {column: values.pop(column) for column in ("match", "at")}
    await writer.run_sql(*upsert_statement("league_rulings", key, values))


async def replace_referee(writer: Writer, user: int, stand_in: int) -> None:
    """Replaces a referee by a stand-in."""
    await writer.run_sql("UPDATE league_rulings SET referee = ? WHERE referee = ?", (stand_in, user))


async def matches_ruled(reader: Reader) -> list[int]:
    """Returns the matches about which a ruling has to be posted."""
    return await reader.read_column("SELECT DISTINCT match FROM league_rulings WHERE told + audited < 2 ORDER BY match")


async def rulings_due(reader: Reader, match: int) -> list[tuple[LeagueRuling, list[Audience]]]:
    """Returns the rulings about a match that have to be posted, in order, each with its audiences."""
    due = list[tuple[LeagueRuling, list[Audience]]]()
    for *values, players_post, audited in await reader.run_sql(
        "SELECT match, at, league, guild, referee, winner, reason, told, audited FROM league_rulings"
        " WHERE match = ? AND told + audited < 2 ORDER BY at",
        (match,),
    ):
        posted: dict[Audience, int] = {"players": players_post, "audit": audited}
        due.append((LeagueRuling(*values), [audience for audience in posted if not posted[audience]]))
    return due


async def note_posted(writer: Writer, ruling: LeagueRuling, audience: Audience) -> None:
    """Notes that a ruling has been posted for an audience, or cannot be."""
    column = "told" if audience == "players" else "audited"
    await writer.run_sql(
        f"UPDATE league_rulings SET {column} = 1 WHERE match = ? AND at = ?", (ruling.match, ruling.at)
    )
