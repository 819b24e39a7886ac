"""The finished games of a person, their last table, and the effects of each game on ratings."""

from __future__ import annotations

from bot.core.listings import HistoryGame, pages_of
from bot.core.match import Match
from bot.core.ratings import RatingEffects, UndoneEffects, UnratedReason, long_enough
from bot.core.results import FinishedGame
from bot.play.service.matches import ServicePart
from bot.store import results as results_store

GAMES_PER_PAGE = 10
"""Games on one page of a person's history."""

GAMES_FOR_TABLE = 10
"""A player's latest games that are searched for their last table."""


class History(ServicePart):
    """Queries about finished games, and about a person's last table."""

    async def rating_effects(self, match_id: int) -> RatingEffects:
        """Returns the effects of the match's end on ratings; empty if the match is not over or not rated."""
        ratings = await results_store.changes_of(self._reader, match_id)
        over = await results_store.result_of(self._reader, match_id)
        return RatingEffects(ratings, _unrated_reason(over) if over and not ratings and not over.casual else None)

    async def undone_effects(self, match_id: int) -> UndoneEffects | None:
        """Returns the effects of annulling the match on ratings and rungs; None once they have been announced."""
        return await results_store.undone_effects(self._reader, match_id)

    async def mark_undone_announced(self, match_id: int) -> None:
        """Notes that the effects of annulling the match have been announced."""
        async with self._store.write_transaction() as tx:
            await results_store.drop_undone(tx, match_id)

    async def find_games(
        self, guild: int, user: int, variant: str | None = None, opponent: int | None = None, page: int = 0
    ) -> tuple[tuple[HistoryGame, ...], int]:
        """Returns a page of the user's finished games, the latest first, and the number of pages."""
        games, total = await results_store.finished_games(
            self._reader, guild, user, variant, opponent, page * GAMES_PER_PAGE, GAMES_PER_PAGE
        )
        return tuple(games), pages_of(total, GAMES_PER_PAGE)

    async def last_table_of(self, guild: int, user: int) -> Match | None:
        """Returns the last table that the user opened in that server, without ladder games and rematches. None if there
        is none among their latest games.
        """
        games = await self._reader.games_of(guild, user, live=False)
        latest = sorted((game.id for game in games), reverse=True)[:GAMES_FOR_TABLE]
        for match in await self._matches.load_readable(self._reader, latest):
            if match.host == user and not match.ladder and match.rematch_of is None:
                return match
        return None


def _unrated_reason(game: FinishedGame) -> UnratedReason:
    """Returns why a game that changed no rating is not rated."""
    if not game.has_result:
        return UnratedReason.NO_RESULT
    return UnratedReason.CAPPED if long_enough(game) else UnratedReason.SHORT
