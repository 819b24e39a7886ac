"""SQL about ladders: their entries, which are the facts, and what is derived from them.

`ladders.state` keeps the ladder after its last entry; where it is NULL, it is computed from the entries. `ladder_rungs`
has the rungs to which each entry moved people. The functions take the reader or writer to use.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from bot.core.clock import Span
from bot.core.events import format_numbers
from bot.core.match import Match
from bot.ladder.acts import MemberActivity, next_ladder_tick_at
from bot.ladder.state import (
    HISTORY_ROWS,
    NEWSWORTHY_ENTRIES,
    PUBLIC_ENTRIES,
    Challenge,
    Changes,
    Climber,
    EntryKind,
    Ladder,
    LadderEffects,
    LadderEntry,
    LadderGame,
    LadderHistoryRow,
    LadderId,
    LadderNews,
    Meeting,
    Score,
    Season,
    apply_entry,
    format_score,
    parse_score,
    replay_history,
)
from bot.store import Reader, Writer
from bot.store.absences import end_absence, ladders_of
from bot.store.connection import Statement, insert_statement, upsert_statement
from bot.store.matches import REACHABLE_SQL
from bot.store.people import export_rows
from bot.store.rows import values_of
from bot.store.servers import load_guild_settings
from rules import VARIANTS

# One ladder


async def set_channel(writer: Writer, ladder_id: LadderId, channel: int) -> None:
    """Notes the channel in which somebody used the ladder. Creates the ladder at the first call."""
    await writer.save_row("ladders", ladder_id._asdict(), {"channel": channel})


async def load_ladder(reader: Reader, ladder_id: LadderId) -> Ladder:
    """Returns the ladder after its last entry; an empty one if nobody has used it yet."""
    for state in await reader.read_column("SELECT state FROM ladders WHERE guild = ? AND variant = ?", ladder_id):
        if state is not None:
            return parse_state(state)
    return _replay(ladder_id, await load_entries(reader, ladder_id))


async def add_entry(writer: Writer, ladder_id: LadderId, ladder: Ladder, entry: LadderEntry) -> None:
    """Applies an entry to the ladder, and stores it with everything that it changes.

    The ladder's row must exist; see `set_channel`.
    """
    changes = apply_entry(ladder, entry)
    joined = entry.users if entry.kind is EntryKind.JOINED else ()
    await writer.run_batch(
        [
            write_entry(ladder_id, entry),
            *_write_rungs(ladder_id, entry, changes),
            *(_write_last_move(ladder_id, user, entry.at) for user in joined),
        ]
    )
    await store_state(writer, ladder_id, ladder, entry.at)
    await close_challenges(writer, ladder_id, ladder, entry.at)
    if entry.kind in NEWSWORTHY_ENTRIES:
        await writer.run_sql(
            "UPDATE ladders SET newsworthy = ? WHERE guild = ? AND variant = ?", (entry.seq, *ladder_id)
        )


async def close_challenges(writer: Writer, ladder_id: LadderId, ladder: Ladder, now: int) -> None:
    """Has the buttons taken off the messages of challenges that no longer wait."""
    for job in await writer.find_jobs("kind = 'challenge' AND guild = ? AND due_at IS NULL", (ladder_id.guild,)):
        variant, seq = job.note.split(":")
        if variant == ladder_id.variant and not ladder.challenge_made_by(int(seq)):
            await writer.add_jobs(job._replace(due_at=now))


async def rebuild_rows(writer: Writer, ladder_id: LadderId) -> Ladder:
    """Computes everything derived from the entries of a ladder again, and returns the ladder."""
    ladder = _empty_ladder(ladder_id)
    story = list(replay_history(ladder, await load_entries(writer, ladder_id)))
    await writer.run_batch(
        [
            ("DELETE FROM ladder_rungs WHERE guild = ? AND variant = ?", ladder_id),
            *(row for entry, changes in story for row in _write_rungs(ladder_id, entry, changes)),
        ]
    )
    await store_state(writer, ladder_id, ladder, story[-1][0].at if story else 0)
    return ladder


async def rebuild_ladders(tx: Writer, moved: Mapping[int, Mapping[int, int]]) -> Mapping[str, int]:
    """Rebuilds the rows of all ladders, and counts the ladders. `moved`: times of last moves by server and user."""
    ladder_ids = await list_ladders(tx)
    await tx.run_sql("DELETE FROM climbers")
    for ladder_id in ladder_ids:
        ladder, last_moves = await rebuild_rows(tx, ladder_id), moved.get(ladder_id.guild, {})
        await tx.run_batch(
            [
                _write_last_move(ladder_id, user, max(last_moves.get(user, 0), climber.joined_at))
                for user, climber in ladder.climbers.items()
            ]
        )
    return {"ladders": len(ladder_ids)}


def _empty_ladder(ladder_id: LadderId) -> Ladder:
    return Ladder(len(VARIANTS[ladder_id.variant].seats))


def _replay(ladder_id: LadderId, entries: Iterable[LadderEntry]) -> Ladder:
    ladder = _empty_ladder(ladder_id)
    deque(replay_history(ladder, entries), maxlen=0)
    return ladder


async def store_state(writer: Writer, ladder_id: LadderId, ladder: Ladder, now: int) -> None:
    """Stores the ladder, and when the tick must next look at it."""
    await writer.run_sql(
        "UPDATE ladders SET state = ?, challenged = ?, due_at = ? WHERE guild = ? AND variant = ?",
        (format_state(ladder), bool(ladder.challenges), next_ladder_tick_at(ladder, now), *ladder_id),
    )


_STATE_TABLES: Mapping[str, Callable[..., object]] = {
    "climbers": Climber,
    "challenges": Challenge,
    "games": LadderGame,
    "meetings": Meeting,
}
"""The attributes of a ladder that are tables, and what makes a row of each."""


def format_state(ladder: Ladder) -> str:
    """Returns the ladder as JSON. The values of climbers, games and so on are listed in the order of their fields."""
    tables = {name: [*getattr(ladder, name).items()] for name in _STATE_TABLES}
    return json.dumps(vars(ladder) | tables, default=lambda row: [getattr(row, name) for name in row.__slots__])


def parse_state(state: str) -> Ladder:
    """Reads what `format_state` wrote. Climbers may lack their last fields, if these came later."""
    stored = {name: _as_tuples(value) for name, value in json.loads(state).items()}
    stored |= {name: {key: make(*row) for key, row in stored[name]} for name, make in _STATE_TABLES.items()}
    return Ladder(**stored | {"season": stored["season"] and Season(*stored["season"])})


def _as_tuples(value: object) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


def _write_rungs(ladder_id: LadderId, entry: LadderEntry, changes: Changes) -> list[Statement]:
    """Returns statements that store the rungs to which an entry has moved its users."""
    key = ladder_id._asdict() | {"seq": entry.seq}
    return [
        insert_statement(
            "ladder_rungs", key | {"user": user, "rung_before": before.rung if before else None, "rung": after.rung}
        )
        for user, (before, after) in changes.items()
    ]


def _write_last_move(ladder_id: LadderId, user: int, at: int) -> Statement:
    return upsert_statement("climbers", ladder_id._asdict() | {"user": user}, {"moved_at": at})


# Entries


def write_entry(ladder_id: LadderId, entry: LadderEntry) -> Statement:
    """Returns the statement that adds an entry."""
    return insert_statement("ladder_entries", ladder_id._asdict() | values_of(entry))


async def load_entries(reader: Reader, ladder_id: LadderId, after: int = 0) -> list[LadderEntry]:
    """Returns the entries with numbers above `after`, in order."""
    return await _query_entries(reader, "AND seq > ? ORDER BY seq", *ladder_id, after)


async def _query_entries(reader: Reader, rest: str, *values: int | str) -> list[LadderEntry]:
    return await reader.load_all(LadderEntry, f"ladder_entries WHERE guild = ? AND variant = ? {rest}", values)


async def end_of_challenge(reader: Reader, ladder_id: LadderId, seq: int) -> LadderEntry | None:
    """Returns the entry that ended the challenge made by the entry `seq`; None while the challenge waits.

    None, too, if no entry ended it: the challenge was dropped when an older game of the two, reopened by a referee,
    ended again.
    """
    challenge, *later = await load_entries(reader, ladder_id, seq - 1)
    answers = (EntryKind.ACCEPTED, EntryKind.REFUSED, EntryKind.LAPSED)
    for entry in later:
        if entry.users == challenge.users and entry.kind in answers:
            return entry
        if entry.kind is EntryKind.LEFT and entry.users[0] in challenge.users:
            return entry
    return None


async def end_of_match(reader: Reader, ladder_id: LadderId, match_id: int) -> LadderEntry | None:
    """Returns the entry for the end of the match, for its last end if it ended several times; None if there is none."""
    ends = f"AND kind = {EntryKind.FINISHED.value} AND matches = ? ORDER BY seq DESC LIMIT 1"
    return next(iter(await _query_entries(reader, ends, *ladder_id, str(match_id))), None)


async def rung_changes_of(reader: Reader, ladder_id: LadderId, seq: int) -> dict[int, tuple[int | None, int]]:
    """Returns the rungs of the users that an entry concerned: before it (None for a new climber) and after it."""
    rows = await reader.run_sql(
        "SELECT user, rung_before, rung FROM ladder_rungs WHERE guild = ? AND variant = ? AND seq = ?",
        (*ladder_id, seq),
    )
    return {user: (before, after) for user, before, after in rows}


async def climber_history(reader: Reader, ladder_id: LadderId, user: int, page: int = 0) -> list[LadderHistoryRow]:
    """Returns a page of the entries that concerned a user, the latest first, and the first entry of the next page."""
    return await reader.load_all(
        LadderHistoryRow,
        "ladder_rungs JOIN ladder_entries USING (guild, variant, seq) WHERE guild = ? AND variant = ? AND user = ?"
        " ORDER BY seq DESC LIMIT ? OFFSET ?",
        (*ladder_id, user, HISTORY_ROWS + 1, page * HISTORY_ROWS),
    )


async def effects_of(reader: Reader, match: Match) -> LadderEffects:
    """Returns the changes of rungs at the end of the match; empty if the match is not over or changed none."""
    ladder_id = LadderId(match.guild, match.variant.key)
    end = await end_of_match(reader, ladder_id, match.id) if match.terms.ladder else None
    if end is None:
        return LadderEffects()
    triad = await _triad_after(reader, ladder_id, end) if len(match.players) > 2 else None
    return LadderEffects(await rung_changes_of(reader, ladder_id, end.seq), triad)


async def _triad_after(reader: Reader, ladder_id: LadderId, end: LadderEntry) -> LadderGame | None:
    """Returns the triad after the end of one of its matches; None if the match is in no triad."""
    [match_id] = end.matches
    begun = f"AND kind = {EntryKind.PAIRED.value} AND matches LIKE '%,%' AND instr(',' || matches || ',', ?) > 0"
    if not await _query_entries(reader, begun, *ladder_id, f",{match_id},"):
        return None
    ladder = _replay(ladder_id, [entry for entry in await load_entries(reader, ladder_id) if entry.seq < end.seq])
    triad = ladder.games[match_id]
    return replace(triad, scores=(*triad.scores, (match_id, end.body)))


# All ladders


async def list_ladders(reader: Reader, wanted: str = "TRUE ORDER BY 1, 2", *values: int) -> list[LadderId]:
    """Returns all ladders, or those that meet the SQL condition."""
    return await reader.load_all(LadderId, f"ladders WHERE {wanted}", values)


async def unannounced_ladders(reader: Reader) -> list[LadderId]:
    """Returns the ladders with unannounced entries, in servers that can be reached."""
    return await list_ladders(reader, f"newsworthy > announced AND {REACHABLE_SQL} ORDER BY 1, 2")


async def ladders_due(reader: Reader, now: int) -> list[LadderId]:
    """Returns the ladders on which something is due, in servers that can be reached, the longest overdue first."""
    return await list_ladders(reader, f"due_at <= ? AND {REACHABLE_SQL} ORDER BY due_at", now)


async def channel_of(reader: Reader, ladder_id: LadderId) -> int:
    """Returns the channel of the ladder's games: the server's for all ladders, else where the ladder was last used."""
    [channel] = await reader.read_column(
        "SELECT coalesce(ladder_channel, channel) FROM ladders LEFT JOIN guild_settings USING (guild)"
        " WHERE guild = ? AND variant = ?",
        ladder_id,
    )
    return int(channel)


async def unannounced_news(reader: Reader, ladder_id: LadderId) -> list[LadderNews]:
    """Returns the unannounced entries that are news, in order."""
    kinds = ", ".join(str(kind.value) for kind in NEWSWORTHY_ENTRIES)
    due = (
        f"AND kind IN ({kinds}) AND seq > (SELECT announced FROM ladders WHERE guild = ? AND variant = ?) ORDER BY seq"
    )
    entries = await _query_entries(reader, due, *ladder_id, *ladder_id)
    if not entries:
        return []
    channel, settings = await channel_of(reader, ladder_id), await load_guild_settings(reader, ladder_id.guild)
    public = tuple(dict.fromkeys((settings.announcements or channel, channel)))
    return [
        LadderNews(
            ladder_id,
            entry,
            await rung_changes_of(reader, ladder_id, entry.seq),
            public if entry.kind in PUBLIC_ENTRIES else (channel,),
        )
        for entry in entries
    ]


async def mark_announced(writer: Writer, ladder_id: LadderId, seq: int) -> None:
    """Notes that everything up to that entry has been announced."""
    await writer.run_sql(
        "UPDATE ladders SET announced = max(announced, ?) WHERE guild = ? AND variant = ?", (seq, *ladder_id)
    )


# People


async def note_move(writer: Writer, guild: int, user: int, at: int) -> None:
    """Notes on all ladders of a user in a server that they have moved."""
    await writer.run_sql(
        "UPDATE climbers SET moved_at = max(moved_at, ?) WHERE guild = ? AND user = ?", (at, guild, user)
    )


async def activities_of(reader: Reader, ladder_id: LadderId, now: int) -> dict[int, MemberActivity]:
    """Returns the activity of everybody who was ever on the ladder: last move, vacation."""
    rows = await reader.run_sql(
        "SELECT user, moved_at,"
        " (SELECT max(end) FROM vacations WHERE vacations.user = climbers.user AND start <= :now AND end > :now)"
        " FROM climbers WHERE guild = :guild AND variant = :variant",
        {**ladder_id._asdict(), "now": now},
    )
    return {user: MemberActivity(*rest) for user, *rest in rows}


async def rungs_by_variant(reader: Reader, guild: int, user: int) -> dict[str, int]:
    """Returns the rungs of a user on the ladders of a server, by variant."""
    rungs: dict[str, int] = {}
    for ladder_id in await list_ladders(reader, "guild = ?", guild):
        if climber := (await load_ladder(reader, ladder_id)).active_climber(user):
            rungs[ladder_id.variant] = climber.rung
    return rungs


_NAMES_USER_SQL = (
    "(instr(',' || users || ',', ',' || :user || ',') > 0"
    f" OR kind = {EntryKind.FINISHED.value}"
    " AND instr(',' || replace(replace(body, ':', ','), ' ', ',') || ',', ',' || :user || ',') > 0)"
)
"""A condition: the entry names the user, as one of its users or in the score of a finished game. Only whole numbers
match."""


async def ladders_naming(reader: Reader, user: int) -> list[LadderId]:
    """Returns the ladders whose entries name a user. Slow, because it reads all entries."""
    named = f"(SELECT DISTINCT guild, variant FROM ladder_entries WHERE {_NAMES_USER_SQL}) AS named"
    return await reader.load_all(LadderId, named, {"user": user})


async def forget_in_ladder(writer: Writer, ladder_id: LadderId, user: int, stand_in: int) -> None:
    """Replaces a user by `stand_in` in the entries of a ladder. The caller must then rebuild the ladder's rows."""
    for entry in await load_entries(writer, ladder_id):
        changed = _without_user(entry, user, stand_in)
        if changed != entry:
            await writer.run_sql(
                "UPDATE ladder_entries SET users = ?, body = ? WHERE guild = ? AND variant = ? AND seq = ?",
                (format_numbers(changed.users), changed.body, *ladder_id, entry.seq),
            )
    await writer.run_sql(
        "UPDATE climbers SET user = ? WHERE guild = ? AND variant = ? AND user = ?", (stand_in, *ladder_id, user)
    )


async def entries_of(reader: Reader, user: int) -> list[dict[str, object]]:
    """Returns all ladder entries that name a user. Slow, because it reads all entries."""
    named = f"ladder_entries WHERE {_NAMES_USER_SQL} ORDER BY guild, variant, seq"
    rows = await export_rows(reader, "variant, at, kind, matches, body", named, user)
    return [entry | {"kind": EntryKind(entry["kind"]).name.lower()} for entry in rows]


def _without_user(entry: LadderEntry, user: int, stand_in: int) -> LadderEntry:
    def replace_user(named: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(stand_in if member == user else member for member in named)

    body = entry.body
    if entry.kind is EntryKind.FINISHED:
        body = format_score(Score(*map(replace_user, parse_score(body))))
    return replace(entry, users=replace_user(entry.users), body=body)


# Absences: times in which the bot could not post in the channels of a server's ladders


async def set_ladders_shut(writer: Writer, guild: int, now: int, *, shut: bool) -> None:
    """Notes whether the bot may post in the channels of a server's ladders. While it may not, these are absent."""
    if shut:
        row = {"guild": ladders_of(guild), "since": now}
        await writer.save_row("absences", row, {"until": None})
    else:
        await end_absence(writer, ladders_of(guild), now)


async def ladder_absences(reader: Reader, guild: int, now: int) -> tuple[Span, ...]:
    """Returns the spans before `now` in which the bot could not post in the channels of a server's ladders."""
    rows = await reader.run_sql(
        "SELECT since, coalesce(until, ?) FROM absences WHERE guild = ? ORDER BY since", (now, ladders_of(guild))
    )
    return tuple((since, until) for since, until in rows)


async def challenged_ladders(reader: Reader) -> list[tuple[int, int, bool]]:
    """Returns server and channel of each ladder on which a challenge waits, and whether the ladder is noted as shut."""
    rows = await reader.run_sql(
        "SELECT guild, coalesce(ladder_channel, channel),"
        " EXISTS (SELECT 1 FROM absences WHERE absences.guild = -ladders.guild AND until IS NULL)"
        " FROM ladders LEFT JOIN guild_settings USING (guild) WHERE challenged = 1 ORDER BY guild"
    )
    return [(guild, channel, bool(shut)) for guild, channel, shut in rows]


LADDER_PLACES_SQL = (
    "SELECT guild, channel, coalesce(threads, '') = 'yes' FROM ladders LEFT JOIN guild_settings USING (guild)"
    " WHERE ladder_channel IS NULL"
)
"""A query for the channels of ladders, except in servers that have set one channel for all of them."""
