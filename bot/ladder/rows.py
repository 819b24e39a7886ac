"""SQL about ladders: their entries, and the rows that the fold derives from the entries.

The functions take the reader or writer to use. Usually only the part of a ladder that concerns given users is loaded;
see `bot.ladder.state.Ladder`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from bot.core.clock import Habits, Span, deadline_after
from bot.core.events import parse_numbers
from bot.ladder.acts import LadderSchedule, next_ladder_tick_at
from bot.ladder.fold import Changes, apply_entry
from bot.ladder.state import (
    ANSWER_TIME_S,
    Challenge,
    EntryKind,
    Ladder,
    LadderEntry,
    LadderGame,
    LadderId,
    Meeting,
    Score,
    Season,
    parse_score,
)
from bot.ladder.state_rows import (
    CLIMBER_COLUMNS,
    ENTRY_COLUMNS,
    read_climber,
    read_entry,
    read_game,
    write_challenges,
    write_climber,
    write_entry,
    write_games,
    write_head,
    write_meetings,
    write_steps,
)
from bot.store import Reader, Writer
from bot.store.absences import absences_after
from bot.store.connection import and_column_in, upsert_statement
from bot.store.matches import REACHABLE_SQL
from rules import VARIANTS

_RESULT_KINDS_SQL = ", ".join(str(kind.value) for kind in (EntryKind.FINISHED, EntryKind.ANNULLED, EntryKind.REOPENED))
"""The kinds of entries that record or revoke the end of a game."""


class LadderHead(NamedTuple):
    """A ladder's own row."""

    season: Season | None
    seq: int
    announced: int
    seasons: int
    channel: int
    """The channel in which somebody last used the ladder."""


# One ladder


async def load_head(reader: Reader, ladder_id: LadderId) -> LadderHead | None:
    """Returns the ladder's own row; None if nobody has used the ladder yet."""
    row = await reader.read_row(
        "SELECT season, season_began, season_until, seq, announced, seasons, channel FROM ladders"
        " WHERE guild = ? AND variant = ?",
        ladder_id,
    )
    if not row:
        return None
    number, began, until, *rest = row
    return LadderHead(Season(number, began, until) if number is not None else None, *rest)


async def set_channel(writer: Writer, ladder_id: LadderId, channel: int) -> None:
    """Notes the channel in which somebody used the ladder. Creates the ladder at the first call."""
    await writer.run_sql(*upsert_statement("ladders", ladder_id._asdict(), {"channel": channel}))


async def load_ladder(
    reader: Reader,
    ladder_id: LadderId,
    users: Iterable[int] | None = None,
    matches: Iterable[int] = (),
    away: Sequence[Span] = (),
) -> Ladder:
    """Returns the part of the ladder that concerns these users and the players of these matches; the whole ladder if
    `users` is None.

    `away`: absences in addition to the stored ones of the bot and of the server.
    """
    head = await load_head(reader, ladder_id)
    ladder = Ladder(len(VARIANTS[ladder_id.variant].seats))
    if head:
        ladder.season, ladder.seasons, ladder.seq = head.season, head.seasons, head.seq
    wanted = None if users is None else set(users)
    if wanted is not None:
        for match in matches:
            for (playing,) in await reader.run_sql("SELECT users FROM ladder_games WHERE match = ?", (match,)):
                wanted |= set(parse_numbers(playing))
    await _load_climbers(reader, ladder_id, ladder, wanted)
    if wanted is not None:
        others = {
            other
            for climber in ladder.climbers.values()
            for other in (climber.challenging, climber.challenger)
            if other
        }
        await _load_climbers(reader, ladder_id, ladder, others - wanted)
        wanted |= others
    await _load_relations(reader, ladder_id, ladder, wanted, away)
    return ladder


async def _load_climbers(reader: Reader, ladder_id: LadderId, ladder: Ladder, users: set[int] | None) -> None:
    some, named = and_column_in("user", users)
    rows = await reader.run_sql(
        f"SELECT {CLIMBER_COLUMNS} FROM climbers WHERE guild = ? AND variant = ?{some}",
        (*ladder_id, *named),
    )
    ladder.climbers |= {row[0]: read_climber(row) for row in rows}


async def _load_relations(
    reader: Reader, ladder_id: LadderId, ladder: Ladder, users: set[int] | None, away: Sequence[Span]
) -> None:
    """Loads into the ladder the challenges made by the users, their games, and their meetings with each other."""
    some, named = and_column_in("challenger", users)
    rows = await reader.run_sql(
        f"SELECT challenger, challenged, at FROM ladder_challenges WHERE guild = ? AND variant = ?{some}",
        (*ladder_id, *named),
    )
    spans = await absences_after(reader, ladder_id.guild, min(at for *_, at in rows)) if rows else ()
    ladder.challenges = {row[0]: _with_time_lost(Challenge(*row), (*spans, *away)) for row in rows}
    rows = await reader.run_sql(
        "SELECT match, users, matches, challenged, scores FROM ladder_games WHERE guild = ? AND variant = ?", ladder_id
    )
    for match, playing, *rest in rows:
        if users is None or not users.isdisjoint(parse_numbers(playing)):
            ladder.games[match] = read_game(playing, *rest)
    both = "".join(and_column_in(name, users)[0] for name in ("one", "two"))
    rows = await reader.run_sql(
        "SELECT one, two, played_at, turned_down_at, turned_down_by FROM ladder_meetings"
        f" WHERE guild = ? AND variant = ?{both}",
        (*ladder_id, *named, *named),
    )
    ladder.meetings = {(one, two): Meeting(*rest) for one, two, *rest in rows}


def _with_time_lost(challenge: Challenge, spans: tuple[Span, ...]) -> Challenge:
    """Returns the challenge with its answer time lengthened by the absences."""
    ends_at = deadline_after(Habits(absences=spans), challenge.at, ANSWER_TIME_S)
    return replace(challenge, lost=ends_at - challenge.at - ANSWER_TIME_S)


async def add_entry(writer: Writer, ladder_id: LadderId, ladder: Ladder, entry: LadderEntry) -> Changes:
    """Applies an entry to the ladder, stores everything that changes, and returns the changed climbers.

    The ladder's row must exist; see `set_channel`. `ladder` must contain everybody that the entry concerns.
    """
    challenges, games, meetings = dict(ladder.challenges), dict(ladder.games), dict(ladder.meetings)
    changes = apply_entry(ladder, entry)
    await writer.run_batch(
        [
            write_entry(ladder_id, entry),
            *(write_climber(ladder_id, after) for before, after in changes.values() if after != before),
            *write_steps(ladder_id, entry, changes),
            *write_challenges(ladder_id, challenges, ladder.challenges),
            *write_games(ladder_id, games, ladder.games),
            *write_meetings(ladder_id, meetings, ladder.meetings),
            write_head(ladder_id, ladder, entry),
        ]
    )
    await set_next_tick(writer, ladder_id, entry.at)
    return changes


async def append_entry(writer: Writer, ladder_id: LadderId, entry: LadderEntry) -> None:
    """Stores an entry without applying it. The caller must then rebuild the ladder's derived rows."""
    await writer.run_batch([write_entry(ladder_id, entry)])


async def replace_entry(writer: Writer, ladder_id: LadderId, entry: LadderEntry) -> None:
    """Replaces the stored entry of the same number. The caller must then rebuild the ladder's derived rows."""
    await writer.run_sql(
        "DELETE FROM ladder_entries WHERE guild = ? AND variant = ? AND seq = ?", (*ladder_id, entry.seq)
    )
    await writer.run_batch([write_entry(ladder_id, entry)])


async def set_next_tick(writer: Writer, ladder_id: LadderId, now: int) -> None:
    """Notes when the tick must look at the ladder."""
    await writer.run_sql(
        "UPDATE ladders SET wake = ? WHERE guild = ? AND variant = ?",
        (await _next_tick_at(writer, ladder_id, now), *ladder_id),
    )


async def _next_tick_at(reader: Reader, ladder_id: LadderId, now: int) -> int | None:
    ours = "guild = :guild AND variant = :variant"
    [(season, challenge, queueing, climbing)] = await reader.run_sql(
        "SELECT season_until,"
        f" (SELECT min(at) FROM ladder_challenges WHERE {ours}),"
        f" EXISTS (SELECT 1 FROM climbers WHERE {ours} AND queued_at IS NOT NULL AND climbs = 1),"
        f" EXISTS (SELECT 1 FROM climbers WHERE {ours} AND climbs = 1) FROM ladders WHERE {ours}",
        ladder_id._asdict(),
    )
    return next_ladder_tick_at(LadderSchedule(season, challenge, bool(queueing), bool(climbing)), now)


# Entries


async def load_entries(
    reader: Reader, ladder_id: LadderId, after: int = 0, until: int | None = None
) -> list[LadderEntry]:
    """Returns the entries with numbers above `after` and up to `until`, in order."""
    last = 2**62 if until is None else until
    return await _query_entries(reader, "AND seq > ? AND seq <= ? ORDER BY seq", *ladder_id, after, last)


async def _query_entries(reader: Reader, rest: str, *values: int | str) -> list[LadderEntry]:
    rows = await reader.run_sql(
        f"SELECT {ENTRY_COLUMNS} FROM ladder_entries WHERE guild = ? AND variant = ? {rest}",
        values,
    )
    return [read_entry(row) for row in rows]


async def entry_at(reader: Reader, ladder_id: LadderId, seq: int) -> LadderEntry | None:
    """Returns the entry with that number; None if there is none."""
    return next(iter(await load_entries(reader, ladder_id, seq - 1, seq)), None)


async def overdue_challengers(reader: Reader, ladder_id: LadderId, now: int) -> list[int]:
    """Returns the challengers whose challenge is older than the answer time, without regard to absences."""
    return await reader.read_column(
        "SELECT challenger FROM ladder_challenges WHERE guild = ? AND variant = ? AND at <= ?",
        (*ladder_id, now - ANSWER_TIME_S),
    )


async def waiting_challenges(reader: Reader, ladder_id: LadderId, seqs: Sequence[int]) -> set[int]:
    """Returns which of these challenge entries have a challenge that still waits for an answer."""
    rows = await reader.run_sql(
        "SELECT seq FROM ladder_entries JOIN ladder_challenges USING (guild, variant, at)"
        " WHERE guild = ? AND variant = ? AND seq IN (SELECT value FROM json_each(?))"
        " AND users = challenger || ',' || challenged",
        (*ladder_id, json.dumps(list(seqs))),
    )
    return {seq for (seq,) in rows}


async def end_of_challenge(reader: Reader, ladder_id: LadderId, seq: int) -> LadderEntry | None:
    """Returns the entry that ended the challenge made by entry `seq`; None while the challenge waits.

    None, too, if no entry ended it: the challenge was dropped when an older game of the two, reopened by a referee,
    ended again.
    """
    first, *later = await load_entries(reader, ladder_id, seq - 1)
    answers = (EntryKind.ACCEPTED, EntryKind.REFUSED, EntryKind.LAPSED)
    for entry in later:
        if entry.users == first.users and entry.kind in answers:
            return entry
        if entry.kind is EntryKind.LEFT and entry.users[0] in first.users:
            return entry
    return None


async def has_finished(reader: Reader, ladder_id: LadderId, match_id: int) -> bool:
    """True if the ladder has an entry for the end of the match."""
    rows = await reader.run_sql(
        "SELECT 1 FROM ladder_entries WHERE guild = ? AND variant = ?"
        f" AND kind = {EntryKind.FINISHED.value} AND matches = ? LIMIT 1",
        (*ladder_id, str(match_id)),
    )
    return bool(rows)


async def steps_of(reader: Reader, ladder_id: LadderId, seq: int) -> dict[int, tuple[int | None, int]]:
    """Returns the rungs of the users that an entry concerned: before it (None for a new climber) and after it."""
    rows = await reader.run_sql(
        "SELECT user, step_before, step FROM ladder_steps WHERE guild = ? AND variant = ? AND seq = ?",
        (*ladder_id, seq),
    )
    return {user: (before, after) for user, before, after in rows}


async def triad_of(reader: Reader, ladder_id: LadderId, match_id: int, users: Iterable[int]) -> LadderGame | None:
    """Returns the triad of the match as it was after the match last ended. None if the match is in no triad, or has not
    ended.

    `users` are the players who began the triad.
    """
    row = await reader.read_row(
        f"SELECT {ENTRY_COLUMNS} FROM ladder_steps JOIN ladder_entries USING (guild, variant, seq)"
        " WHERE guild = ? AND variant = ? AND user = ? AND kind = ?"
        " AND instr(',' || matches || ',', ',' || ? || ',') > 0 ORDER BY seq DESC LIMIT 1",
        (*ladder_id, next(iter(users), None), EntryKind.PAIRED.value, match_id),
    )
    begun = read_entry(row) if row else None
    if begun is None or len(begun.matches) < 2:
        return None
    revised = await _query_entries(
        reader,
        f"AND seq > ? AND kind IN ({_RESULT_KINDS_SQL})"
        " AND matches IN (SELECT CAST(value AS TEXT) FROM json_each(?)) ORDER BY seq",
        *ladder_id,
        begun.seq,
        json.dumps(begun.matches),
    )
    last = max(
        (entry.seq for entry in revised if entry.kind is EntryKind.FINISHED and entry.matches == (match_id,)), default=0
    )
    scores: dict[int, Score] = {}
    for entry in revised:
        if entry.seq <= last:
            scores.pop(entry.matches[0], None)
            if entry.kind is not EntryKind.REOPENED:  # the body of ANNULLED is empty, and so is its score
                scores[entry.matches[0]] = parse_score(entry.body)
    return LadderGame(begun.users, begun.matches, challenged=False, scores=tuple(scores.items())) if last else None


async def list_ladders(reader: Reader, wanted: str = "TRUE ORDER BY 1, 2", *values: int) -> list[LadderId]:
    """Returns all ladders, or those that meet the SQL condition."""
    rows = await reader.run_sql(f"SELECT guild, variant FROM ladders WHERE {wanted}", values)
    return [LadderId(*row) for row in rows]


async def unannounced_ladders(reader: Reader) -> list[LadderId]:
    """Returns the ladders with unannounced entries, in servers that can be reached."""
    return await list_ladders(reader, f"newsworthy > announced AND {REACHABLE_SQL} ORDER BY 1, 2")


async def ladders_due(reader: Reader, now: int) -> list[LadderId]:
    """Returns the ladders on which something is due, in servers that can be reached, the longest overdue first."""
    return await list_ladders(reader, f"wake <= ? AND {REACHABLE_SQL} ORDER BY wake", now)


async def mark_announced(writer: Writer, ladder_id: LadderId, seq: int) -> None:
    """Notes that everything up to that entry has been announced."""
    await writer.run_sql(
        "UPDATE ladders SET announced = max(announced, ?) WHERE guild = ? AND variant = ?", (seq, *ladder_id)
    )
