"""SQL about puzzles: puzzles from a server's own games, daily puzzles, and people's attempts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from bot.puzzles.daily import Attempt
from bot.store import Reader, Writer
from bot.store.connection import insert_statement, upsert_statement
from bot.store.reading import REACHABLE_SQL
from bot.store.results import UNWILLING_PLAYER_SQL

PUZZLE_POSTED, SOLUTION_POSTED = 1, 2
"""Values of `told`: the puzzle has been posted, and its solution too."""

OPEN_DAYS = 31
"""Days for which a daily puzzle without a successor is withheld elsewhere."""


class DailyPuzzle(NamedTuple):
    """The stored puzzle of a server's day."""

    guild: int
    day: int
    id: str
    puzzle: str
    match: int | None = None
    """The game of the server from which the puzzle comes; None if it comes from the collection."""
    told: int = 0


_DAILY_COLUMNS = ", ".join(DailyPuzzle._fields)

_GAME_OVER_SQL = "NOT EXISTS (SELECT 1 FROM matches WHERE matches.id = match AND phase <> 'over')"
"""A condition: the row's puzzle comes from no running game. A referee may have reopened a finished game."""

_USABLE_MATCH_SQL = f"phase = 'over' AND NOT ({UNWILLING_PLAYER_SQL})"
"""A condition: the match is over, and no player of it has refused puzzles or has been forgotten."""


async def own_puzzles(reader: Reader, guild: int, most: int) -> list[tuple[int, str]]:
    """Match and text of the usable puzzles from a server's own games, the latest games first."""
    rows = await reader.run_sql(
        "SELECT match, puzzle FROM puzzles_made AS made JOIN matches ON matches.id = match"
        f" WHERE made.guild = ? AND {_USABLE_MATCH_SQL} ORDER BY match DESC, made.id LIMIT ?",
        (guild, most),
    )
    return [(match_id, puzzle) for match_id, puzzle in rows]


async def puzzle_text(reader: Reader, guild: int, name: str) -> str | None:
    """The text of a server's puzzle, from its own games or of a day; None if there is none or its game is running."""
    row = await reader.read_row(
        f"SELECT puzzle FROM daily_puzzles WHERE guild = :guild AND id = :id AND {_GAME_OVER_SQL}"
        f" UNION ALL SELECT puzzle FROM puzzles_made WHERE guild = :guild AND id = :id AND {_GAME_OVER_SQL} LIMIT 1",
        {"guild": guild, "id": name},
    )
    return row[0] if row else None


async def add_own_puzzles(writer: Writer, guild: int, match_id: int, puzzles: Iterable[tuple[str, str]]) -> None:
    """Stores the puzzles of a match, by id and text, and notes that the match has been searched."""
    await writer.run_sql("UPDATE matches SET milled = 1 WHERE id = ?", (match_id,))
    for name, puzzle in puzzles:
        await writer.run_sql(
            *upsert_statement("puzzles_made", {"guild": guild, "id": name}, {"match": match_id, "puzzle": puzzle})
        )


async def next_unsearched_match(reader: Reader, but: Collection[int] = ()) -> int | None:
    """The latest finished match, of a server with daily puzzles, that has not been searched for puzzles.

    `but`: matches to leave out.
    """
    others = f" AND id NOT IN ({', '.join(map(str, but))})" if but else ""
    match_ids: list[int | None] = await reader.read_column(
        # Servers first, because they are few; otherwise SQLite would read every match ever played.
        "SELECT max(id) FROM guild_settings AS s CROSS JOIN matches INDEXED BY matches_unmilled"
        " WHERE matches.guild = s.guild AND puzzle_channel IS NOT NULL AND phase = 'over' AND milled = 0" + others
    )
    return match_ids[0]


async def is_match_usable(reader: Reader, match_id: int) -> bool:
    """True if the match is over and all its players allow puzzles from it."""
    return bool(await reader.run_sql(f"SELECT 1 FROM matches WHERE id = ? AND {_USABLE_MATCH_SQL}", (match_id,)))


async def variants_played(reader: Reader, guild: int) -> list[str]:
    """The variants of which a server has finished games."""
    return await reader.read_column(
        # One step for each variant, instead of one for each game.
        "WITH RECURSIVE one (variant) AS (SELECT min(variant) FROM results WHERE guild = :guild UNION ALL"
        " SELECT (SELECT min(variant) FROM results WHERE guild = :guild AND variant > one.variant) FROM one"
        " WHERE variant IS NOT NULL) SELECT variant FROM one WHERE variant IS NOT NULL ORDER BY variant",
        {"guild": guild},
    )


async def variants_of_user(reader: Reader, user: int) -> list[str]:
    """Returns the variants of the games in which the user plays or has played."""
    return await reader.read_column(
        "SELECT DISTINCT variant FROM matches JOIN players ON players.match = matches.id"
        " WHERE players.user = ? AND phase IN ('live', 'over')",
        (user,),
    )


async def load_daily(reader: Reader, guild: int, day: int) -> DailyPuzzle | None:
    """The puzzle of that day."""
    row = await reader.read_row(f"SELECT {_DAILY_COLUMNS} FROM daily_puzzles WHERE guild = ? AND day = ?", (guild, day))
    return DailyPuzzle(*row) if row else None


async def puzzle_calendars(reader: Reader) -> list[tuple[int, str, int]]:
    """The servers with daily puzzles: each with its zone and the last day that has a puzzle, or 0."""
    rows = await reader.run_sql(
        "SELECT guild, zone,"
        " coalesce((SELECT max(day) FROM daily_puzzles AS daily WHERE daily.guild = settings.guild), 0)"
        " FROM guild_settings AS settings WHERE puzzle_channel IS NOT NULL"
        " ORDER BY guild"
    )
    return [(guild, zone, day) for guild, zone, day in rows]


async def posted_puzzles(reader: Reader, guild: int) -> list[tuple[int, str]]:
    """Day and id of the puzzles that have been posted in a server, the last one first."""
    rows = await reader.run_sql(
        "SELECT day, id FROM daily_puzzles WHERE guild = ? AND told > 0 ORDER BY day DESC", (guild,)
    )
    return [(day, name) for day, name in rows]


async def open_puzzle_ids(reader: Reader) -> set[str]:
    """The ids of the puzzles whose day is not over, in any server.

    A server that asks for no more puzzles never ends its last day: that counts for OPEN_DAYS only.
    """
    return {
        *await reader.read_column(
            "SELECT id FROM daily_puzzles WHERE told < 2 AND day > (SELECT max(day) FROM daily_puzzles) - ?",
            (OPEN_DAYS,),
        )
    }


_LATER_DAY_SQL = "EXISTS (SELECT 1 FROM daily_puzzles AS later WHERE later.guild = here.guild AND later.day > here.day)"
_POST_DUE_SQL = f"told < 2 AND (told = 1) = {_LATER_DAY_SQL} AND {_GAME_OVER_SQL}"
"""A condition: the row is the latest puzzle and not posted yet, or a later puzzle exists and its solution is not
posted."""


async def puzzles_due(reader: Reader, guild: int) -> list[DailyPuzzle]:
    """The puzzles that must be posted, or their solutions, the earliest first."""
    rows = await reader.run_sql(
        f"SELECT {_DAILY_COLUMNS} FROM daily_puzzles AS here WHERE guild = ? AND {_POST_DUE_SQL} ORDER BY day",
        (guild,),
    )
    return [DailyPuzzle(*row) for row in rows]


async def servers_with_posts_due(reader: Reader) -> list[int]:
    """The servers in which a puzzle or a solution must be posted."""
    return await reader.read_column(
        f"SELECT guild FROM guild_settings WHERE puzzle_channel IS NOT NULL AND {REACHABLE_SQL} AND guild IN"
        f" (SELECT guild FROM daily_puzzles AS here WHERE {_POST_DUE_SQL}) ORDER BY guild"
    )


async def add_daily(writer: Writer, chosen: DailyPuzzle) -> None:
    """Stores the puzzle of a day. Deletes an earlier one that was never posted."""
    await writer.run_sql("DELETE FROM daily_puzzles WHERE guild = ? AND told = 0", (chosen.guild,))
    await writer.run_sql(*insert_statement("daily_puzzles", chosen._asdict()))


async def note_posted(writer: Writer, guild: int, day: int, told: int) -> None:
    """Notes how much of a daily puzzle has been posted."""
    await writer.run_sql("UPDATE daily_puzzles SET told = ? WHERE guild = ? AND day = ?", (told, guild, day))


async def load_attempt(reader: Reader, user: int, guild: int, day: int, name: str) -> Attempt:
    """A user's attempt at a puzzle."""
    row = await reader.read_row(
        "SELECT tries, hinted, solved, shown, at FROM puzzle_results"
        " WHERE user = ? AND guild = ? AND day = ? AND id = ?",
        (user, guild, day, name),
    )
    return _read_attempt(row) if row else Attempt()


async def set_attempt(writer: Writer, user: int, guild: int, day: int, name: str, made: Attempt) -> None:
    """Stores a user's attempt at a puzzle."""
    place = {"user": user, "guild": guild, "day": day, "id": name}
    values = {key: int(value) for key, value in made._asdict().items()}
    await writer.run_sql(*upsert_statement("puzzle_results", place, values))


async def tried_puzzles(reader: Reader, user: int) -> dict[str, bool]:
    """The ids of the puzzles that a user has tried anywhere, and whether they solved each."""
    rows = await reader.run_sql("SELECT id, max(solved) FROM puzzle_results WHERE user = ? GROUP BY id", (user,))
    return {name: bool(solved) for name, solved in rows}


async def load_attempts(reader: Reader, guild: int, days: range) -> list[tuple[int, int, Attempt]]:
    """All attempts at the daily puzzles of these days: day, user, attempt."""
    rows = await reader.run_sql(
        "SELECT day, user, tries, hinted, solved, shown, at FROM puzzle_results"
        " WHERE guild = ? AND day > 0 AND day >= ? AND day < ? ORDER BY day, at, user",
        (guild, days.start, days.stop),
    )
    return [(day, user, _read_attempt(rest)) for day, user, *rest in rows]


async def solved_days(reader: Reader, guild: int, user: int) -> list[int]:
    """The days whose puzzle the user has solved."""
    return await reader.read_column(
        "SELECT day FROM puzzle_results WHERE guild = ? AND user = ? AND day > 0 AND solved = 1 ORDER BY day",
        (guild, user),
    )


async def export_person(reader: Reader, user: int) -> Mapping[str, Any]:
    """Returns all attempts of a user, ready for JSON."""
    rows = await reader.run_sql(
        "SELECT guild, day, id, tries, hinted, solved, shown, at FROM puzzle_results WHERE user = ? ORDER BY at, id",
        (user,),
    )
    keys = ("server", "day", "puzzle", "tries", "hinted", "solved", "solution_shown", "at")
    return {"puzzles": [dict(zip(keys, (str(row[0]), *row[1:]), strict=True)) for row in rows]}


def _read_attempt(row: Iterable[Any]) -> Attempt:
    tries, hinted, solved, shown, at = row
    return Attempt(tries, bool(hinted), bool(solved), bool(shown), at)
