"""SQL about seasons of leagues: who sits in which group, how each game counts, the rulings of referees, and who has the
role of the winners.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from bot.leagues.groups import LeagueGame, LeagueSeat
from bot.leagues.league import League, Points, SignUp, Verdict
from bot.leagues.rows import columns_of, load_all, load_first, read_as, update_rows, values_of
from bot.store import Job, Reader, Writer
from bot.store.connection import insert_statement, upsert_statement
from rules import Seat

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


class PastSeason(NamedTuple):
    """A season that has begun."""

    season: int
    began_at: int
    ended_at: int | None


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


class RoleHolder(NamedTuple):
    """A person who is to get the role of a league, or to lose it."""

    league: int
    user: int
    role: int
    guild: int
    wanted: bool
    """True if they are to have it."""


# Seasons


async def add_season(writer: Writer, league: League, seats: Iterable[LeagueSeat], games: Iterable[LeagueGame]) -> None:
    """Stores a season that begins, with its seats and its games."""
    of_season = {"league": league.id, "season": league.season, "guild": league.guild}
    rows = [("league_seats", seat) for seat in seats], [("league_games", game) for game in games]
    await writer.run_sql(*insert_statement("league_seasons", {**of_season, "began_at": league.begins_at}))
    await writer.run_batch(
        [insert_statement(table, {**of_season, **values_of(row)}) for some in rows for table, row in some]
    )


async def end_season(writer: Writer, league: League, now: int) -> None:
    """Notes that a season is over."""
    await update_rows(writer, "league_seasons", {"league": league.id, "season": league.season}, ended_at=now)


async def set_thread(writer: Writer, league_id: int, season: int, thread: int | None) -> None:
    """Notes the thread of a season; None if it has none any more."""
    await update_rows(writer, "league_seasons", {"league": league_id, "season": season}, thread=thread)


async def past_seasons(reader: Reader, league_id: int) -> list[PastSeason]:
    """Returns the seasons of a league that have begun, the latest first."""
    return await load_all(reader, PastSeason, "league_seasons WHERE league = ? ORDER BY season DESC", (league_id,))


# Seats


async def seats_of(reader: Reader, league_id: int, season: int) -> list[LeagueSeat]:
    """Returns the seats of a season."""
    source = "league_seats WHERE league = ? AND season = ? ORDER BY division, entry"
    return await load_all(reader, LeagueSeat, source, (league_id, season))


async def winners_of(reader: Reader, league_id: int) -> dict[int, list[int]]:
    """Maps each season to the users who won the highest division, the latest season last."""
    rows = await reader.run_sql(
        "SELECT season, user FROM league_seats WHERE league = ? AND division = 0 AND place = 1 ORDER BY season, entry",
        (league_id,),
    )
    winners: dict[int, list[int]] = {}
    for season, user in rows:
        winners.setdefault(season, []).append(user)
    return winners


async def save_seat(writer: Writer, league_id: int, season: int, seat: LeagueSeat) -> None:
    """Stores a seat that was loaded in this transaction."""
    key = {"league": league_id, "season": season, "division": seat.division, "entry": seat.entry}
    await update_rows(writer, "league_seats", key, **values_of(seat))


async def hand_seat_over(writer: Writer, league: League, seat: LeagueSeat, reserve: SignUp) -> None:
    """Gives a seat to a person of the reserve. From now on the games of its previous person wait to be handed over;
    if that person had not got them yet, those of the person before.
    """
    former = seat.user if seat.former is None else seat.former
    handed_over = replace(seat, user=reserve.user, at_once=reserve.at_once, former=former)
    await save_seat(writer, league.id, league.season, handed_over)


async def seats_to_hand_over(reader: Reader) -> list[tuple[int, int, LeagueSeat]]:
    """Returns the seats whose games have to be handed over, each with its league and season."""
    columns = ["league", "season", *columns_of(LeagueSeat)]
    rows = await reader.run_sql(
        f"SELECT {', '.join(columns)} FROM league_seats WHERE former IS NOT NULL"
        " ORDER BY league, season, division, entry"
    )
    return [(row[0], row[1], read_as(LeagueSeat, dict(zip(columns, row, strict=True)))) for row in rows]


async def note_handed_over(writer: Writer, league_id: int, season: int, seat: LeagueSeat) -> None:
    """Notes that all games of a seat have been handed over, unless the seat has passed to yet another person."""
    key = {"league": league_id, "season": season, "division": seat.division, "entry": seat.entry, "user": seat.user}
    await update_rows(writer, "league_seats", key, former=None)


# Games


async def games_of(reader: Reader, league_id: int, season: int) -> list[LeagueGame]:
    """Returns the games of a season."""
    source = "league_games WHERE league = ? AND season = ? ORDER BY division, number"
    return await load_all(reader, LeagueGame, source, (league_id, season))


async def key_of_match(reader: Reader, match_id: int) -> GameKey | None:
    """Returns the key of the league game that is played as that match; None if the match is no league game."""
    return await load_first(reader, GameKey, "league_games WHERE match = ?", (match_id,))


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
        " AND game.match IS NULL AND game.points IS NULL AND leagues.state = 'running' AND channel <> 0"
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
    source = "league_games WHERE league = ? AND season = ? AND division = ? AND number = ?"
    return await load_first(reader, LeagueGame, source, key)


async def set_points(
    writer: Writer, key: GameKey, points: tuple[Points, ...] | None, now: int, verdict: Verdict | None = None
) -> None:
    """Stores how a game counts from now on; `points` is None if it is not decided."""
    decided_at = None if points is None else now
    await update_rows(writer, "league_games", key._asdict(), points=points, verdict=verdict, decided_at=decided_at)


async def add_ruling(writer: Writer, ruling: LeagueRuling) -> None:
    """Stores a ruling; another one of the same second replaces it."""
    values = values_of(ruling)
    key = {column: values.pop(column) for column in ("match", "at")}
    await writer.run_sql(*upsert_statement("league_rulings", key, values))


async def rulings_of(reader: Reader, match_id: int, at: int) -> list[LeagueRuling]:
    """Returns the ruling about a match at that time."""
    return await load_all(reader, LeagueRuling, "league_rulings WHERE match = ? AND at = ?", (match_id, at))


# The role of the winners


async def pass_role_on(writer: Writer, league: League, now: int) -> None:
    """Notes that the latest winners are to have the league's role, and that nobody else keeps a role that they got from
    it. Seasons without winners do not count."""
    winners = await winners_of(writer, league.id)
    await update_rows(writer, "league_role_holders", {"league": league.id}, wanted=False)
    for user in winners[max(winners)] if winners and league.role is not None else ():
        if user > 0:  # a forgotten person has been replaced by a stand-in
            key = {"league": league.id, "user": user, "role": league.role}
            values = {"guild": league.guild, "wanted": True}
            await writer.run_sql(*upsert_statement("league_role_holders", key, values))
    holders = await load_all(writer, RoleHolder, "league_role_holders WHERE league = ?", (league.id,))
    await writer.add_jobs(*(Job("role", "{}:{}:{}".format(*one), one.guild, due_at=now) for one in holders))


async def holders_of(reader: Reader, user: int, role: int) -> list[RoleHolder]:
    """Returns what each league wishes about a role of a user."""
    return await load_all(reader, RoleHolder, "league_role_holders WHERE user = ? AND role = ?", (user, role))


async def drop_holder(writer: Writer, holder: RoleHolder) -> None:
    """Forgets that a user is to get or lose a role, unless the wish has changed since."""
    await writer.run_sql(
        "DELETE FROM league_role_holders WHERE league = ? AND user = ? AND role = ? AND guild = ? AND wanted = ?",
        holder,
    )
