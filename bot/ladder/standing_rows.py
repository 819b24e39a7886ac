"""SQL about the standings of a ladder: its table, its queue, and the activity of people."""

from __future__ import annotations

import json
from collections.abc import Iterable

from bot.core.ratings import NEW_RATING, Rating
from bot.ladder.acts import MemberActivity
from bot.ladder.state import ASLEEP_AFTER_S, CHALLENGE_REACH, Climber, EntryKind, LadderHistoryRow, LadderId
from bot.ladder.state_rows import CLIMBER_COLUMNS, ENTRY_COLUMNS, read_climber, read_entry
from bot.store import Reader, Writer

MAX_CHALLENGE_CANDIDATES = 200
"""The most candidates considered for a challenge."""

_AWAKE_SQL = "max(joined_at, moved_at) > :now - :sleep"


async def note_move(writer: Writer, guild: int, user: int, at: int) -> None:
    """Notes on all ladders of a user in a server that they have moved."""
    await writer.run_sql(
        "UPDATE climbers SET moved_at = max(moved_at, ?) WHERE guild = ? AND user = ?", (at, guild, user)
    )


async def activities_of(
    reader: Reader, ladder_id: LadderId, users: Iterable[int], now: int
) -> dict[int, MemberActivity]:
    """Returns the activity of users: last move, vacation."""
    rows = await reader.run_sql(
        "SELECT value, coalesce(moved_at, 0),"
        " (SELECT max(end) FROM vacations WHERE vacations.user = value AND start <= :now AND end > :now)"
        " FROM json_each(:users) LEFT JOIN climbers"
        " ON climbers.guild = :guild AND climbers.variant = :variant AND climbers.user = value",
        {**ladder_id._asdict(), "now": now, "users": json.dumps(list(users))},
    )
    return {user: MemberActivity(*rest) for user, *rest in rows}


async def challengeable_near(reader: Reader, ladder_id: LadderId, step: int, now: int) -> list[int]:
    """Returns users who may be challenged from that rung, the highest first: in reach, awake, free and not frozen."""
    return await reader.read_column(
        "SELECT user FROM climbers WHERE guild = :guild AND variant = :variant"
        f" AND step BETWEEN :step AND :step + :reach AND climbs = 1 AND challenger IS NULL"
        f" AND frozen_until <= :now AND {_AWAKE_SQL}"
        " ORDER BY step DESC, joined_at LIMIT :most",
        {
            **ladder_id._asdict(),
            "step": step,
            "reach": CHALLENGE_REACH,
            "now": now,
            "sleep": ASLEEP_AFTER_S,
            "most": MAX_CHALLENGE_CANDIDATES,
        },
    )


async def queueing_users(reader: Reader, ladder_id: LadderId) -> list[int]:
    """Returns the users who queue for a game, the longest waiting first."""
    return await reader.read_column(
        "SELECT user FROM climbers WHERE guild = ? AND variant = ? AND queued_at IS NOT NULL AND climbs = 1"
        " ORDER BY queued_at, user",
        ladder_id,
    )


async def standings_order(reader: Reader, ladder_id: LadderId, now: int) -> list[int]:
    """Returns the climbers who are awake, in the order of `bot.ladder.acts.season_standings`."""
    return await reader.read_column(
        "SELECT user FROM climbers LEFT JOIN ratings USING (guild, variant, user)"
        f" WHERE guild = :guild AND variant = :variant AND climbs = 1 AND {_AWAKE_SQL}"
        " ORDER BY step DESC, wins DESC, coalesce(mu, -1e300) DESC, joined_at, user",
        {**ladder_id._asdict(), "now": now, "sleep": ASLEEP_AFTER_S},
    )


async def rungs_by_variant(reader: Reader, guild: int, user: int) -> dict[str, int]:
    """Returns the rungs of a user on the ladders of a server, by variant."""
    return dict(
        await reader.run_sql(
            "SELECT variant, step FROM climbers WHERE guild = ? AND user = ? AND climbs = 1", (guild, user)
        )
    )


async def load_climbers(reader: Reader, ladder_id: LadderId, users: Iterable[int]) -> dict[int, tuple[Climber, Rating]]:
    """Returns the climber rows and ratings of these users; users who were never on the ladder are left out."""
    rows = await reader.run_sql(
        f"SELECT {CLIMBER_COLUMNS}, mu, sigma, games, played_at FROM climbers"
        " LEFT JOIN ratings USING (guild, variant, user)"
        " WHERE guild = ? AND variant = ? AND user IN (SELECT value FROM json_each(?))",
        (*ladder_id, json.dumps(list(users))),
    )
    climber_rows: dict[int, tuple[Climber, Rating]] = {}
    for *climber, mu, sigma, games, played_at in rows:
        climber_rows[climber[0]] = (
            read_climber(climber),
            NEW_RATING if mu is None else Rating(mu, sigma, games, played_at),
        )
    return climber_rows


async def climber_history(
    reader: Reader, ladder_id: LadderId, user: int, first: int, most: int
) -> list[LadderHistoryRow]:
    """Returns at most `most` of the entries that concerned a user, the latest first, after skipping `first`."""
    rows = await reader.run_sql(
        f"SELECT {ENTRY_COLUMNS}, step_before, step FROM ladder_steps"
        " JOIN ladder_entries USING (guild, variant, seq) WHERE guild = ? AND variant = ? AND user = ?"
        " ORDER BY seq DESC LIMIT ? OFFSET ?",
        (*ladder_id, user, most, first),
    )
    return [LadderHistoryRow(read_entry(row[:6]), *row[6:]) for row in rows]


async def steps_brought(reader: Reader, ladder_id: LadderId, match_id: int) -> dict[int, tuple[int | None, int]]:
    """Returns the rungs, before and after, of the users that the end of a match concerned. If it ended several times,
    the last end counts."""
    rows = await reader.run_sql(
        "SELECT user, step_before, step FROM ladder_steps WHERE guild = :guild AND variant = :variant AND seq ="
        " (SELECT max(seq) FROM ladder_entries WHERE guild = :guild AND variant = :variant"
        f" AND kind = {EntryKind.FINISHED.value} AND matches = :match)",
        {**ladder_id._asdict(), "match": str(match_id)},
    )
    return {user: (before, after) for user, before, after in rows}
