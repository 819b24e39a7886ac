"""SQL about the settings of people and servers, and about followers. The functions take the reader or writer to use."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from bot.core.clock import MAX_FREE_DAYS, Pace, Span, Weekdays
from bot.core.events import EventKind, format_numbers, parse_numbers
from bot.core.house_seats import MAX_HOUSE_ID, MIN_HOUSE_ID
from bot.core.settings import GuildSettings, Reminders, StoredPerson, Threads, UserSettings, Viewpoint
from bot.core.zones import is_known_zone
from bot.store import Reader, Writer
from bot.store.connection import upsert_statement
from bot.store.unknown_names import UNKNOWN_NAMES, SettingOwner, parse_stored_name

GUILD_SETTINGS_COLUMNS = ", ".join(field.name for field in fields(GuildSettings))
"""The columns of a server's settings, in their order."""


MATCHES_PER_SEARCH = 500
"""The matches whose events one statement reads, which takes some hundredths of a second."""

HOUSE_IDS_SQL = f"BETWEEN {MIN_HOUSE_ID} AND {MAX_HOUSE_ID}"
"""A condition: the number is a house player's. It is spelled exactly as in the index, so that the index is used."""

_HOUSE_PROMISED_SQL = (
    "(phase = 'open' AND '' <> coalesce((SELECT body FROM events WHERE events.match = id"
    f" AND kind = {EventKind.HOUSE_PROMISED.value} ORDER BY events.seq DESC LIMIT 1), ''))"
)
"""A condition: house players will take the table's empty seats later. The last event about that decides."""


class Follow(NamedTuple):
    """A person who follows a match, and whether they want to hear of every move."""

    match: int
    user: int
    every_move: bool


async def load_people(reader: Reader, users: Iterable[int]) -> dict[int, StoredPerson]:
    """Returns the users who have settings or vacations, by id; the others are left out."""
    rows = await reader.run_sql(
        "SELECT value, start, vacations.end, zone, sleep_start, sleep_end, free_weekends, reminders, by_dm, automove,"
        " public, puzzles, language FROM json_each(?) LEFT JOIN user_settings ON user_settings.user = value"
        " LEFT JOIN vacations ON vacations.user = value ORDER BY value, start",
        (json.dumps(sorted(set(users))),),
    )
    persons: dict[int, StoredPerson] = {}
    for user, group in groupby(rows, key=itemgetter(0)):
        user_rows = list(group)
        away = tuple((start, end) for _, start, end, *_ in user_rows if start is not None)
        _, _, _, zone, *settings = user_rows[0]
        if zone is not None:
            persons[user] = StoredPerson(_read_user_settings(user, zone, *settings), away)
        elif away:
            persons[user] = StoredPerson(UserSettings(), away)
    return persons


def _read_user_settings(
    user: int, zone: str, start: int | None, end: int | None, weekends: int, reminders: str, *others: Any
) -> UserSettings:
    *switches, language = others
    by_dm, automove, public, puzzles = map(bool, switches)
    sleep = (start, end) if start is not None and end is not None else None
    owner = SettingOwner("user", user)
    _note_zone(owner, zone)
    reminding = parse_stored_name(owner, "reminders", reminders, Reminders.DEFAULT)
    return UserSettings(zone, sleep, _read_days(weekends), reminding, by_dm, automove, public, puzzles, language)


def _note_zone(owner: SettingOwner, zone: str) -> None:
    if not is_known_zone(zone):
        UNKNOWN_NAMES.note(owner, "zone", zone, "UTC")


_SATURDAY_AND_SUNDAY = 1
"""The stored number for Saturday and Sunday. It dates from the time when there was no other choice."""


def _read_days(written: int) -> Weekdays:
    if written == _SATURDAY_AND_SUNDAY:
        return Weekdays.WEEKEND
    known = written in range((~Weekdays.NONE).value + 1) and not written & _SATURDAY_AND_SUNDAY
    days = Weekdays(written) if known else Weekdays.NONE
    return days if len(days) <= MAX_FREE_DAYS else Weekdays.NONE


def _write_days(days: Weekdays) -> int:
    return _SATURDAY_AND_SUNDAY if days == Weekdays.WEEKEND else days.value


async def set_user_settings(writer: Writer, user: int, settings: UserSettings) -> None:
    """Stores a person's settings."""
    start, end = settings.sleep or (None, None)
    values = asdict(settings) | {"sleep_start": start, "sleep_end": end, "reminders": settings.reminders.value}
    values["free_weekends"] = _write_days(settings.free_days)
    del values["sleep"], values["free_days"]
    await writer.run_sql(*upsert_statement("user_settings", {"user": user}, values))


async def set_language(writer: Writer, user: int, language: str) -> None:
    """Stores the language of a person's direct messages, if they want such messages."""
    await writer.run_sql("UPDATE user_settings SET language = ? WHERE user = ? AND by_dm = 1", (language, user))


async def add_vacation(writer: Writer, user: int, span: Span) -> None:
    """Stores a vacation, or the new end of a vacation with the same start."""
    start, end = span
    await writer.run_sql(*upsert_statement("vacations", {"user": user, "start": start}, {"end": end}))


async def load_guild_settings(reader: Reader, guild: int) -> GuildSettings:
    """Returns the settings of a server; the defaults if none are stored."""
    row = await reader.read_row(f"SELECT {GUILD_SETTINGS_COLUMNS} FROM guild_settings WHERE guild = ?", (guild,))
    return read_guild_settings(guild, row) if row else GuildSettings()


def read_guild_settings(guild: int, row: Iterable[Any]) -> GuildSettings:
    """Reads a server's settings from a row of GUILD_SETTINGS_COLUMNS."""
    owner = SettingOwner("guild", guild)
    values = dict(zip((field.name for field in fields(GuildSettings)), row, strict=True))
    _note_zone(owner, values["zone"])
    return GuildSettings(
        **values
        | {
            "pace": parse_stored_name(owner, "pace", values["pace"], Pace.STANDARD),
            "threads": parse_stored_name(owner, "threads", values["threads"], Threads.YES),
            "channels": _read_channels(owner, values["channels"]),
            "plans": bool(values["plans"]),
            "openings": bool(values["openings"]),
            "viewpoint": parse_stored_name(owner, "viewpoint", values["viewpoint"], Viewpoint.STILL_FOR_THREE),
        }
    )


def _read_channels(owner: SettingOwner, stored: str) -> tuple[int, ...]:
    try:
        return parse_numbers(stored)
    except ValueError:
        UNKNOWN_NAMES.note(owner, "channels", stored, "any")
        return ()


async def count_house_games(reader: Reader, guild: int, user: int | None = None) -> int:
    """Returns the number of open and live games with house players in a server, or those of one person there.

    Includes tables at which house players will sit down later.
    """
    [count] = await reader.read_column(
        "SELECT count(*) FROM matches WHERE guild = :guild AND phase IN ('open', 'live')"
        f" AND (EXISTS (SELECT 1 FROM players WHERE match = id AND user {HOUSE_IDS_SQL} AND ended = 0)"
        f" OR {_HOUSE_PROMISED_SQL})"
        " AND (:user IS NULL OR EXISTS (SELECT 1 FROM players WHERE match = id AND user = :user AND resigned = 0))",
        {"guild": guild, "user": user},
    )
    return int(count)


async def servers_without_house(reader: Reader) -> frozenset[int]:
    """Returns the servers that have switched house players off."""
    return frozenset(await reader.read_column("SELECT guild FROM guild_settings WHERE most_house = 0"))


async def set_guild_settings(writer: Writer, guild: int, settings: GuildSettings) -> None:
    """Stores a server's settings."""
    values = asdict(settings) | {
        "pace": settings.pace.value,
        "threads": settings.threads.value,
        "channels": format_numbers(settings.channels),
        "viewpoint": settings.viewpoint.value,
    }
    await writer.run_sql(*upsert_statement("guild_settings", {"guild": guild}, values))


async def followers_of(reader: Reader, match_id: int) -> tuple[Follow, ...]:
    """Returns the followers of a match."""
    rows = await reader.run_sql(
        "SELECT match, user, every_move FROM follows WHERE match = ? ORDER BY user", (match_id,)
    )
    return tuple(Follow(match, user, bool(every)) for match, user, every in rows)


async def follows_of(reader: Reader, user: int) -> tuple[Follow, ...]:
    """Returns the matches a person follows."""
    rows = await reader.run_sql("SELECT match, user, every_move FROM follows WHERE user = ? ORDER BY match", (user,))
    return tuple(Follow(match, follower, bool(every)) for match, follower, every in rows)


async def set_follow(writer: Writer, follow: Follow) -> None:
    """Stores a follower."""
    key = {"match": follow.match, "user": follow.user}
    await writer.run_sql(*upsert_statement("follows", key, {"every_move": follow.every_move}))


async def end_follow(writer: Writer, match_id: int, user: int) -> bool:
    """Removes a follower. Returns False if there was none."""
    rows = await writer.run_sql("DELETE FROM follows WHERE match = ? AND user = ? RETURNING match", (match_id, user))
    return bool(rows)


async def live_games(reader: Reader, user: int) -> list[int]:
    """Returns the live matches in which the user has a seat."""
    return await reader.read_column(
        "SELECT id FROM matches JOIN players ON match = id"
        " WHERE user = ? AND ended = 0 AND phase = 'live' AND resigned = 0 ORDER BY id",
        (user,),
    )


async def count_open_tables(reader: Reader, user: int, guild: int) -> int:
    """Returns the number of open tables that a user hosts in a server."""
    return await _count_seats(reader, user, guild, "phase = 'open' AND seat = 0")


async def count_seats(reader: Reader, user: int, guild: int) -> int:
    """Returns the number of seats a user has in a server, in live games and at open tables."""
    return await _count_seats(reader, user, guild, "phase IN ('open', 'live') AND resigned = 0")


async def _count_seats(reader: Reader, user: int, guild: int, those: str) -> int:
    [count] = await reader.read_column(
        "SELECT count(*) FROM matches JOIN players ON match = id"
        f" WHERE user = ? AND ended = 0 AND guild = ? AND {those}",
        (user, guild),
    )
    return int(count)


async def matches_naming(reader: Reader, user: int) -> list[int]:
    """Returns every match whose events may name the user. Reads all events, in portions, so that other statements can
    run in between."""
    [(last,)] = await reader.run_sql("SELECT coalesce(max(match), 0) FROM events")
    match_ids: list[int] = []
    for first in range(1, last + 1, MATCHES_PER_SEARCH):
        match_ids += await reader.read_column(
            "SELECT DISTINCT match FROM events WHERE match >= :first AND match < :first + :part"
            " AND (user = :user OR instr(body, CAST(:user AS TEXT)) > 0) ORDER BY match",
            {"user": user, "first": first, "part": MATCHES_PER_SEARCH},
        )
    return match_ids


async def export_rows(reader: Reader, columns: str, rows: str, user: int) -> list[dict[str, Any]]:
    """Returns the rows about a user as dictionaries, with server and columns as keys."""
    records = await reader.run_sql(f"SELECT guild, {columns} FROM {rows}", {"user": user})
    return [dict(zip(("server", *columns.split(", ")), row, strict=True)) for row in records]


async def all_guild_settings(reader: Reader) -> dict[int, GuildSettings]:
    """Returns the stored settings by server; servers that have only defaults are left out."""
    rows = await reader.run_sql(f"SELECT guild, {GUILD_SETTINGS_COLUMNS} FROM guild_settings")
    return {guild: read_guild_settings(guild, row) for guild, *row in rows}
