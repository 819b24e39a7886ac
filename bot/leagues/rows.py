"""SQL about leagues: their terms and state, news, people, seasons, games, rulings, and the winners' role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from bot.core.results import PlayerOutcome
from bot.leagues.groups import LeagueGame, LeagueSeat
from bot.leagues.league import POST_LOOK_S, TABLE_NEWS, League, LeagueNews, NewsKind, SignUp, Verdict
from bot.store import Job, Reader, Writer
from bot.store.connection import insert_statement
from bot.store.people import export_rows
from bot.store.rows import values_of
from rules import Seat

# Leagues


def league_values(league: League) -> dict[str, object]:
    """Returns the columns of a league, without its number."""
    values = values_of(league)
    del values["id"]
    return {**values, "due_at": league.next_moment and league.next_moment.at}


async def save_league(writer: Writer, league: League) -> None:
    """Stores a league that was loaded in this transaction, and notes the change."""
    await writer.update_rows("leagues", {"id": league.id}, **league_values(league))
    await note_change(writer, league)


async def note_change(writer: Writer, league: League) -> None:
    """Has the post of a league edited, and games of its season set up that need not wait any more."""
    await add_job(writer, "league-table", league, due_at=0)
    if league.is_on:
        await add_job(writer, "league-games", league, due_at=0)


async def add_job(writer: Writer, kind: str, league: League, due_at: int) -> None:
    """Stores a job about a league."""
    await writer.add_jobs(Job(kind, str(league.id), league.guild, due_at=due_at))


async def load_league(reader: Reader, league_id: int) -> League | None:
    """Returns the league of that number; None if there is none."""
    return await reader.load_first(League, "leagues WHERE id = ?", (league_id,))


async def leagues_of(reader: Reader, guild: int) -> list[League]:
    """Returns the leagues of a server, the latest first."""
    return await reader.load_all(League, "leagues WHERE guild = ? ORDER BY id DESC", (guild,))


LEAGUE_PLACES_SQL = (
    "SELECT guild, channel, coalesce(threads, '') = 'yes' FROM leagues LEFT JOIN guild_settings USING (guild)"
    " WHERE state <> 'closed' AND channel <> 0"
)
"""A query for the channels of leagues that are not closed: see `Table.places_sql`."""


async def leagues_in_channels(reader: Reader) -> list[League]:
    """Returns the leagues that are not closed and have a channel."""
    return await reader.load_all(League, "leagues WHERE state <> 'closed' AND channel <> 0 ORDER BY id")


async def due_leagues(reader: Reader, now: int) -> list[int]:
    """Returns the leagues in which something is due. No season begins without a channel."""
    return await reader.read_column(
        "SELECT id FROM leagues WHERE due_at <= ? AND (channel <> 0 OR state <> 'sign-up') ORDER BY due_at, id", (now,)
    )


# News


async def add_news(writer: Writer, league: League, kind: NewsKind, now: int) -> None:
    """Stores news to post, instead of the same news that has not been posted yet."""
    key = {"league": league.id, "season": league.season, "kind": kind.value}
    await writer.save_row("league_news", key, {"guild": league.guild, "at": now})
    await add_job(writer, "league-news", league, now)
    if kind in TABLE_NEWS:
        await add_job(writer, "league-table", league, now + POST_LOOK_S)


async def news_of(reader: Reader, league_id: int) -> list[LeagueNews]:
    """Returns what has to be posted about a league, in order."""
    return await reader.load_all(LeagueNews, "league_news WHERE league = ? ORDER BY season, at, kind", (league_id,))


async def drop_outdated_news(writer: Writer, league_id: int) -> None:
    """Drops all news that a new post of the league's table replaces."""
    await writer.run_sql(
        "DELETE FROM league_news WHERE league = ?"
        " AND kind IN ('open', 'few', 'extended', 'begin', 'week', 'warn', 'table', 'no-channel')",
        (league_id,),
    )


async def drop_news(writer: Writer, news: LeagueNews) -> None:
    """Drops news that has been posted, unless it has been added again."""
    await writer.run_sql(
        "DELETE FROM league_news WHERE league = ? AND season = ? AND kind = ? AND at = ?",
        (news.league, news.season, news.kind.value, news.at),
    )


# People


async def trophies_of(reader: Reader, guild: int, user: int) -> list[LeagueSeat]:
    """Returns the seats with which a user has come first to third in finished seasons, the latest first."""
    source = (
        "league_seats JOIN league_seasons USING (league, season, guild)"
        " WHERE user = ? AND guild = ? AND place <= 3 ORDER BY ended_at DESC, league DESC"
    )
    return await reader.load_all(LeagueSeat, source, (user, guild))


async def set_sign_up(writer: Writer, league: League, sign_up: SignUp, now: int) -> None:
    """Signs a user up, or changes the wishes of a user who has signed up and keeps their place in the order."""
    wishes = values_of(sign_up)
    key = {"league": league.id, "user": wishes.pop("user")}
    others = {"guild": league.guild, "at": now, **wishes}
    await writer.save_row("league_sign_ups", key, others, at="league_sign_ups.at")


async def remove_sign_up(writer: Writer, league_id: int, user: int) -> None:
    """Removes a user's sign-up, if there is one."""
    await writer.run_sql("DELETE FROM league_sign_ups WHERE league = ? AND user = ?", (league_id, user))


async def sign_ups_of(reader: Reader, league_id: int) -> dict[int, SignUp]:
    """Returns the sign-ups by user, in the order in which people signed up."""
    source = "league_sign_ups WHERE league = ? ORDER BY at, user"
    return {sign_up.user: sign_up for sign_up in await reader.load_all(SignUp, source, (league_id,))}


async def games_late_and_finished(reader: Reader, league: League, user: int) -> tuple[int, int]:
    """Returns how many games of the last season a user lost on time, and how many they have finished since it began.

    The running season counts as the last one. A game that a referee has annulled, or decided for the league, is not
    lost on time.
    """
    last = league.season if league.is_on else league.season - 1
    [(late,)] = await reader.run_sql(
        "SELECT count(*) FROM league_games JOIN shares ON shares.match = league_games.match"
        " WHERE league = ? AND season = ? AND user = ? AND late = 1 AND outcome = ? AND coalesce(verdict, '') <> ?",
        (league.id, last, user, PlayerOutcome.LOST.value, Verdict.RULED.value),
    )
    [(finished,)] = await reader.run_sql(
        "SELECT count(*) FROM shares WHERE guild = ? AND user = ? AND late = 0 AND ended_at >="
        " (SELECT began_at FROM league_seasons WHERE league = ? AND season = ?)",
        (league.guild, user, league.id, last),
    )
    return late, finished


async def leagues_of_person(reader: Reader, user: int) -> list[League]:
    """Returns the leagues that name a user."""
    named = "SELECT league FROM league_seats WHERE user = :user UNION SELECT league FROM league_sign_ups"
    return await reader.load_all(
        League, f"leagues WHERE id IN ({named} WHERE user = :user) ORDER BY id", {"user": user}
    )


COUNT_FOR_PERSON_SQL = (
    "SELECT count(*) FROM leagues WHERE id IN (SELECT league FROM league_sign_ups WHERE user = :user)"
    " OR state IN ('running', 'ending') AND EXISTS (SELECT 1 FROM league_seats AS seat"
    " WHERE seat.league = leagues.id AND seat.season = leagues.season AND user = :user AND seat.state = 'in')"
)
"""The number of leagues that a user takes part in."""


async def replace_person(writer: Writer, user: int, stand_in: int) -> None:
    """Replaces a user by a stand-in, and drops jobs that name them."""
    named = "DELETE FROM jobs WHERE kind IN ('role', 'league-removal') AND (key LIKE ? OR note = ?)"
    await writer.run_sql(named, (f"%:{user}:%", str(user)))
    for table, column in (("league_seats", "user"), ("league_rulings", "referee")):
        await writer.run_sql(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (stand_in, user))


async def export_person(reader: Reader, user: int) -> Mapping[str, object]:
    """Returns the user's sign-ups and seats, ready for JSON."""
    wishes, seat = "league, at, at_once, reserve, signed_off, division", "league, season, division, state, at_once"
    sign_ups, seats = (f"league_{table} WHERE user = :user ORDER BY league" for table in ("sign_ups", "seats"))
    return {
        "league_sign_ups": await export_rows(reader, wishes, sign_ups, user),
        "league_seasons": await export_rows(reader, f"{seat}, place, movement", f"{seats}, season", user),
    }


class LeagueSeason(NamedTuple):
    """A season that has begun."""

    season: int
    began_at: int
    ended_at: int | None
    thread: int | None
    """The thread for its reports; None if it has none."""
    list_messages: tuple[int, ...]
    """The messages with the list of its games, in order; 0 for one that is still to be posted."""


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


# Seasons


async def add_season(writer: Writer, league: League, seats: Iterable[LeagueSeat], games: Iterable[LeagueGame]) -> None:
    """Stores a season that begins, with its seats and its games."""
    of_season = {"league": league.id, "season": league.season, "guild": league.guild}
    rows = [("league_seats", seat) for seat in seats], [("league_games", game) for game in games]
    await writer.add_row("league_seasons", {**of_season, "began_at": league.begins_at})
    await writer.run_batch(
        [insert_statement(table, {**values_of(row), **of_season}) for some in rows for table, row in some]
    )


async def past_seasons(reader: Reader, league_id: int) -> list[LeagueSeason]:
    """Returns the seasons of a league that have begun, the latest first."""
    return await reader.load_all(LeagueSeason, "league_seasons WHERE league = ? ORDER BY season DESC", (league_id,))


async def update_season(writer: Writer, league: League, **values: object) -> None:
    """Changes the present season of a league, which has begun."""
    await writer.update_rows("league_seasons", {"league": league.id, "season": league.season}, **values)


async def load_season(reader: Reader, league_id: int, season: int) -> LeagueSeason | None:
    """Returns a season of a league; None if it has not begun."""
    return await reader.load_first(LeagueSeason, "league_seasons WHERE league = ? AND season = ?", (league_id, season))


# Seats


async def seats_of(reader: Reader, league_id: int, season: int) -> list[LeagueSeat]:
    """Returns the seats of a season."""
    source = "league_seats WHERE league = ? AND season = ? ORDER BY division, entrant"
    return await reader.load_all(LeagueSeat, source, (league_id, season))


async def winners_of(reader: Reader, league_id: int) -> dict[int, list[int]]:
    """Maps each season to the users who won the highest division, the latest season last."""
    source = "league_seats WHERE league = ? AND division = 0 AND place = 1 ORDER BY season, entrant"
    winners: dict[int, list[int]] = {}
    for seat in await reader.load_all(LeagueSeat, source, (league_id,)):
        winners.setdefault(seat.season, []).append(seat.user)
    return winners


async def save_seat(writer: Writer, seat: LeagueSeat) -> None:
    """Stores a seat that was loaded in this transaction."""
    key = {"league": seat.league, "season": seat.season, "division": seat.division, "entrant": seat.entrant}
    await writer.update_rows("league_seats", key, **values_of(seat))


# Games


async def games_of(reader: Reader, league_id: int, season: int) -> list[LeagueGame]:
    """Returns the games of a season."""
    source = "league_games WHERE league = ? AND season = ? ORDER BY division, number"
    return await reader.load_all(LeagueGame, source, (league_id, season))


async def game_of_match(reader: Reader, match_id: int) -> LeagueGame | None:
    """Returns the league game that is played as that match; None if the match is no league game."""
    return await reader.load_first(LeagueGame, "league_games WHERE match = ?", (match_id,))


LEAGUE_ENDS_SQL = (
    "SELECT match, ends_at FROM league_games"
    " JOIN leagues ON leagues.id = league_games.league AND leagues.season = league_games.season"
    " WHERE match IN (SELECT value FROM json_each(?)) AND points IS NULL AND state = 'running'"
)
"""A query for the time at which the season of each undecided league match ends: see `Table.ends_sql`."""


async def save_game(writer: Writer, game: LeagueGame) -> None:
    """Stores a game that was loaded in this transaction."""
    key = {"league": game.league, "season": game.season, "division": game.division, "number": game.number}
    await writer.update_rows("league_games", key, **values_of(game))


async def add_ruling(writer: Writer, ruling: LeagueRuling) -> None:
    """Stores a ruling; another one of the same second replaces it."""
    values = values_of(ruling)
    key = {column: values.pop(column) for column in ("match", "at")}
    await writer.save_row("league_rulings", key, values)


async def rulings_of(reader: Reader, match_id: int, at: int) -> list[LeagueRuling]:
    """Returns the ruling about a match at that time."""
    return await reader.load_all(LeagueRuling, "league_rulings WHERE match = ? AND at = ?", (match_id, at))


# The role of the winners


async def pass_role_on(writer: Writer, league: League, now: int) -> None:
    """Has the league's role, if it has one, given to or taken from those who have won its last two seasons."""
    if league.role is not None:
        winners = [user for users in [*(await winners_of(writer, league.id)).values()][-2:] for user in users]
        users = sorted({user for user in winners if user > 0})  # the others are stand-ins of people forgotten
        jobs = [Job("role", f"{league.id}:{user}:{league.role}", league.guild, due_at=now) for user in users]
        await writer.add_jobs(*jobs)


async def is_to_have_role(reader: Reader, guild: int, user: int, role: int) -> bool:
    """Whether a user is a latest winner of a league that gives that role. Seasons without winners do not count."""
    won = "league_seats WHERE league = leagues.id AND division = 0 AND place = 1"
    found = await reader.run_sql(
        f"SELECT 1 FROM leagues WHERE guild = ? AND role = ? AND EXISTS (SELECT 1 FROM {won} AND user = ?"
        f" AND season = (SELECT max(season) FROM {won}))",
        (guild, role, user),
    )
    return bool(found)
