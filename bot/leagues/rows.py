"""SQL about leagues: their terms and state, their news, sign-ups, and what is stored about a person.

A class is stored in columns with the names of its fields: `columns_of`, `values_of` and `read_as` know how.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from bot.core.events import format_numbers, parse_numbers
from bot.core.results import PlayerOutcome
from bot.leagues.league import LOOK_UP_S, League, LeagueNews, SignUp, Verdict
from bot.store import Reader, Writer
from bot.store.connection import SqlValues, insert_once_statement, insert_statement, upsert_statement
from bot.store.people import export_rows
from bot.store.servers import StoredPlace

Stored = TypeVar("Stored")
MakeStored = Callable[..., Stored]
"""A class with named fields; a field of a NamedTuple class stands for the fields of that class."""


@cache
def fields_of(kind: Any) -> dict[str, Any]:
    """Maps the fields of a class to their types."""
    return get_type_hints(kind)


class Trophy(NamedTuple):
    """A person's place in a finished season."""

    league: int
    variant: str
    season: int
    division: int
    place: int


# Classes and their columns


def columns_of(kind: MakeStored[Stored]) -> list[str]:
    """Returns the columns of a class."""
    columns = list[str]()
    for name, hint in fields_of(kind).items():
        columns += columns_of(hint) if hasattr(hint, "_fields") else [name]
    return columns


def values_of(item: Any) -> dict[str, Any]:
    """Returns the values of an object by column."""
    values = dict[str, Any]()
    kind: Any = type(item)
    for name in fields_of(kind):
        value = getattr(item, name)
        values |= values_of(value) if hasattr(value, "_fields") else {name: value_to_store(value)}
    return values


def value_to_store(value: Any) -> Any:
    """Returns a value as its column has it: an enum by its value, numbers as text."""
    if isinstance(value, Enum):
        return value.value
    return format_numbers(value) if isinstance(value, tuple) else value


def read_as(kind: MakeStored[Stored], row: Mapping[str, Any]) -> Stored:
    """Returns the object with the values of a row, which are given by column."""
    return kind(
        **{
            name: read_as(hint, row) if hasattr(hint, "_fields") else _read_value(hint, row[name])
            for name, hint in fields_of(kind).items()
        }
    )


def _read_value(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    kind = get_args(hint)[0] if type(None) in get_args(hint) else hint
    return parse_numbers(value) if get_origin(kind) is tuple else kind(value)


async def load_all(reader: Reader, kind: MakeStored[Stored], source: str, values: SqlValues = ()) -> list[Stored]:
    """Returns the objects that a query finds. `source` is its SQL after FROM."""
    columns = columns_of(kind)
    rows = await reader.run_sql(f"SELECT {', '.join(columns)} FROM {source}", values)
    return [read_as(kind, dict(zip(columns, row, strict=True))) for row in rows]


async def load_first(reader: Reader, kind: MakeStored[Stored], source: str, values: SqlValues = ()) -> Stored | None:
    """Returns the first object that a query finds; None if there is none."""
    return next(iter(await load_all(reader, kind, source, values)), None)


async def update_rows(writer: Writer, table: str, key: Mapping[str, Any], **values: Any) -> None:
    """Sets values in the rows that have those of the key."""
    changes = ", ".join(f"{column} = :{column}" for column in values)
    condition = " AND ".join(f"{column} = :{column}" for column in key)
    stored = {column: value_to_store(value) for column, value in values.items()}
    await writer.run_sql(f"UPDATE {table} SET {changes} WHERE {condition}", {**stored, **key})


# Leagues


def _league_values(league: League) -> dict[str, Any]:
    values = values_of(league)
    del values["id"]
    return {**values, "due_at": league.next_moment and league.next_moment.at}


async def add_league(writer: Writer, league: League, panel: int | None) -> int:
    """Stores a new league, ignoring its `id`, and returns its number. `panel`: the message whose button opened it."""
    sql, values = insert_statement("leagues", {**_league_values(league), "panel": panel, "edited_at": 0})
    [(league_id,)] = await writer.run_sql(f"{sql} RETURNING id", values)
    return int(league_id)


async def save_league(writer: Writer, league: League, *, changed: bool = False) -> None:
    """Stores a league that was loaded in this transaction. `changed`: its post has to be edited."""
    values = _league_values(league)
    del values["unposted_changes"]
    await update_rows(writer, "leagues", {"id": league.id}, **values)
    if changed:
        await note_change(writer, league.id)


async def load_league(reader: Reader, league_id: int) -> League | None:
    """Returns the league of that number; None if there is none."""
    return await load_first(reader, League, "leagues WHERE id = ?", (league_id,))


async def leagues_of(reader: Reader, guild: int) -> list[League]:
    """Returns the leagues of a server, the latest first."""
    return await load_all(reader, League, "leagues WHERE guild = ? ORDER BY id DESC", (guild,))


async def league_of_panel(reader: Reader, guild: int, panel: int | None) -> League | None:
    """Returns the league that the button of that message has opened; None if there is none."""
    return await load_first(reader, League, "leagues WHERE guild = ? AND panel = ?", (guild, panel))


async def leagues_to_look_up(reader: Reader, now: int) -> list[League]:
    """Returns the leagues whose season begins soon, and whose people have to be looked up before."""
    return await load_all(
        reader,
        League,
        "leagues WHERE state = 'sign-up' AND begins_at <= ? AND looked_up_at < begins_at - ? ORDER BY id",
        (now + LOOK_UP_S, LOOK_UP_S),
    )


async def posting_places(reader: Reader) -> list[StoredPlace]:
    """Returns the channels of leagues that are not closed."""
    rows = await reader.run_sql(
        "SELECT guild, channel, coalesce(threads, '') = 'yes' FROM leagues LEFT JOIN guild_settings USING (guild)"
        " WHERE state <> 'closed' AND channel <> 0"
    )
    return [StoredPlace(guild, channel, bool(threads)) for guild, channel, threads in rows]


async def leagues_in_channels(reader: Reader) -> list[League]:
    """Returns the leagues that are not closed and have a channel."""
    return await load_all(reader, League, "leagues WHERE state <> 'closed' AND channel <> 0 ORDER BY id")


async def due_leagues(reader: Reader, now: int) -> list[int]:
    """Returns the leagues in which something is due. No season begins without a channel."""
    return await reader.read_column(
        "SELECT id FROM leagues WHERE due_at <= ? AND (channel <> 0 OR state <> 'sign-up') ORDER BY due_at, id",
        (now,),
    )


async def ending_leagues(reader: Reader) -> list[League]:
    """Returns the leagues whose unfinished games are to be adjudicated."""
    return await load_all(reader, League, "leagues WHERE state = 'ending' ORDER BY id")


async def leagues_to_edit(reader: Reader, tried_before: int, looked_at_before: int) -> list[League]:
    """Returns the leagues whose post has to be edited and was last tried before that time; also those whose
    sign-up was last seen before `looked_at_before`. A post that another one is about to replace stays as it is.
    """
    return await load_all(
        reader,
        League,
        "leagues WHERE message IS NOT NULL AND ((unposted_changes > 0 AND edited_at <= ?)"
        " OR (state = 'sign-up' AND edited_at <= ?)) AND NOT EXISTS (SELECT 1 FROM league_news"
        " WHERE league = id AND kind IN ('open', 'begin', 'table', 'end')) ORDER BY edited_at, id",
        (tried_before, looked_at_before),
    )


async def note_change(writer: Writer, league_id: int) -> None:
    """Notes that a league's post has to be edited."""
    await writer.run_sql("UPDATE leagues SET unposted_changes = unposted_changes + 1 WHERE id = ?", (league_id,))


async def note_edited(writer: Writer, league: League, now: int) -> None:
    """Notes that the post of a league shows all changes up to this state of it. Later changes are still counted."""
    await writer.run_sql(
        "UPDATE leagues SET unposted_changes = unposted_changes - ?, edited_at = ? WHERE id = ?",
        (league.unposted_changes, now, league.id),
    )


async def set_message(writer: Writer, league_id: int, message: int | None, now: int) -> None:
    """Notes the post that shows a league's table; None if there is none."""
    await update_rows(writer, "leagues", {"id": league_id}, message=message, edited_at=now)


# News


async def add_news(writer: Writer, league: League, kind: str, now: int) -> None:
    """Notes news to post. Does nothing if the same news is noted already."""
    key = {"league": league.id, "season": league.season, "kind": kind, "guild": league.guild, "at": now}
    await writer.run_sql(*insert_once_statement("league_news", key))


async def add_audited_news(writer: Writer, league: League, kind: str, now: int) -> None:
    """Notes news to post for the people concerned, and as an entry in the audit channel."""
    await add_news(writer, league, kind, now)
    await add_news(writer, league, f"{kind}.audit", now)


_NEWS_SQL = (
    "league_news JOIN (SELECT id AS league, channel, state FROM leagues) AS places USING (league)"
    " LEFT JOIN league_seasons USING (league, season, guild)"
    " LEFT JOIN (SELECT guild, audit FROM guild_settings) AS settings USING (guild)"
)


async def news_to_post(reader: Reader, league_id: int | None = None) -> list[LeagueNews]:
    """Returns what has to be posted, in order: about that league, or about all. Other news than rulings waits while its
    league has no channel; that it has none can be said in an audit channel.
    """
    return await load_all(
        reader,
        LeagueNews,
        f"{_NEWS_SQL} WHERE league = coalesce(:league, league) AND (channel <> 0 OR kind LIKE 'ruled.%'"
        " OR (kind = 'no-channel' AND audit IS NOT NULL)) ORDER BY league, season, at, kind",
        {"league": league_id},
    )


async def lost_channels(reader: Reader, guild: int) -> list[LeagueNews]:
    """Returns the news for the managers of a server that a league's channel has been deleted."""
    condition = "guild = ? AND kind = 'no-channel' AND channel = 0 AND state <> 'closed'"
    return await load_all(reader, LeagueNews, f"{_NEWS_SQL} WHERE {condition}", (guild,))


async def drop_outdated_news(writer: Writer, league_id: int) -> None:
    """Drops all news that a new post of the league's table replaces."""
    await writer.run_sql(
        "DELETE FROM league_news WHERE league = ? AND (kind LIKE 'week-%' OR kind LIKE 'warn-%'"
        " OR kind IN ('open', 'few', 'extended', 'begin', 'table', 'thread', 'no-channel'))",
        (league_id,),
    )


async def drop_news(writer: Writer, news: LeagueNews) -> None:
    """Notes that something has been posted."""
    await writer.run_sql(
        "DELETE FROM league_news WHERE league = ? AND season = ? AND kind = ?", (news.league, news.season, news.kind)
    )


# People


async def best_game(reader: Reader, league_id: int, season: int) -> int | None:
    """Returns the match of a season that most people follow, or the longest of these. Games lost on time do not count.
    None if there is no such match.
    """
    row = await reader.read_row(
        "SELECT results.match FROM league_games JOIN results ON results.match = league_games.match"
        " WHERE league = ? AND season = ? AND has_result = 1 AND results.moves > 0 AND NOT EXISTS"
        " (SELECT 1 FROM shares WHERE shares.match = results.match AND late = 1)"
        " ORDER BY (SELECT count(*) FROM follows WHERE follows.match = results.match) DESC, results.moves DESC,"
        " results.match LIMIT 1",
        (league_id, season),
    )
    return row[0] if row else None


async def trophies_of(reader: Reader, guild: int, user: int) -> list[Trophy]:
    """Returns a user's places from first to third in finished seasons, the latest first."""
    return await load_all(
        reader,
        Trophy,
        "league_seats JOIN league_seasons USING (league, season, guild)"
        " JOIN (SELECT id AS league, variant FROM leagues) AS variants USING (league)"
        " WHERE user = ? AND guild = ? AND place <= 3 ORDER BY ended_at DESC, league DESC",
        (user, guild),
    )


async def set_sign_up(writer: Writer, league: League, sign_up: SignUp, now: int) -> None:
    """Signs a user up, or changes the wishes of a user who has signed up and keeps their place in the order."""
    wishes = values_of(sign_up)
    key = {"league": league.id, "user": wishes.pop("user")}
    others = {"guild": league.guild, "at": now, **wishes}
    await writer.run_sql(*upsert_statement("league_sign_ups", key, others, at="league_sign_ups.at"))


async def remove_sign_up(writer: Writer, league_id: int, user: int) -> None:
    """Removes a user's sign-up, if there is one."""
    await writer.run_sql("DELETE FROM league_sign_ups WHERE league = ? AND user = ?", (league_id, user))


async def sign_ups_of(reader: Reader, league_id: int) -> dict[int, SignUp]:
    """Returns the sign-ups by user, in the order in which people signed up."""
    source = "league_sign_ups WHERE league = ? ORDER BY at, user"
    return {sign_up.user: sign_up for sign_up in await load_all(reader, SignUp, source, (league_id,))}


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


async def leagues_of_person(reader: Reader, user: int) -> list[int]:
    """Returns the leagues that name a user."""
    return await reader.read_column(
        "SELECT league FROM league_seats WHERE user = :user UNION"
        " SELECT league FROM league_sign_ups WHERE user = :user ORDER BY 1",
        {"user": user},
    )


async def count_for_person(reader: Reader, user: int) -> Mapping[str, int]:
    """Returns the number of leagues that a user takes part in."""
    [(leagues,)] = await reader.run_sql(
        "SELECT count(*) FROM leagues WHERE id IN (SELECT league FROM league_sign_ups WHERE user = :user)"
        " OR state IN ('running', 'ending') AND EXISTS (SELECT 1 FROM league_seats AS seat"
        " WHERE seat.league = leagues.id AND seat.season = leagues.season AND user = :user AND seat.state = 'in')",
        {"user": user},
    )
    return {"leagues": leagues}


async def replace_person(writer: Writer, user: int, stand_in: int) -> None:
    """Replaces a user by a stand-in, and drops unposted news that names them."""
    named = "DELETE FROM league_news WHERE kind LIKE 'removed.%' AND kind || '.' LIKE ?"
    await writer.run_sql(named, (f"%.{user}.%",))
    await writer.run_sql("DELETE FROM jobs WHERE kind = 'role' AND key LIKE ?", (f"%:{user}:%",))
    for table, column in (("league_seats", "user"), ("league_seats", "former"), ("league_rulings", "referee")):
        await writer.run_sql(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (stand_in, user))


async def export_person(reader: Reader, user: int) -> Mapping[str, Any]:
    """Returns the user's sign-ups, seats and roles of winners, ready for JSON."""
    exported = {
        "league_sign_ups": ("league, at, at_once, reserve, signed_off", "league_sign_ups", "league"),
        "league_seasons": (
            "league, season, division, state, at_once, place, movement",
            "league_seats",
            "league, season",
        ),
        "league_roles": ("league, role, wanted", "league_role_holders", "league, role"),
    }
    return {
        name: await export_rows(reader, columns, f"{table} WHERE user = :user ORDER BY {order}", user)
        for name, (columns, table, order) in exported.items()
    }
