"""Where a server lets games be played, and how many games one person may have there."""

from __future__ import annotations

from bot.core.match import Match
from bot.core.problems import MatchError, Problem
from bot.core.settings import GuildSettings
from bot.play.service.matches import MatchCheck
from bot.store import Writer
from bot.store.game_lists import count_open_tables, count_seats

MAX_OPEN_TABLES = 5
"""The most open tables that one person may host in a server at a time."""
MAX_SEATS = 100
"""The most seats that one person may have in a server at a time, in running games and at open tables."""


async def require_table_room(tx: Writer, guild: int, host: int) -> None:
    """Raises TOO_MANY_OPEN or TOO_MANY_LIVE if the person may not open another table."""
    if await count_open_tables(tx, host, guild) >= MAX_OPEN_TABLES:
        raise MatchError(Problem.TOO_MANY_OPEN, most=MAX_OPEN_TABLES)
    await _require_few_games(tx, guild, host)


def require_allowed_place(settings: GuildSettings, *places: int | None) -> None:
    """Raises CHANNEL_NOT_ALLOWED unless one of the places, a channel or a thread's parent, is allowed for games."""
    if settings.channels and not any(place in settings.channels for place in places):
        raise MatchError(Problem.CHANNEL_NOT_ALLOWED, channels=settings.channels)


def room_for(user: int) -> MatchCheck:
    """Returns a check that raises TOO_MANY_LIVE if a person who wants to join already has the most seats allowed."""

    async def check_room(tx: Writer, match: Match) -> None:
        if user not in (match.players or match.joined):
            await _require_few_games(tx, match.guild, user)

    return check_room


async def _require_few_games(tx: Writer, guild: int, user: int) -> None:
    # Seats at open tables count, too, because a game begins without asking the people who sit at its table.
    if await count_seats(tx, user, guild) >= MAX_SEATS:
        raise MatchError(Problem.TOO_MANY_LIVE, user=user, most=MAX_SEATS)
