"""SQL about people: their settings and vacations, what is stored about them, and how it is forgotten.

Stored names that this version does not know get a default."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from enum import Enum
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

import structlog

from bot.core.clock import MAX_FREE_DAYS, Span, Weekdays
from bot.core.settings import Reminders, StoredPerson, UserSettings, is_known_zone
from bot.store import Reader, Writer
from bot.store.connection import insert_statement, upsert_statement

log = structlog.get_logger()

StoredEnumT = TypeVar("StoredEnumT", bound=Enum)


@lru_cache(1000)
def log_unknown_name(owner: str, setting: str, name: str, instead: str) -> None:
    """Logs once that a stored name is not known here, as after a return to an older version."""
    log.warning("unknown name", owner=owner, setting=setting, name=name, instead=instead)


def parse_stored_name(owner: str, setting: str, stored: str, default: StoredEnumT) -> StoredEnumT:
    """Returns the member with that value in the default's enumeration; the default if there is none."""
    try:
        return type(default)(stored)
    except ValueError:
        log_unknown_name(owner, setting, stored, default.value)
        return default


def note_unknown_zone(owner: str, zone: str) -> None:
    """Logs a stored time zone that this machine does not know; UTC stands in for it."""
    if not is_known_zone(zone):
        log_unknown_name(owner, "zone", zone, "UTC")


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
    owner = f"user {user}"
    note_unknown_zone(owner, zone)
    reminding = parse_stored_name(owner, "reminders", reminders, Reminders.DEFAULT)
    return UserSettings(zone, sleep, _read_days(weekends), reminding, by_dm, automove, public, puzzles, language)


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


async def delete_preference(writer: Writer, user: int, key: str) -> None:
    """Deletes what is stored beside a person's preferences under that key."""
    await writer.run_sql("DELETE FROM preferences WHERE user = ? AND key = ?", (user, key))


async def set_language(writer: Writer, user: int, language: str) -> None:
    """Stores the language of a person's direct messages, if they want such messages."""
    await writer.run_sql("UPDATE user_settings SET language = ? WHERE user = ? AND by_dm = 1", (language, user))


async def add_vacation(writer: Writer, user: int, span: Span) -> None:
    """Stores a vacation, or the new end of a vacation with the same start."""
    start, end = span
    await writer.run_sql(*upsert_statement("vacations", {"user": user, "start": start}, {"end": end}))


# Who is being forgotten, so that no trace is left after a crash or a rating in between


_COUNT_KEY = "forgotten"
"""The key of the note with the number of people forgotten so far."""


async def begin_forgetting(writer: Writer, user: int) -> int:
    """Returns the negative number that stands for the user from now on. It has never stood for anybody else.

    The number stays noted until `end_forgetting`, so that a run after a crash gets the same number.
    """
    for stand_in in await writer.read_column("SELECT stand_in FROM forgetting WHERE user = ?", (user,)):
        return int(stand_in)
    count = int(await writer.get_meta(_COUNT_KEY) or 0) + 1
    await writer.set_meta(_COUNT_KEY, str(count))
    await writer.run_sql(*insert_statement("forgetting", {"user": user, "stand_in": -count}))
    return -count


async def forgetting_under_way(reader: Reader) -> list[int]:
    """Returns the users whose forgetting has begun and is not complete."""
    return await reader.read_column("SELECT user FROM forgetting ORDER BY user")


async def note_rerated(writer: Writer, guild: int, variant: str) -> None:
    """Notes that games of a server and variant were rated again. Some may still name a person being forgotten."""
    await writer.run_sql(
        "INSERT INTO forgetting_rerated (user, guild, variant) SELECT user, ?, ? FROM forgetting WHERE TRUE"
        " ON CONFLICT DO NOTHING",
        (guild, variant),
    )


async def end_forgetting(writer: Writer, user: int) -> list[tuple[int, str]]:
    """Notes that the user is forgotten. Returns server and variant of the games rerated since `begin_forgetting`."""
    rerated = await writer.run_sql("DELETE FROM forgetting_rerated WHERE user = ? RETURNING guild, variant", (user,))
    await writer.run_sql("DELETE FROM forgetting WHERE user = ?", (user,))
    return sorted((guild, variant) for guild, variant in rerated)


MATCHES_PER_SEARCH = 500
"""The matches whose events one statement reads, which takes some hundredths of a second."""


async def matches_naming(reader: Reader, user: int) -> list[int]:
    """Returns every match whose events may name the user. Reads all events, in portions, so that other statements can
    run in between."""
    [(last,)] = await reader.run_sql("SELECT max(match) FROM events")
    match_ids: list[int] = []
    for first in range(1, (last or 0) + 1, MATCHES_PER_SEARCH):
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
