"""The statements about people, servers and followers. They take the reader or writer whose connection they use."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from bot.clock import Pace, Span
from bot.events import Event, Kind, anonymous, format_numbers, parse_numbers
from bot.settings import GuildSettings, Person, Reminders, Threads, UserSettings
from bot.store import Reader, Writer


class Follow(NamedTuple):
    """Somebody who wants to know how a match ends."""

    match: int
    user: int
    every_move: bool


async def people(reader: Reader, users: Iterable[int]) -> dict[int, Person]:
    """Those of the users who have asked for something, with what."""
    asked = json.dumps(sorted(set(users)))
    found: dict[int, UserSettings] = {}
    rows = await reader.run(
        "SELECT user, zone, sleep_start, sleep_end, free_weekends, reminders, by_dm, automove FROM user_settings"
        " WHERE user IN (SELECT value FROM json_each(?))",
        (asked,),
    )
    for user, zone, start, end, weekends, reminders, by_dm, automove in rows:
        sleep = (start, end) if start is not None else None
        found[user] = UserSettings(zone, sleep, bool(weekends), Reminders(reminders), bool(by_dm), bool(automove))
    away: dict[int, list[Span]] = {}
    rows = await reader.run(
        "SELECT user, start, end FROM vacations WHERE user IN (SELECT value FROM json_each(?)) ORDER BY user, start",
        (asked,),
    )
    for user, start, end in rows:
        away.setdefault(user, []).append((start, end))
    return {
        user: Person(found.get(user, UserSettings()), tuple(away.get(user, ()))) for user in found.keys() | away.keys()
    }


async def set_user(writer: Writer, user: int, settings: UserSettings) -> None:
    """Notes what a person has asked for."""
    start, end = settings.sleep or (None, None)
    await writer.run(
        "INSERT OR REPLACE INTO user_settings VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            user,
            settings.zone,
            start,
            end,
            settings.free_weekends,
            settings.reminders.value,
            settings.by_dm,
            settings.automove,
        ),
    )


async def add_vacation(writer: Writer, user: int, span: Span) -> None:
    """Notes a vacation, or a new end of one that begins at the same instant."""
    await writer.run("INSERT OR REPLACE INTO vacations (user, start, end) VALUES (?, ?, ?)", (user, *span))


async def guild_settings(reader: Reader, guild: int) -> GuildSettings:
    """What has been asked for in that server, or what holds where nothing has."""
    rows = await reader.run(
        "SELECT pace, threads, channels, language, announcements, audit, house_rules, most_open, most_live"
        " FROM guild_settings WHERE guild = ?",
        (guild,),
    )
    if not rows:
        return GuildSettings()
    pace, threads, channels, *rest = rows[0]
    return GuildSettings(Pace(pace), Threads(threads), parse_numbers(channels), *rest)


async def set_guild(writer: Writer, guild: int, settings: GuildSettings) -> None:
    """Notes what has been asked for in a server."""
    await writer.run(
        "INSERT OR REPLACE INTO guild_settings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            guild,
            settings.pace.value,
            settings.threads.value,
            format_numbers(settings.channels),
            settings.language,
            settings.announcements,
            settings.audit,
            settings.house_rules,
            settings.most_open,
            settings.most_live,
        ),
    )


async def follows(reader: Reader, match_id: int) -> tuple[Follow, ...]:
    """The followers of a match."""
    rows = await reader.run("SELECT match, user, every_move FROM follows WHERE match = ? ORDER BY user", (match_id,))
    return tuple(Follow(match, user, bool(every)) for match, user, every in rows)


async def followed_by(reader: Reader, user: int) -> tuple[Follow, ...]:
    """What a person follows."""
    rows = await reader.run("SELECT match, user, every_move FROM follows WHERE user = ? ORDER BY match", (user,))
    return tuple(Follow(match, follower, bool(every)) for match, follower, every in rows)


async def set_follow(writer: Writer, follow: Follow) -> None:
    """Notes a follower."""
    await writer.run("INSERT OR REPLACE INTO follows (match, user, every_move) VALUES (?, ?, ?)", follow)


async def end_follow(writer: Writer, match_id: int, user: int) -> bool:
    """Strikes a follower out; whether there was one."""
    rows = await writer.run("DELETE FROM follows WHERE match = ? AND user = ? RETURNING match", (match_id, user))
    return bool(rows)


async def live_games(reader: Reader, user: int, guild: int | None = None) -> list[int]:
    """The matches that are on in which that user has a seat, in one server or in all."""
    rows = await reader.run(
        "SELECT id FROM matches JOIN players ON match = id"
        " WHERE user = :user AND phase = 'live' AND NOT resigned AND guild = coalesce(:guild, guild) ORDER BY id",
        {"user": user, "guild": guild},
    )
    return [match_id for (match_id,) in rows]


async def open_tables(reader: Reader, user: int, guild: int) -> int:
    """How many open tables a user hosts in a server."""
    rows = await reader.run(
        "SELECT count(*) FROM matches JOIN players ON match = id"
        " WHERE user = ? AND guild = ? AND phase = 'open' AND seat = 0",
        (user, guild),
    )
    return int(rows[0][0])


async def named_in(reader: Reader, user: int) -> list[int]:
    """Every match in whose story a user is named. Reads all events: for rare requests only."""
    rows = await reader.run(
        "SELECT DISTINCT match FROM events WHERE user = :user OR instr(body, :user) ORDER BY match", {"user": user}
    )
    return [match_id for (match_id,) in rows]


async def anonymise(writer: Writer, match_id: int, user: int) -> None:
    """Puts a number that is nobody's in the place of a user in the whole story of a match, and in its derived rows."""
    events = await writer.events(match_id)
    known = {event.user for event in events}
    nobody = next(number for number in range(len(known) + 1) if number not in known)
    for event in events:
        changed = anonymous(event, user, nobody)
        if changed != event:
            await _rewrite(writer, match_id, changed)
    await writer.run("UPDATE players SET user = ? WHERE match = ? AND user = ?", (nobody, match_id, user))
    await writer.run("UPDATE matches SET to_move = ? WHERE id = ? AND to_move = ?", (nobody, match_id, user))


async def _rewrite(writer: Writer, match_id: int, event: Event) -> None:
    await writer.run(
        "UPDATE events SET user = ?, body = ? WHERE match = ? AND seq = ?",
        (event.user, event.body, match_id, event.seq),
    )


async def forget_settings(writer: Writer, user: int) -> None:
    """Deletes what a person has asked for, and what he follows."""
    for table in ("user_settings", "vacations", "follows"):
        await writer.run(f"DELETE FROM {table} WHERE user = ?", (user,))  # noqa: S608 - three names from right above


async def acts_of(reader: Reader, user: int) -> list[dict[str, Any]]:
    """Everything that a user has done in matches, as it is stored."""
    rows = await reader.run("SELECT match, seq, at, kind, body FROM events WHERE user = ? ORDER BY match, seq", (user,))
    return [
        {"match": match, "seq": seq, "at": at, "kind": Kind(kind).name.lower(), "body": body}
        for match, seq, at, kind, body in rows
    ]
