"""SQL about ladders: their entries, which are the facts, and what is derived from them.

`ladders.state` keeps the ladder after its last entry, `ladder_entries.rungs` what each entry changed. Where they are
NULL, they are computed from the entries; the next tick stores them. The functions take the reader or writer to use.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.core.events import format_numbers, replace_number
from bot.core.match import Match
from bot.core.results import RungChanges
from bot.ladder.acts import MemberActivity, next_ladder_tick_at
from bot.ladder.state import (
    NEWSWORTHY_ENTRIES,
    PUBLIC_ENTRIES,
    Challenge,
    Climber,
    EntryKind,
    Ladder,
    LadderEntry,
    LadderGame,
    LadderId,
    LadderNews,
    Meeting,
    Season,
    apply_entry,
    replay_history,
)
from bot.play.background import compute_for
from bot.store import Reader, Writer
from bot.store.connection import Statement, insert_statement, update_statement, upsert_statement
from bot.store.matches import REACHABLE_SQL
from bot.store.rows import columns_of, read_as, values_of
from bot.store.servers import load_guild_settings
from rules import VARIANTS

# One ladder


async def set_channel(writer: Writer, ladder_id: LadderId, channel: int) -> None:
    """Notes the channel in which somebody used the ladder. Creates the ladder at the first call."""
    await writer.save_row("ladders", ladder_id._asdict(), {"channel": channel})


async def load_ladder(reader: Reader, ladder_id: LadderId) -> Ladder:
    """Returns the ladder after its last entry; an empty one if nobody has used it yet."""
    state = await reader.read_value("SELECT state FROM ladders WHERE guild = ? AND variant = ?", ladder_id)
    if state is not None:
        return parse_state(state)
    if isinstance(reader, Writer):
        return await rebuild_state(reader, ladder_id)
    return (await replay_ladder(reader, ladder_id))[0]


async def add_entry(writer: Writer, ladder_id: LadderId, ladder: Ladder, entry: LadderEntry) -> None:
    """Applies an entry to the ladder, and stores it with everything that it changes.

    The ladder's row must exist; see `set_channel`.
    """
    rungs = apply_entry(ladder, entry)
    joined = entry.users if entry.kind is EntryKind.JOINED else ()
    await writer.run_batch(
        [write_entry(ladder_id, entry, rungs), *(_write_last_move(ladder_id, user, entry.at) for user in joined)]
    )
    await store_state(writer, ladder_id, ladder, entry.at)
    await close_challenges(writer, ladder_id, ladder, entry)
    if entry.kind in NEWSWORTHY_ENTRIES:
        await writer.update_rows("ladders", ladder_id._asdict(), newsworthy=entry.seq)


async def close_challenges(writer: Writer, ladder_id: LadderId, ladder: Ladder, last: LadderEntry) -> None:
    """Has the buttons taken off the messages of challenges that no longer wait, and the end told if `last` is one."""
    end = f":{last.kind.name.lower()}:{next(iter(last.matches), 0)}" if last.kind in CHALLENGE_ENDS else ""
    for job in await writer.find_jobs("kind = 'challenge' AND guild = ? AND due_at IS NULL", (ladder_id.guild,)):
        variant, seq = job.note.split(":")
        if variant == ladder_id.variant and not ladder.challenge_made_by(int(seq)):
            await writer.add_jobs(job._replace(due_at=last.at, note=job.note + end))


async def rebuild_state(writer: Writer, ladder_id: LadderId) -> Ladder:
    """Computes the state of a ladder and the changes of rungs again from its entries, and returns the ladder."""
    ladder, story = await replay_ladder(writer, ladder_id)
    derived = {entry.seq: json.dumps(rungs) for entry, rungs in story}
    known = await writer.run_sql(f"SELECT seq, rungs FROM {_LADDER_SQL}", ladder_id)
    changed = (seq for seq, rungs in known if rungs != derived[seq])
    await writer.run_batch([_update_entry(ladder_id, seq, rungs=derived[seq]) for seq in changed])
    await store_state(writer, ladder_id, ladder, story[-1][0].at if story else 0)
    return ladder


async def rebuild_ladders(tx: Writer, moved: Mapping[int, Mapping[int, int]]) -> int:
    """Rebuilds the rows of all ladders, and counts the ladders. `moved`: times of last moves by server and user."""
    ladder_ids = await list_ladders(tx)
    await tx.run_sql("DELETE FROM climbers")
    for ladder_id in ladder_ids:
        ladder, last_moves = await rebuild_state(tx, ladder_id), moved.get(ladder_id.guild, {})
        await tx.run_batch(
            [
                _write_last_move(ladder_id, user, max(last_moves.get(user, 0), climber.joined_at))
                for user, climber in ladder.climbers.items()
            ]
        )
    return len(ladder_ids)


LadderStory = Sequence[tuple[LadderEntry, RungChanges]]
"""Entries, each with the rungs of the users whom it concerned: before it (None for a new one) and after it."""
_LADDER_SQL = "ladder_entries WHERE guild = ? AND variant = ?"
_ENDS_SQL = (
    "ladder_entries INDEXED BY ladder_ends WHERE guild = ? AND variant = ?"
    f" AND kind = {EntryKind.FINISHED.value} AND matches = ?"
)
"""The ends of a match. SQLite would read the whole ladder."""


async def replay_ladder(reader: Reader, ladder_id: LadderId) -> tuple[Ladder, LadderStory]:
    """Returns the ladder as its entries make it, and their story."""
    ladder = Ladder(len(VARIANTS[ladder_id.variant].seats))
    # There may be thousands; a transaction reads them on the loop.
    rows = await reader.run_sql(f"SELECT {columns_of(LadderEntry)} FROM {_LADDER_SQL} ORDER BY seq", ladder_id)
    return ladder, await compute_for(
        reader, lambda: [*replay_history(ladder, [read_as(LadderEntry, row) for row in rows])]
    )


async def store_state(
    writer: Writer, ladder_id: LadderId, ladder: Ladder, now: int, *, is_ticked: bool = False
) -> None:
    """Stores the ladder, and when the tick must next look at it; `is_ticked`: it has just done so."""
    due_at = next_ladder_tick_at(ladder, now, is_ticked=is_ticked)
    await writer.update_rows("ladders", ladder_id._asdict(), state=format_state(ladder), due_at=due_at)


CHALLENGE_ENDS = (EntryKind.ACCEPTED, EntryKind.REFUSED, EntryKind.LAPSED, EntryKind.LEFT)
"""The entries that end a challenge, and are told below it."""


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


def _write_last_move(ladder_id: LadderId, user: int, at: int) -> Statement:
    return upsert_statement("climbers", ladder_id._asdict() | {"user": user}, {"moved_at": at})


# Entries


def write_entry(ladder_id: LadderId, entry: LadderEntry, rungs: RungChanges) -> Statement:
    """Returns the statement that adds an entry with what it changed."""
    return insert_statement("ladder_entries", ladder_id._asdict() | values_of(entry) | {"rungs": json.dumps(rungs)})


def _update_entry(ladder_id: LadderId, seq: int, **values: str) -> Statement:
    return update_statement("ladder_entries", {**ladder_id._asdict(), "seq": seq}, values)


async def load_entries(reader: Reader, ladder_id: LadderId) -> list[LadderEntry]:
    """Returns the entries in order."""
    return await reader.load_all(LadderEntry, f"{_LADDER_SQL} ORDER BY seq", ladder_id)


async def load_story(reader: Reader, ladder_id: LadderId, source: str = _LADDER_SQL, *values: object) -> LadderStory:
    """Returns the ladder's entries that a query finds, in order. `source` is its SQL after FROM."""
    sql = f"SELECT rungs, {columns_of(LadderEntry)} FROM {source} ORDER BY seq"
    rows = await reader.run_sql(sql, (*ladder_id, *values))
    if any(rungs is None for rungs, *_ in rows):  # written by an earlier version
        wanted_seqs = {seq for _, seq, *_ in rows}
        return [line for line in (await replay_ladder(reader, ladder_id))[1] if line[0].seq in wanted_seqs]
    return await compute_for(reader, lambda: [(read_as(LadderEntry, row), _parse_rungs(rungs)) for rungs, *row in rows])


def _parse_rungs(rungs: str) -> RungChanges:
    return {int(user): (before, after) for user, (before, after) in json.loads(rungs).items()}


async def climber_history(reader: Reader, ladder_id: LadderId, user: int) -> LadderStory:
    """Returns the entries that concerned a user, the latest first."""
    return [line for line in reversed(await load_story(reader, ladder_id)) if user in line[1]]


async def rungs_moved_by(reader: Reader, match: Match) -> RungChanges:
    """Returns the rungs of the users at the last end of the match; empty if it is not over or no ladder game."""
    if not match.terms.ladder:
        return {}
    story = await load_story(reader, LadderId(match.guild, match.variant.key), _ENDS_SQL, str(match.id))
    return story[-1][1] if story else {}


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
    sql = "SELECT announced FROM ladders WHERE guild = ? AND variant = ? AND newsworthy > announced"
    told = await reader.read_value(sql, ladder_id)
    if told is None:
        return []
    channel, settings = await channel_of(reader, ladder_id), await load_guild_settings(reader, ladder_id.guild)
    public = tuple(dict.fromkeys((settings.announcements or channel, channel)))
    return [
        LadderNews(ladder_id, entry, rungs, public if entry.kind in PUBLIC_ENTRIES else (channel,))
        for entry, rungs in await load_story(reader, ladder_id, f"{_LADDER_SQL} AND seq > ?", told)
        if entry.kind in NEWSWORTHY_ENTRIES
    ]


async def mark_announced(writer: Writer, ladder_id: LadderId, seq: int) -> None:
    """Notes that everything up to that entry has been announced."""
    await writer.run_sql(
        "UPDATE ladders SET announced = max(announced, ?) WHERE guild = ? AND variant = ?", (seq, *ladder_id)
    )


# People


async def note_move(writer: Writer, guild: int, user: int, at: int) -> None:
    """Notes on all ladders of a user in a server that they have moved."""
    sql = "UPDATE climbers SET moved_at = max(moved_at, ?) WHERE guild = ? AND user = ?"
    await writer.run_batch([(sql, (at, guild, user))])


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


async def ladders_climbed(reader: Reader, user: int) -> list[LadderId]:
    """Returns the ladders on which the user is or has been."""
    return await reader.load_all(LadderId, "climbers WHERE user = ? ORDER BY guild, variant", (user,))


async def forget_in_ladder(writer: Writer, ladder_id: LadderId, user: int, stand_in: int) -> None:
    """Replaces a user by `stand_in` in the entries of a ladder. The caller must then rebuild the ladder."""
    for entry in await load_entries(writer, ladder_id):
        if _names_user(entry, user):
            users, body = (replace_number(text, user, stand_in) for text in (format_numbers(entry.users), entry.body))
            await writer.run_batch([_update_entry(ladder_id, entry.seq, users=users, body=body)])
    await writer.run_sql(
        "UPDATE climbers SET user = ? WHERE guild = ? AND variant = ? AND user = ?", (stand_in, *ladder_id, user)
    )


async def export_person(reader: Reader, user: int) -> Mapping[str, object]:
    """Returns all ladder entries that name a user, ready for JSON. Slow, because it reads all entries."""
    entries = [
        {"server": str(guild), "variant": variant, "at": entry.at, "kind": entry.kind.name.lower()}
        | {"matches": format_numbers(entry.matches), "body": entry.body}
        for guild, variant in await ladders_climbed(reader, user)
        for entry in await load_entries(reader, LadderId(guild, variant))
        if _names_user(entry, user)
    ]
    return {"ladders": entries}


def _names_user(entry: LadderEntry, user: int) -> bool:
    return user in entry.users or replace_number(entry.body, user, 0) != entry.body


LADDER_PLACES_SQL = (
    "SELECT guild, channel, coalesce(threads, '') = 'yes' FROM ladders LEFT JOIN guild_settings USING (guild)"
    " WHERE ladder_channel IS NULL"
)
"""A query for the channels of ladders, except in servers that have set one channel for all of them."""
