"""Refuses the advice of engine, bots and statistics about positions that running games close."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from bot.core.match import Match
from bot.core.match_state import replay_changes
from bot.core.problems import MatchError, Problem
from bot.core.running_positions import OPENING_PLIES, PLIES_AROUND, look_near
from bot.store import Reader, Store, Writer, game_lists
from rules import Position


class ClosedPositions:
    """The part of `Matches` that knows where running games stand."""

    store: Store

    async def load_readable(self, reader: Reader, match_ids: Iterable[int]) -> list[Match]:
        """Returns the matches that this version can read."""
        raise NotImplementedError

    async def require_unplayed(
        self,
        reader: Reader,
        user: int,
        positions: Sequence[Position],
        but: int | None = None,
        around: int = PLIES_AROUND,
    ) -> None:
        """Raises if a running game other than `but` closes one of these positions, all of one variant.

        Raises PLAYED_NOW if it is a game of that user at most `around` moves away, and PLAYED_BY_OTHERS if any game
        stands exactly there; `bot.core.running_positions` says why. Games with house players as the only opponents
        close nothing, because help in them wrongs nobody. `user` is 0 for what everybody sees.
        """
        if not positions:
            return
        games = await game_lists.running_games(reader, user, positions[0].variant.key)
        asked = [game for game in games if game.match != but], positions, around
        # In a transaction, for which others wait, it is about two positions.
        near, numbers = look_near(*asked) if isinstance(reader, Writer) else await asyncio.to_thread(look_near, *asked)
        if readable := await self.load_readable(reader, near):
            raise MatchError(Problem.PLAYED_NOW, number=readable[0].id)
        if await game_lists.is_any_closed_to_all(reader, numbers, but):
            raise MatchError(Problem.PLAYED_BY_OTHERS)

    async def require_match_unplayed(self, reader: Reader, user: int, match: Match) -> None:
        """Does what `require_unplayed` does for the positions after each move of a match.

        In its opening, where all games are near to one another, only those one move away count.
        """
        positions = [after.position for _, change, after in replay_changes(match.variant, match.steps) if change.move]
        await self.require_unplayed(reader, user, positions[:OPENING_PLIES], around=1)
        await self.require_unplayed(reader, user, positions[OPENING_PLIES:])

    async def is_match_unplayed(self, user: int, match: Match, reader: Reader | None = None) -> bool:
        """True if `require_match_unplayed` does not raise."""
        try:
            await self.require_match_unplayed(reader or self.store.reader, user, match)
        except MatchError:
            return False
        return True

    async def place_games(self, most: int) -> bool:
        """Stores where running games of an earlier version stand, at most so many. Returns False if none is left."""
        unplaced = await game_lists.games_not_placed(self.store.reader, most)
        for match_id in unplaced:
            async with self.store.write_transaction() as tx:
                readable = await self.load_readable(tx, [match_id])
                await game_lists.place_game(tx, match_id, readable[0] if readable else None)
        return len(unplaced) == most
