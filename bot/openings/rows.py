"""SQL about openings: the moves of finished games, their sums, and the games whose moves have to be counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bot.openings.index import ARCHIVE_SOURCE, MoveMade, Points
from bot.store import Reader, Writer
from bot.store.results import UNWILLING_PLAYER_SQL

GAMES_PER_SEARCH = 500
"""The match numbers that one statement compares with the index."""

_SCORES = ("first", "second", "third")
"""The columns of the points."""
_GAME_COLUMNS = "guild, position, kind, move, first, second, third, at"
_KEY_SQL = "guild = ? AND position = ? AND kind = ? AND move = ?"
_WANTED_SQL = (
    "SELECT results.match, ended_at FROM results JOIN matches ON matches.id = results.match"
    f" WHERE has_result = 1 AND results.moves > 0 AND NOT ({UNWILLING_PLAYER_SQL})"
)
"""A query for the games that count in openings, each with the time of its end. Further conditions may follow it."""


class CountedMove(NamedTuple):
    """The number of games of one kind with a move in a position, and their points."""

    kind: str
    move: str
    games: int
    points: Points
    """The sums over these games."""
    last: int
    """When the last of these games ended; 0 for imported games."""


class PlayedGame(NamedTuple):
    """A game in which the position occurred, and the move that was played in it."""

    match: int
    move: str
    at: int


async def moves_at(reader: Reader, guild: int, position: int) -> list[CountedMove]:
    """Returns every move played in that position in the games of a server, separately for each kind of game."""
    rows = await reader.run_sql(
        "SELECT kind, move, games, first, second, third, last FROM opening_moves WHERE guild = ? AND position = ?",
        (guild, position),
    )
    return [CountedMove(kind, move, games, (a, b, c), last) for kind, move, games, a, b, c, last in rows]


async def moves_of_person(reader: Reader, guild: int, user: int, position: int) -> list[CountedMove]:
    """Returns every move played in that position in the games of one person in a server, separately for each game."""
    rows = await reader.run_sql(
        # The join begins with the person's games, because far more games have the position.
        "SELECT kind, move, first, second, third, at FROM shares CROSS JOIN opening_games"
        " WHERE opening_games.match = shares.match AND shares.guild = ? AND user = ? AND position = ?",
        (guild, user, position),
    )
    return [CountedMove(kind, move, 1, (a, b, c), at) for kind, move, a, b, c, at in rows]


async def latest_games(reader: Reader, guild: int, position: int, kinds: Iterable[str], most: int) -> list[PlayedGame]:
    """Returns the latest games of those kinds with the position, at most `most`, the latest first."""
    games = [
        PlayedGame(*row)
        for kind in kinds
        for row in await reader.run_sql(
            "SELECT match, move, at FROM opening_games WHERE guild = ? AND position = ? AND kind = ?"
            " ORDER BY at DESC LIMIT ?",
            (guild, position, kind, most),
        )
    ]
    return sorted(games, key=lambda game: (game.at, abs(game.match)), reverse=True)[:most]


async def latest_games_of_person(
    reader: Reader, guild: int, user: int, position: int, kinds: Sequence[str], most: int
) -> list[PlayedGame]:
    """Returns the latest games of one person, of those kinds, with the position; at most `most`, the latest first."""
    rows = await reader.run_sql(
        "SELECT opening_games.match, move, at, kind FROM shares CROSS JOIN opening_games"
        " WHERE opening_games.match = shares.match AND shares.guild = ? AND user = ? AND position = ?"
        " ORDER BY at DESC, opening_games.match DESC",
        (guild, user, position),
    )
    return [PlayedGame(match, move, at) for match, move, at, kind in rows if kind in kinds][:most]


async def game_with_move(reader: Reader, guild: int, position: int, counted: CountedMove) -> int | None:
    """Returns the latest game of that kind with that move in the position; None if there is none."""
    row = await reader.read_row(
        "SELECT match FROM opening_games WHERE guild = ? AND position = ? AND kind = ? AND at = ? AND move = ?"
        " ORDER BY match DESC LIMIT 1",
        (guild, position, counted.kind, counted.last, counted.move),
    )
    return row[0] if row else None


async def add_game(writer: Writer, match: int, guild: int, kind: str, at: int, moves: Iterable[MoveMade]) -> None:
    """Counts the moves of a game. They must not be counted yet."""
    # Two statements instead of two per move, because other players' moves wait while this transaction is open.
    rows = [(match, position, move, guild, kind, at, *points) for position, move, points in moves]
    if not rows:
        return
    await writer.insert_rows("opening_games", rows)
    added = ", ".join(f"{name} = opening_moves.{name} + excluded.{name}" for name in ("games", *_SCORES))
    await writer.run_sql(
        f"INSERT INTO opening_moves (guild, position, kind, move, games, {', '.join(_SCORES)}, last)"
        f" SELECT guild, position, kind, move, 1, {', '.join(_SCORES)}, at FROM opening_games WHERE match = ?"
        " ON CONFLICT (guild, position, kind, move) DO UPDATE"
        f" SET {added}, last = max(opening_moves.last, excluded.last)",
        (match,),
    )


async def drop_game(writer: Writer, match: int) -> None:
    """Removes the moves of a game from the counts. Does nothing if they are not counted."""
    rows = await writer.run_sql(f"DELETE FROM opening_games WHERE match = ? RETURNING {_GAME_COLUMNS}", (match,))
    for *key, first, second, third, at in rows:
        latest_sql = f"(SELECT max(at) FROM opening_games WHERE {_KEY_SQL})"
        await writer.run_batch(
            [
                (
                    "UPDATE opening_moves SET games = games - 1, first = first - ?, second = second - ?,"
                    f" third = third - ? WHERE {_KEY_SQL}",
                    (first, second, third, *key),
                ),
                (f"DELETE FROM opening_moves WHERE {_KEY_SQL} AND games = 0", key),
                (f"UPDATE opening_moves SET last = {latest_sql} WHERE {_KEY_SQL} AND last = ?", (*key, *key, at)),
            ]
        )


# Games to be counted


async def note_due(writer: Writer, match: int) -> None:
    """Queues a game for recounting."""
    await writer.run_sql("INSERT INTO opening_due (match) VALUES (?) ON CONFLICT DO NOTHING", (match,))


async def note_person_due(writer: Writer, user: int) -> None:
    """Queues all finished games of a person for recounting."""
    await writer.run_sql(
        "INSERT INTO opening_due (match) SELECT DISTINCT match FROM shares WHERE user = ? ON CONFLICT DO NOTHING",
        (user,),
    )


async def note_done(writer: Writer, match: int) -> None:
    """Removes a game from the queue for recounting."""
    await writer.run_sql("DELETE FROM opening_due WHERE match = ?", (match,))


async def due_games(reader: Reader, most: int) -> list[int]:
    """Returns games from the queue for recounting, at most `most`, the latest first."""
    return await reader.read_column("SELECT match FROM opening_due ORDER BY match DESC LIMIT ?", (most,))


async def head_of_game(reader: Reader, match: int) -> tuple[int, int | None]:
    """Returns the number of a match's last event (0 if the match is deleted) and the time of its end (None if it does
    not count in openings)."""
    row = await reader.read_row(
        f"SELECT seq, wanted.ended_at FROM matches LEFT JOIN ({_WANTED_SQL} AND results.match = :match) AS wanted"
        " ON wanted.match = matches.id WHERE matches.id = :match",
        {"match": match},
    )
    return (row[0], row[1]) if row else (0, None)


async def last_finished_game(reader: Reader) -> int:
    """Returns the highest number of a finished match; 0 if there is none."""
    [last] = await reader.read_column("SELECT max(match) FROM results")
    return last or 0


async def differing_games(reader: Reader, first: int) -> list[int]:
    """Returns the games that are missing from the index, or wrongly in it or outdated there. Looks at the
    GAMES_PER_SEARCH numbers from `first` on."""
    span, values = "match >= :first AND {}match < :first + :part", {"first": first, "part": GAMES_PER_SEARCH}
    in_results, in_index = span.format("results."), span.format("opening_games.")
    return await reader.read_column(
        f"{_WANTED_SQL.replace('results.match, ended_at', 'results.match', 1)} AND results.{in_results}"
        " AND NOT EXISTS (SELECT 1 FROM opening_games WHERE opening_games.match = results.match AND at = ended_at)"
        f" UNION SELECT DISTINCT opening_games.match FROM opening_games WHERE opening_games.{in_index}"
        f" AND NOT EXISTS ({_WANTED_SQL} AND results.match = opening_games.match AND ended_at = at)",
        values,
    )


class ImportedGame(NamedTuple):
    """A game of the archive."""

    id: int
    guild: int
    """0 for a game that counts in all servers."""
    record: str


async def uncounted_imports(reader: Reader, after: int, most: int) -> list[ImportedGame]:
    """Returns the next imported games after number `after` whose moves are not counted, at most `most`."""
    rows = await reader.run_sql(
        "SELECT id, coalesce(guild, 0), record FROM archive WHERE id > ? AND NOT EXISTS"
        " (SELECT 1 FROM opening_games WHERE match = -archive.id) ORDER BY id LIMIT ?",
        (after, most),
    )
    return [ImportedGame(*row) for row in rows]


async def add_import(writer: Writer, game: ImportedGame, moves: Iterable[MoveMade]) -> None:
    """Counts the moves of an imported game."""
    await add_game(writer, -game.id, game.guild, ARCHIVE_SOURCE, 0, moves)
