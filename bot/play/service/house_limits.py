"""How many games with house players a person and a server may have."""

from __future__ import annotations

from bot.core.problems import MatchError, Problem
from bot.core.settings import GuildSettings
from bot.play.service.matches import Matches
from bot.store import Writer
from bot.store.game_lists import count_house_games

MAX_HOUSE_GAMES = 3
"""The most games with house players that one person may have in a server at a time."""
MAX_HOUSE_GAMES_PER_SERVER = 50
"""The most games with house players that one server may have at a time, so that it does not delay other servers."""


async def require_house(
    matches: Matches, tx: Writer, settings: GuildSettings, guild: int, user: int, *, counted: bool = False
) -> None:
    """Raises HOUSE_OFF, TOO_MANY_HOUSE or HOUSE_BUSY if the person may have no further game with house players.

    `counted`: the new game is already among the person's games.
    """
    if not settings.house or not matches.plays_house:
        raise MatchError(Problem.HOUSE_OFF)
    if counted:
        return
    if await count_house_games(tx, guild, user) >= MAX_HOUSE_GAMES:
        raise MatchError(Problem.TOO_MANY_HOUSE, most=MAX_HOUSE_GAMES)
    if await count_house_games(tx, guild) >= MAX_HOUSE_GAMES_PER_SERVER:
        raise MatchError(Problem.HOUSE_BUSY)
