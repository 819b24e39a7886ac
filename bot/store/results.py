"""SQL about results and ratings, and the rows that a rebuild computes again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple

from bot.core.events import EventKind, format_numbers
from bot.core.match import Phase
from bot.core.ratings import NEW_RATING, RATED_TOGETHER_SPAN_S, Rating, RatingChange, sort_players
from bot.core.results import FinishedGame, HistoryGame, MatchResult
from bot.store import Reader, Writer
from bot.store.connection import insert_statement, upsert_statement
from bot.store.database_tables import CORE_TABLES, Table
from bot.store.game_lists import HOUSE_IDS_SQL
from bot.store.rows import read_as, values_of

GameOrder = tuple[int, int]
"""The position of a game among the games of its server and variant: the time of its end, and the match id."""

CHANGE_COLUMNS = "mu_before, sigma_before, games_before, played_before, mu, sigma, games, played_at"
"""The columns of a `RatingChange`: the rating before it, then the rating after it."""


async def set_result(writer: Writer, result: MatchResult) -> None:
    """Stores the result of a match, replacing an earlier one."""
    finished = result.finished
    of_match = {"match": finished.match, "guild": finished.guild, "variant": finished.variant}
    values = {"began_at": result.began_at, "cause": result.cause, "sorted_players": sort_players(finished)}
    values |= values_of(finished)
    await writer.run_batch(
        [
            # updates the row instead of replacing it, because rating changes refer to it
            upsert_statement("results", {"match": values.pop("match")}, values),
            ("DELETE FROM shares WHERE match = ?", (finished.match,)),
            *(
                insert_statement("shares", of_match | {"ended_at": finished.ended_at} | values_of(player))
                for player in result.shares
            ),
        ]
    )


async def drop_result(writer: Writer, match_id: int) -> None:
    """Deletes the result of a match that continues. Its rating changes must have been deleted before."""
    await writer.run_batch(
        [("DELETE FROM shares WHERE match = ?", (match_id,)), ("DELETE FROM results WHERE match = ?", (match_id,))]
    )


async def result_of(reader: Reader, match_id: int) -> FinishedGame | None:
    """Returns the stored result of a match; None if there is none."""
    return await reader.load_first(FinishedGame, "results WHERE match = ?", (match_id,))


async def results_from(reader: Reader, guild: int, variant: str, order: GameOrder) -> list[FinishedGame]:
    """Returns the finished games of a server and variant from that position in the order on."""
    source = "results WHERE guild = ? AND variant = ? AND (ended_at, match) >= (?, ?) ORDER BY ended_at, match"
    return await reader.load_all(FinishedGame, source, (guild, variant, *order))


# Ratings


async def ratings_of(reader: Reader, guild: int, variant: str, users: Iterable[int] | None = None) -> dict[int, Rating]:
    """Returns the ratings of these users, or of everybody; users without a rating are left out."""
    sql = "SELECT user, mu, sigma, games, played_at FROM ratings WHERE guild = ? AND variant = ?"
    if users is None:
        rows = await reader.run_sql(sql, (guild, variant))
    else:
        listed = json.dumps(sorted(users))
        rows = await reader.run_sql(f"{sql} AND user IN (SELECT value FROM json_each(?))", (guild, variant, listed))
    return {user: Rating(*values) for user, *values in rows}


async def set_ratings(writer: Writer, guild: int, variant: str, ratings: Mapping[int, Rating]) -> None:
    """Stores ratings, replacing earlier ones. A rating without any game gets no row."""
    key = {"guild": guild, "variant": variant}
    await writer.run_batch(
        [
            upsert_statement(
                "ratings",
                key | {"user": user},
                {**values_of(one), "number": one.shown_number, "unsure_from": one.unsure_from},
            )
            if one != NEW_RATING
            else ("DELETE FROM ratings WHERE guild = ? AND variant = ? AND user = ?", (guild, variant, user))
            for user, one in ratings.items()
        ]
    )


async def drop_ratings(writer: Writer, guild: int, variant: str) -> None:
    """Deletes all ratings and rating changes of a server and variant."""
    games = "SELECT match FROM results WHERE guild = ? AND variant = ?"
    await writer.run_batch(
        [
            (f"DELETE FROM rating_changes WHERE match IN ({games})", (guild, variant)),
            ("DELETE FROM ratings WHERE guild = ? AND variant = ?", (guild, variant)),
        ]
    )


async def changes_of(reader: Reader, match_id: int) -> dict[int, RatingChange]:
    """Returns the rating changes of a match, by user; empty if it was not rated."""
    rows = await reader.run_sql(f"SELECT user, {CHANGE_COLUMNS} FROM rating_changes WHERE match = ?", (match_id,))
    return {user: read_as(RatingChange, values) for user, *values in rows}


async def add_changes(writer: Writer, match_id: int, changes: Mapping[int, RatingChange]) -> None:
    """Stores the rating changes of a match."""
    rows = [(match_id, user, *astuple(it.before), *astuple(it.after)) for user, it in changes.items()]
    await writer.insert_rows(f"rating_changes (match, user, {CHANGE_COLUMNS})", rows)


async def take_back_changes(writer: Writer, guild: int, variant: str, order: GameOrder) -> dict[int, Rating]:
    """Deletes the rating changes from that position in the order on. Returns each user's rating before them."""
    # The join must begin with the results: few games come after the position, but there are many changes.
    condition = "guild = ? AND variant = ? AND (ended_at, r.match) >= (?, ?)"
    values = (guild, variant, *order)
    rows = await writer.run_sql(
        f"SELECT user, {CHANGE_COLUMNS} FROM results r CROSS JOIN rating_changes c"
        f" WHERE c.match = r.match AND {condition} ORDER BY ended_at DESC, r.match DESC",
        values,
    )
    if rows:
        await writer.run_sql(
            f"DELETE FROM rating_changes WHERE match IN (SELECT match FROM results r WHERE {condition})", values
        )
    # The earliest change of each user comes last.
    return {user: read_as(RatingChange, change).before for user, *change in rows}


async def rated_together(reader: Reader, game: FinishedGame) -> list[int]:
    """Returns when earlier rated games of the same players ended, within RATED_TOGETHER_SPAN_S before this end."""
    return await reader.read_column(
        "SELECT ended_at FROM results WHERE guild = :guild AND variant = :variant AND sorted_players = :players"
        " AND ended_at > :since AND (ended_at, match) < (:ended_at, :match)"
        " AND EXISTS (SELECT 1 FROM rating_changes WHERE rating_changes.match = results.match)",
        {
            "guild": game.guild,
            "variant": game.variant,
            "players": format_numbers(sort_players(game)),
            "since": game.ended_at - RATED_TOGETHER_SPAN_S,
            "ended_at": game.ended_at,
            "match": game.match,
        },
    )


# Lists of finished games

SET_POSITION_SQL = (
    f"EXISTS (SELECT 1 FROM events WHERE events.match = s.match AND seq = 2 AND kind = {EventKind.POSITION_SET.value})"
)
"""A condition: the game of a share `s` began from a set position."""


async def house_players_beaten(reader: Reader, guild: int, user: int, variant: str) -> list[int]:
    """Returns the house players against whom the user has won a game of that variant in that server, from its start."""
    return await reader.read_column(
        "SELECT DISTINCT other.user FROM shares s CROSS JOIN players other WHERE s.guild = ? AND s.user = ?"
        f" AND s.variant = ? AND s.outcome = 'won' AND other.match = s.match AND other.user {HOUSE_IDS_SQL}"
        f" AND NOT {SET_POSITION_SQL}",
        (guild, user, variant),
    )


_GAMES_OF_USER_SQL = (
    " FROM shares s CROSS JOIN results r LEFT JOIN rating_changes c ON c.match = s.match AND c.user = s.user"
    " WHERE r.match = s.match AND s.guild = :guild AND s.user = :user"
    " AND (:variant IS NULL OR s.variant = :variant)"
    " AND (:opponent IS NULL OR EXISTS (SELECT 1 FROM shares o WHERE o.match = s.match AND o.user = :opponent))"
)


async def finished_games(
    reader: Reader, guild: int, user: int, variant: str | None, opponent: int | None, numbers: range
) -> tuple[list[HistoryGame], int]:
    """Returns those of a user's finished games that have these places in the list, in which the latest is 0. Also
    returns the number of all of them."""
    values = {"guild": guild, "user": user, "variant": variant, "opponent": opponent}
    [(total,)] = await reader.run_sql(f"SELECT count(*){_GAMES_OF_USER_SQL}", values)
    rows = await reader.run_sql(
        f"SELECT {CHANGE_COLUMNS}, r.match, r.variant, r.ended_at, r.players, outcome, ladder"
        f"{_GAMES_OF_USER_SQL} ORDER BY s.ended_at DESC, s.match DESC LIMIT :most OFFSET :first",
        {**values, "first": numbers.start, "most": len(numbers)},
    )
    changes = (None if row[0] is None else read_as(RatingChange, row[:8]).points_gained for row in rows)
    return [read_as(HistoryGame, (*row[8:], points)) for row, points in zip(rows, changes, strict=True)], total


async def latest_finishes(reader: Reader, guild: int, user: int, most: int) -> list[bool]:
    """Returns for each of a user's last games in a server that may be rated whether they played it without running
    out of time. Games that ended without a result count only if they did run out."""
    late = await reader.read_column(
        "SELECT late FROM shares s CROSS JOIN results r WHERE r.match = s.match AND s.guild = ? AND user = ?"
        " AND never_rated = 0 AND (outcome <> 'none' OR late = 1) ORDER BY s.ended_at DESC, s.match DESC LIMIT ?",
        (guild, user, most),
    )
    return [not ran_out for ran_out in late]


async def snapshot_derived(reader: Reader, tables: Iterable[Table]) -> dict[str, frozenset[tuple[object, ...]]]:
    """Returns the rows of the derived ones among these tables, by table."""
    derived = [table.name for table in tables if table.is_derived]
    return {name: frozenset(tuple(row) for row in await reader.run_sql(f"SELECT * FROM {name}")) for name in derived}


async def drop_derived(writer: Writer) -> None:
    """Empties the tables derived from matches."""
    await writer.run_batch([(f"DELETE FROM {table.name}", ()) for table in reversed(CORE_TABLES) if table.is_derived])


async def matches_begun(reader: Reader) -> list[tuple[int, int, Phase]]:
    """Returns the id, server and phase of each match that is live or over."""
    rows = await reader.run_sql("SELECT id, guild, phase FROM matches WHERE phase IN ('live', 'over') ORDER BY id")
    return [(match_id, guild, Phase(phase)) for match_id, guild, phase in rows]
