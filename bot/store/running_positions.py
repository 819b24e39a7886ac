"""SQL about the present positions of running games: see `bot.core.running_positions`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bot.core.match import Match
from bot.core.running_positions import RunningGame, describe_present, number_closed_to_all
from bot.store import Reader, Writer


async def running_games(reader: Reader, user: int, variant: str) -> list[RunningGame]:
    """Returns the user's running games of that variant against people, except those not placed yet."""
    rows = await reader.run_sql(
        "SELECT matches.id, ply, present FROM players CROSS JOIN matches WHERE matches.id = players.match"
        " AND players.user = ? AND ended = 0 AND resigned = 0 AND variant = ? AND present <> '' ORDER BY matches.id",
        (user, variant),
    )
    return [RunningGame(*row) for row in rows]


async def is_any_closed_to_all(reader: Reader, numbers: Sequence[int], but: int | None) -> bool:
    """True if a running game other than `but` closes a position with one of these numbers to everybody."""
    rows = await reader.run_sql(
        # The join begins with the numbers, because there may be far more games.
        "SELECT 1 FROM json_each(?) AS asked CROSS JOIN matches INDEXED BY matches_by_position"
        " WHERE position = asked.value AND matches.id <> ? LIMIT 1",
        (json.dumps(numbers), but or 0),
    )
    return bool(rows)


async def games_not_placed(reader: Reader, most: int) -> list[int]:
    """Returns running games of an earlier version, whose positions are not stored yet."""
    return await reader.read_column("SELECT id FROM matches WHERE present IS NULL ORDER BY id LIMIT ?", (most,))


async def place_game(writer: Writer, match_id: int, match: Match | None) -> None:
    """Stores where a running game stands; for None, which stands for an unreadable game, that it closes nothing."""
    await writer.run_sql(
        "UPDATE matches SET present = ?, position = ? WHERE id = ?",
        (describe_present(match) if match else "", number_closed_to_all(match) if match else None, match_id),
    )
