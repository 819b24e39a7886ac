"""SQL to find what is stored about a person, and that notes which people are being forgotten, so that no trace is left
after a crash or a rating in between."""

from __future__ import annotations

from typing import Any

from bot.store import Reader, Writer

_COUNT_KEY = "forgotten"
"""The key of the note with the number of people forgotten so far."""

_UNDER_WAY_PREFIX = "forgetting:"
"""The prefix of the keys of notes about people being forgotten. The value is the number of the stand-in, followed by
the additions of `note_rerated`."""

_UNDER_WAY_END = "forgetting;"
"""Sorts after all keys with that prefix."""


async def begin_forgetting(writer: Writer, user: int) -> int:
    """Returns the negative number that stands for the user from now on. It has never stood for anybody else.

    The number stays noted until `end_forgetting`, so that a run after a crash gets the same number.
    """
    note = await writer.get_meta(f"{_UNDER_WAY_PREFIX}{user}")
    if note is None:
        count = int(await writer.get_meta(_COUNT_KEY) or 0) + 1
        await writer.set_meta(_COUNT_KEY, str(count))
        note = str(-count)
        await writer.set_meta(f"{_UNDER_WAY_PREFIX}{user}", note)
    return int(note.split()[0])


async def forgetting_under_way(reader: Reader) -> list[int]:
    """Returns the users whose forgetting has begun and is not complete."""
    keys = await reader.read_column(
        "SELECT key FROM meta WHERE key >= ? AND key < ? ORDER BY key", (_UNDER_WAY_PREFIX, _UNDER_WAY_END)
    )
    return [int(key.removeprefix(_UNDER_WAY_PREFIX)) for key in keys]


async def note_rerated(writer: Writer, guild: int, variant: str) -> None:
    """Notes that games of a server and variant were rated again. Some may still name a person being forgotten."""
    await writer.run_sql(
        "UPDATE meta SET value = value || ? WHERE key >= ? AND key < ?",
        (f" {guild}:{variant}", _UNDER_WAY_PREFIX, _UNDER_WAY_END),
    )


async def end_forgetting(writer: Writer, user: int) -> list[tuple[int, str]]:
    """Deletes the note. Returns server and variant of the games rerated since `begin_forgetting`."""
    note = await writer.get_meta(f"{_UNDER_WAY_PREFIX}{user}")
    await writer.set_meta(f"{_UNDER_WAY_PREFIX}{user}", None)
    _, *rerated = (note or "0").split()
    places = (place.partition(":") for place in dict.fromkeys(rerated))
    return [(int(guild), variant) for guild, _, variant in places]


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
