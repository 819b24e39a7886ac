"""SQL about people: their settings and vacations, what is stored about them, and how it is forgotten.

Stored names that this version does not know get a default, and a line in the log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

import structlog

from bot.core.clock import Span
from bot.core.setting_kinds import is_known_zone
from bot.core.settings import SETTINGS, GuildSettings, SettingsT, StoredPerson, UserSettings, settings_texts
from bot.store import Reader, Writer

_PEOPLE_COLUMNS = [column for setting in SETTINGS[UserSettings].values() for column in setting.columns]
_PREFERENCES = [name for name, setting in SETTINGS[UserSettings].items() if not setting.columns]
_PEOPLE_SQL = (
    f"SELECT asked.value, start, vacations.end, preferences.key, preferences.value, {', '.join(_PEOPLE_COLUMNS)}"
    " FROM json_each(?) AS asked LEFT JOIN user_settings ON user_settings.user = asked.value"
    " LEFT JOIN vacations ON vacations.user = asked.value"
    " LEFT JOIN preferences ON preferences.user = asked.value"
    f" AND preferences.key IN ({', '.join(map(repr, _PREFERENCES))}) ORDER BY asked.value, start"
)
"""A row for each vacation of a person and each preference."""


@lru_cache(1000)
def log_unknown_name(setting: str, name: str) -> None:
    """Logs once that a stored name is not known here, as after a return to an older version."""
    structlog.get_logger().warning("unknown name", setting=setting, name=name)


def read_settings(kind: type[SettingsT], stored: Mapping[str, Any]) -> SettingsT:
    """Returns the settings from what is stored, by column and by the name of preferences."""
    values = {}
    for name, setting in SETTINGS[kind].items():
        columns = setting.columns or (name,)
        if columns[0] in stored:
            written = [stored[column] for column in columns]
            read = setting.kind.read_columns if setting.columns else setting.kind.parse
            try:
                values[setting.field] = read(*written)
            except ValueError:
                log_unknown_name(name, str(written[0]))
    settings = kind(**values)
    if not is_known_zone(settings.zone):  # it stays stored: only this machine may lack it
        log_unknown_name("zone", settings.zone)
    return settings


def settings_columns(settings: UserSettings | GuildSettings) -> dict[str, object]:
    """Returns what the columns hold for these settings."""
    values = dict[str, object]()
    for setting in SETTINGS[type(settings)].values():
        if setting.columns:
            values |= zip(setting.columns, setting.kind.column_values(getattr(settings, setting.field)), strict=True)
    return values


async def load_people(reader: Reader, users: Iterable[int]) -> dict[int, StoredPerson]:
    """Returns these users by id, with their settings and vacations."""
    rows = await reader.run_sql(_PEOPLE_SQL, (json.dumps(sorted(set(users))),))
    persons: dict[int, StoredPerson] = {}
    for user, group in groupby(rows, key=itemgetter(0)):
        user_rows = list(group)
        vacations = dict.fromkeys((start, end) for _, start, end, *_ in user_rows if start is not None)
        stored = {key: value for _, _, _, key, value, *_ in user_rows if key is not None}
        columns = dict(zip(_PEOPLE_COLUMNS, user_rows[0][5:], strict=True))
        if columns["zone"] is not None:
            stored |= columns
        persons[user] = StoredPerson(read_settings(UserSettings, stored), tuple(vacations))
    return persons


async def set_user_settings(writer: Writer, user: int, before: UserSettings, after: UserSettings) -> None:
    """Stores the settings of a person that have changed."""
    columns = settings_columns(after)
    if columns != settings_columns(before):
        await writer.save_row("user_settings", {"user": user}, columns)
    written, known = settings_texts(after), settings_texts(before)
    for name in _PREFERENCES:
        if written[name] != known[name]:
            await writer.set_preference(user, name, written[name])


async def delete_preference(writer: Writer, user: int, key: str) -> None:
    """Deletes what is stored beside a person's preferences under that key."""
    await writer.run_sql("DELETE FROM preferences WHERE user = ? AND key = ?", (user, key))


async def add_vacation(writer: Writer, user: int, span: Span) -> None:
    """Stores a vacation, or the new end of a vacation with the same start."""
    start, end = span
    await writer.save_row("vacations", {"user": user, "start": start}, {"end": end})


# Who is being forgotten, so that no trace is left after a crash or a rating in between


_COUNT_KEY = "forgotten"
"""The key of the note with the number of people forgotten so far."""


async def people_blocked_by(reader: Reader, user: int) -> list[int]:
    """Returns the people whom the user has blocked."""
    return await reader.read_column("SELECT blocked FROM blocks WHERE user = ? ORDER BY blocked", (user,))


async def delete_block(writer: Writer, user: int, blocked: int) -> None:
    """Notes that the user has not blocked that person any more."""
    await writer.run_sql("DELETE FROM blocks WHERE user = ? AND blocked = ?", (user, blocked))


async def pairs_apart(reader: Reader, users: Iterable[int]) -> list[tuple[int, int]]:
    """Returns each pair of these users of whom the first has blocked the second."""
    rows = await reader.run_sql(
        "SELECT user, blocked FROM blocks WHERE user IN (SELECT value FROM json_each(:users))"
        " AND blocked IN (SELECT value FROM json_each(:users))",
        {"users": json.dumps([*users])},
    )
    return [(user, blocked) for user, blocked in rows]


async def people_apart(reader: Reader, users: Iterable[int], others: Iterable[int]) -> set[int]:
    """Returns those of the users who have blocked one of the others, or whom one of them has blocked.

    They are not to sit together. Leagues and referees do not ask.
    """
    users, others = {*users}, {*others}
    pairs = await pairs_apart(reader, users | others)
    return {one for pair in pairs for one, other in (pair, pair[::-1]) if one in users and other in others}


async def begin_forgetting(writer: Writer, user: int) -> int:
    """Returns the negative number that stands for the user from now on. It has never stood for anybody else.

    The number stays noted until `end_forgetting`, so that a run after a crash gets the same number.
    """
    if stand_in := await writer.read_value("SELECT stand_in FROM forgetting WHERE user = ?", (user,)):
        return int(stand_in)
    count = int(await writer.get_meta(_COUNT_KEY) or 0) + 1
    await writer.set_meta(_COUNT_KEY, str(count))
    await writer.add_row("forgetting", {"user": user, "stand_in": -count})
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
    last = await reader.read_value("SELECT max(match) FROM events") or 0
    match_ids: list[int] = []
    for first in range(1, last + 1, MATCHES_PER_SEARCH):
        match_ids += await reader.read_column(
            "SELECT DISTINCT match FROM events WHERE match >= :first AND match < :first + :part"
            " AND (user = :user OR instr(body, CAST(:user AS TEXT)) > 0) ORDER BY match",
            {"user": user, "first": first, "part": MATCHES_PER_SEARCH},
        )
    return match_ids


async def export_rows(reader: Reader, columns: str, rows: str, user: int) -> list[dict[str, object]]:
    """Returns the rows about a user as dictionaries, with server and columns as keys."""
    records = await reader.run_sql(f"SELECT guild, {columns} FROM {rows}", {"user": user})
    return [dict(zip(("server", *columns.split(", ")), row, strict=True)) for row in records]
