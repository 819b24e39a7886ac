"""Finished games: a person's, and what each has made of ratings."""

from __future__ import annotations

from bot.core.match import Match
from bot.core.ratings import RatingEffects, UndoneEffects, UnratedReason, long_enough
from bot.core.results import FinishedGame, HistoryGame, PlayerOutcome, pages_of
from bot.play.service.matches import ServicePart
from bot.store import results as results_store

GAMES_PER_PAGE = 10
"""How many games a page of somebody's history has."""

GAMES_FOR_HINTS = 10
"""How many games are looked into for a referee."""


class History(ServicePart):
    """Finished games."""

    async def rating_effects(self, match_id: int) -> RatingEffects:
        """What the end of that match made of ratings; nothing where it is not over, or brought nothing."""
        ratings = await results_store.changes_of(self._reader, match_id)
        over = await results_store.result_of(self._reader, match_id)
        return RatingEffects(ratings, _unrated_reason(over) if over and not ratings and not over.casual else None)

    async def undone_effects(self, match_id: int) -> UndoneEffects | None:
        """What annulling the match changed in ratings and rungs; None once announced."""
        return await results_store.undone_effects(self._reader, match_id)

    async def mark_undone_announced(self, match_id: int) -> None:
        """Notes that the effects of annulling the match have been announced."""
        async with self._store.write_transaction() as tx:
            await results_store.drop_undone(tx, match_id)

    async def find_games(
        self, guild: int, user: int, variant: str | None = None, opponent: int | None = None, page: int = 0
    ) -> tuple[tuple[HistoryGame, ...], int]:
        """A page of the user's finished games, the latest first, and how many pages there are."""
        games, total = await results_store.finished_games(
            self._reader, guild, user, variant, opponent, page * GAMES_PER_PAGE, GAMES_PER_PAGE
        )
        return tuple(games), pages_of(total, GAMES_PER_PAGE)

    async def games_for_hints(self, guild: int, user: int) -> tuple[Match, ...]:
        """The user's latest finished games, for a referee to look into; see `bot.core.fair_play`."""
        reader = self._reader
        games, _ = await results_store.finished_games(reader, guild, user, None, None, 0, GAMES_FOR_HINTS)
        return tuple(
            [
                await self._matches.load_match(reader, game.match)
                for game in games
                if game.fate is not PlayerOutcome.NONE
            ]
        )


def _unrated_reason(game: FinishedGame) -> UnratedReason:
    """Why that game, which has moved no rating, is not rated."""
    if not game.has_result:
        return UnratedReason.NO_RESULT
    return UnratedReason.CAPPED if long_enough(game) else UnratedReason.SHORT
