"""SQL about finished games and ratings of people, for leaderboards and profiles."""

from __future__ import annotations

from typing import NamedTuple

from bot.core.ratings import Rating
from bot.core.results import PlayerOutcome
from bot.store import Reader


class PlayerGame(NamedTuple):
    """One player's part in a finished game."""

    variant: str
    outcome: PlayerOutcome
    late: bool
    first_move: str | None
    moves: int
    thought: int
    planned: int
    casual: bool = False
    """Whether a house player had a seat from the start."""


async def player_games(reader: Reader, guild: int, user: int) -> list[PlayerGame]:
    """A user's part in each of their finished games in a server, the latest first."""
    rows = await reader.run_sql(
        "SELECT s.variant, outcome, late, first_move, s.moves, thought, planned, casual"
        " FROM shares s CROSS JOIN results r WHERE r.match = s.match AND s.guild = ? AND user = ?"
        " ORDER BY s.ended_at DESC, s.match DESC",
        (guild, user),
    )
    return [
        PlayerGame._make((variant, PlayerOutcome(outcome), bool(late), *rest, bool(casual)))
        for variant, outcome, late, *rest, casual in rows
    ]


async def ratings_by_variant(reader: Reader, guild: int, user: int) -> dict[str, Rating]:
    """A user's ratings in a server, by variant."""
    rows = await reader.run_sql(
        "SELECT variant, mu, sigma, games, played_at FROM ratings WHERE user = ? AND guild = ?", (user, guild)
    )
    return {variant: Rating(*rating) for variant, *rating in rows}


async def rating_curve(reader: Reader, guild: int, variant: str, user: int) -> list[tuple[int, Rating]]:
    """The end of each of a user's rated games with the rating after it, in order."""
    rows = await reader.run_sql(
        "SELECT ended_at, mu, sigma, games, c.played_at FROM rating_changes c CROSS JOIN results r"
        " WHERE r.match = c.match AND user = ? AND +guild = ? AND variant = ? ORDER BY ended_at, r.match",
        (user, guild, variant),
    )
    return [(ended_at, Rating(*rating)) for ended_at, *rating in rows]


async def leaderboard_users(reader: Reader, guild: int, variant: str, now: int) -> list[int]:
    """The rated users who agree to be shown, best first: certain ratings by number, then the others."""
    return await reader.read_column(
        "SELECT user FROM ratings LEFT JOIN user_settings USING (user) WHERE guild = ? AND variant = ?"
        " AND coalesce(public, 1) = 1 AND user > 0 ORDER BY unsure_from <= ?, number DESC, games DESC, user",
        (guild, variant, now),
    )


async def outcomes_together(
    reader: Reader, guild: int, first_user: int, second_user: int
) -> list[tuple[str, PlayerOutcome, PlayerOutcome]]:
    """The finished games of two users without house players: the variant, and the outcome for each of the two."""
    rows = await reader.run_sql(
        "SELECT s.variant, s.outcome, o.outcome FROM shares s CROSS JOIN shares o CROSS JOIN results r"
        " WHERE o.match = s.match AND r.match = s.match AND s.guild = ? AND s.user = ? AND o.user = ? AND casual = 0",
        (guild, first_user, second_user),
    )
    return [(variant, PlayerOutcome(first), PlayerOutcome(second)) for variant, first, second in rows]
