"""SQL about seasons of leagues: who sits in which group, and how each game counts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from bot.core.events import format_numbers, parse_numbers
from bot.leagues.groups import Movement
from bot.leagues.league import League, SignUp
from bot.leagues.season import LeagueGame, LeagueSeat, SeatState
from bot.store import Reader, Writer

_SEAT_COLUMNS = "division, entry, user, state, at_once, former, place, movement"
_FIXTURE_COLUMNS = "division, number, round, entries, match, points, verdict, decided_at"

_IS_AT_LIMIT_SQL = (
    "seat.league = game.league AND seat.season = game.season"
    " AND seat.division = game.division AND seat.at_once IS NOT NULL"
    " AND instr(',' || game.entries || ',', ',' || seat.entry || ',') > 0"
    " AND seat.at_once <= (SELECT count(*) FROM league_games AS other WHERE other.league = game.league"
    " AND other.season = game.season AND other.division = game.division AND other.match IS NOT NULL"
    " AND other.points IS NULL AND instr(',' || other.entries || ',', ',' || seat.entry || ',') > 0"
    " AND NOT EXISTS (SELECT 1 FROM league_seats AS gone WHERE gone.league = other.league"
    " AND gone.season = other.season AND gone.division = other.division AND gone.state = 'out'"
    " AND instr(',' || other.entries || ',', ',' || gone.entry || ',') > 0))"
)
"""A condition on rows of `league_games AS game` and `league_seats AS seat`: the seat's person plays in the game,
and has as many games that count already as they want at a time."""


class GameKey(NamedTuple):
    """The key of a game: its league, season and division, and its number in the division."""

    league: int
    season: int
    division: int
    number: int


def key_of(league: League, game: LeagueGame) -> GameKey:
    """Returns the key of a game of the league's current season."""
    return GameKey(league.id, league.season, game.division, game.number)


class PastSeason(NamedTuple):
    """A season that has begun."""

    season: int
    began_at: int
    ended_at: int | None


async def add_season(writer: Writer, league: League, seats: Iterable[LeagueSeat], games: Iterable[LeagueGame]) -> None:
    """Stores a season that begins, with its seats and its games."""
    await writer.insert_rows("league_seasons", [(league.id, league.season, league.guild, league.begins_at, None, None)])
    await writer.insert_rows(
        "league_seats",
        [
            (
                *(league.id, league.season, seat.division, seat.entry, seat.user, league.guild),
                *(seat.state.value, seat.at_once, seat.former, None, None),
            )
            for seat in seats
        ],
    )
    await writer.insert_rows(
        "league_games",
        [
            (*key_of(league, game), league.guild, game.round, format_numbers(game.entries), None, None, None, None)
            for game in games
        ],
    )


async def end_season(writer: Writer, league: League, seats: Iterable[LeagueSeat], now: int) -> None:
    """Stores the places of a season that is over."""
    await writer.run_sql(
        "UPDATE league_seasons SET ended_at = ? WHERE league = ? AND season = ?", (now, league.id, league.season)
    )
    await writer.run_batch(
        [
            (
                "UPDATE league_seats SET place = ?, movement = ?"
                " WHERE league = ? AND season = ? AND division = ? AND entry = ?",
                (
                    seat.place,
                    seat.movement and seat.movement.value,
                    league.id,
                    league.season,
                    seat.division,
                    seat.entry,
                ),
            )
            for seat in seats
        ]
    )


async def set_thread(writer: Writer, league: int, season: int, thread: int) -> None:
    """Notes the thread of a season."""
    await writer.run_sql(
        "UPDATE league_seasons SET thread = ? WHERE league = ? AND season = ?", (thread, league, season)
    )


async def forget_thread(writer: Writer, league: League) -> None:
    """Notes that the season of a league has no thread any more."""
    await writer.run_sql(
        "UPDATE league_seasons SET thread = NULL WHERE league = ? AND season = ?", (league.id, league.season)
    )


async def past_seasons(reader: Reader, league: int) -> list[PastSeason]:
    """Returns the seasons of a league that have begun, the latest first."""
    rows = await reader.run_sql(
        "SELECT season, began_at, ended_at FROM league_seasons WHERE league = ? ORDER BY season DESC", (league,)
    )
    return [PastSeason(*row) for row in rows]


def _read_seat(row: Sequence[Any]) -> LeagueSeat:
    division, entry, user, state, at_once, former, place, movement = row
    moved = Movement(movement) if movement else None
    return LeagueSeat(division, entry, user, SeatState(state), at_once, former, place, moved)


async def seats_of(reader: Reader, league: int, season: int) -> list[LeagueSeat]:
    """Returns the seats of a season."""
    rows = await reader.run_sql(
        f"SELECT {_SEAT_COLUMNS} FROM league_seats WHERE league = ? AND season = ? ORDER BY division, entry",
        (league, season),
    )
    return [_read_seat(row) for row in rows]


async def winners_of(reader: Reader, league: int) -> dict[int, list[int]]:
    """Maps each season to the users who won the highest division."""
    rows = await reader.run_sql(
        "SELECT season, user FROM league_seats WHERE league = ? AND division = 0 AND place = 1 ORDER BY season, entry",
        (league,),
    )
    winners: dict[int, list[int]] = {}
    for season, user in rows:
        winners.setdefault(season, []).append(user)
    return winners


async def hand_seat_over(writer: Writer, league: League, seat: LeagueSeat, reserve: SignUp) -> None:
    """Gives a seat to a person of the reserve. From now on the games of its previous person wait to be handed over;
    if that person had not got them yet, those of the person before.
    """
    await writer.run_sql(
        "UPDATE league_seats SET user = ?, at_once = ?, former = coalesce(former, ?)"
        " WHERE league = ? AND season = ? AND division = ? AND entry = ?",
        (reserve.user, reserve.at_once, seat.user, league.id, league.season, seat.division, seat.entry),
    )


async def seats_to_hand_over(reader: Reader) -> list[tuple[int, int, LeagueSeat]]:
    """Returns the seats whose games have to be handed over, each with its league and season."""
    rows = await reader.run_sql(
        f"SELECT league, season, {_SEAT_COLUMNS} FROM league_seats WHERE former IS NOT NULL"
        " ORDER BY league, season, division, entry"
    )
    return [(league, season, _read_seat(rest)) for league, season, *rest in rows]


async def note_handed_over(writer: Writer, league: int, season: int, seat: LeagueSeat) -> None:
    """Notes that all games of a seat have been handed over, unless the seat has passed to yet another person."""
    await writer.run_sql(
        "UPDATE league_seats SET former = NULL"
        " WHERE league = ? AND season = ? AND division = ? AND entry = ? AND user = ?",
        (league, season, seat.division, seat.entry, seat.user),
    )


async def set_limit(writer: Writer, league: League, user: int, at_once: int | None) -> bool:
    """Notes how many games at a time a person in the running season wants at most; None: all of them. Returns False if
    they do not play in it.
    """
    seats = await writer.run_sql(
        "UPDATE league_seats SET at_once = ?"
        " WHERE league = ? AND season = ? AND user = ? AND state = 'in' RETURNING user",
        (at_once, league.id, league.season, user),
    )
    return bool(seats)


async def set_seat_state(writer: Writer, league: League, seat: LeagueSeat, state: SeatState) -> None:
    """Notes whether a person still takes part."""
    await writer.run_sql(
        "UPDATE league_seats SET state = ? WHERE league = ? AND season = ? AND division = ? AND entry = ?",
        (state.value, league.id, league.season, seat.division, seat.entry),
    )


# Games


def _read_game(row: Sequence[Any]) -> LeagueGame:
    division, number, round_number, entries, match, points, verdict, decided_at = row
    scored = None if points is None else parse_numbers(points)
    return LeagueGame(division, number, round_number, parse_numbers(entries), match, scored, verdict, decided_at)


async def games_of(reader: Reader, league: int, season: int) -> list[LeagueGame]:
    """Returns the games of a season."""
    rows = await reader.run_sql(
        f"SELECT {_FIXTURE_COLUMNS} FROM league_games WHERE league = ? AND season = ? ORDER BY division, number",
        (league, season),
    )
    return [_read_game(row) for row in rows]


async def game_of_match(reader: Reader, match: int) -> tuple[GameKey, LeagueGame] | None:
    """Returns the league game that is played as that match; None if the match is no league game."""
    row = await reader.read_row(
        f"SELECT league, season, {_FIXTURE_COLUMNS} FROM league_games WHERE match = ?", (match,)
    )
    if row is None:
        return None
    league, season, *rest = row
    game = _read_game(rest)
    return GameKey(league, season, game.division, game.number), game


async def ends_of_matches(reader: Reader, matches: Sequence[int]) -> dict[int, int]:
    """Maps each undecided league match among these to the time at which its season ends."""
    rows = await reader.run_sql(
        "SELECT match, ends_at FROM league_games"
        " JOIN leagues ON leagues.id = league_games.league AND leagues.season = league_games.season"
        " WHERE match IN (SELECT value FROM json_each(?)) AND points IS NULL AND state = 'running'",
        (json.dumps([*matches]),),
    )
    return dict(rows)


async def games_to_begin(reader: Reader, most: int) -> list[GameKey]:
    """Returns some games to set up, in running seasons. Nobody in them is at their limit."""
    rows = await reader.run_sql(
        # A cross join, so that SQLite begins with the few games that wait and not with all leagues.
        "SELECT game.league, game.season, game.division, game.number FROM league_games AS game CROSS JOIN leagues"
        " WHERE leagues.id = game.league AND leagues.season = game.season"
        f" AND game.match IS NULL AND game.points IS NULL AND leagues.state = 'running' AND channel <> 0"
        f" AND NOT EXISTS (SELECT 1 FROM league_seats AS seat WHERE {_IS_AT_LIMIT_SQL})"
        " ORDER BY game.league, game.round, game.division, game.number LIMIT ?",
        (most,),
    )
    return [GameKey(*row) for row in rows]


async def entries_at_limit(reader: Reader, key: GameKey) -> set[int]:
    """Returns the entries of a game whose people have as many games already as they want at a time."""
    return {
        *await reader.read_column(
            "SELECT seat.entry FROM league_games AS game, league_seats AS seat WHERE game.league = ?"
            f" AND game.season = ? AND game.division = ? AND game.number = ? AND {_IS_AT_LIMIT_SQL}",
            key,
        )
    }


async def load_game(reader: Reader, key: GameKey) -> LeagueGame | None:
    """Returns the game of that key; None if there is none."""
    row = await reader.read_row(
        f"SELECT {_FIXTURE_COLUMNS} FROM league_games WHERE league = ? AND season = ? AND division = ? AND number = ?",
        key,
    )
    return _read_game(row) if row else None


async def set_match(writer: Writer, key: GameKey, match: int) -> None:
    """Notes the match in which a game is played."""
    await writer.run_sql(
        "UPDATE league_games SET match = ? WHERE league = ? AND season = ? AND division = ? AND number = ?",
        (match, *key),
    )


async def set_points(
    writer: Writer, key: GameKey, points: Sequence[int] | None, now: int, verdict: str | None = None
) -> None:
    """Stores how a game counts from now on; `points` is None if it is not decided."""
    scored, decided_at = (None, None) if points is None else (format_numbers(points), now)
    await writer.run_sql(
        "UPDATE league_games SET points = ?, verdict = ?, decided_at = ?"
        " WHERE league = ? AND season = ? AND division = ? AND number = ?",
        (scored, verdict, decided_at, *key),
    )
