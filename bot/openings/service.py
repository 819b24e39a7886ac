"""Openings: counts the moves of finished games, and looks positions up."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import structlog

from bot.core.listings import MatchSummary
from bot.core.match import Match, Phase
from bot.core.problems import MatchError
from bot.core.results import FinishedGame
from bot.core.settings import UserSettings
from bot.openings import rows
from bot.openings.archive_records import import_moves
from bot.openings.index import ARCHIVE_SOURCE, GameFilter, IndexedPosition, Points, kind_of, match_moves
from bot.openings.rows import CountedMove, PlayedGame
from bot.play.service.matches import Matches, ServicePart
from bot.store import Writer
from bot.store.game_lists import started_games
from rules import Position

INDEX_BATCH = 20
"""The most games counted in one call of `count_next`."""

FOR_EVERY_SERVER = 0
"""The number that stands for the server of games that were imported for all servers."""

log = structlog.get_logger()


class OpeningMove(NamedTuple):
    """A move in a position, with sums over the games that count."""

    name: str
    """The name, as `IndexedPosition.name_move` returns it."""
    games: int
    points: Points
    last: int
    """When the last of these games ended; 0 for imported games."""

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares of the points for the player to move, the next and the third; empty if no game has a result."""
        total = sum(self.points)
        return tuple(points / total for points in self.points) if total else ()


class Openings(ServicePart):
    """The openings from the finished games of servers."""

    def __init__(self, matches: Matches) -> None:
        super().__init__(matches)
        self._next_match, self._next_import = 1, 0

    async def moves_at(
        self, guild: int, indexed: IndexedPosition, games: GameFilter, user: int = 0
    ) -> list[OpeningMove]:
        """Returns the moves played in that position, the most frequent first. With `user`, counts only games of that
        person."""
        if user and games.source != ARCHIVE_SOURCE:
            counted = await rows.moves_of_person(self._reader, guild, user, indexed.number)
        else:
            counted = await rows.moves_at(self._reader, guild, indexed.number)
            if games.source == ARCHIVE_SOURCE:
                counted += await rows.moves_at(self._reader, FOR_EVERY_SERVER, indexed.number)
        by_move: dict[str, list[CountedMove]] = defaultdict(list)
        for counted_move in counted:
            if games.counts(counted_move.kind):
                by_move[counted_move.move].append(counted_move)
        moves = [_sum_up(name, parts) for name, parts in by_move.items()]
        return sorted(moves, key=lambda move: (-move.games, -move.last, move.name))

    async def game_with_move(
        self, guild: int, indexed: IndexedPosition, move: OpeningMove, games: GameFilter
    ) -> int | None:
        """Returns the latest game with that move; None if there is none any more."""
        kinds = [CountedMove(kind, move.name, 0, move.points, move.last) for kind in games.kinds]
        places = (guild, FOR_EVERY_SERVER) if games.source == ARCHIVE_SOURCE else (guild,)
        for place in places:
            for counted in kinds:
                if match := await rows.game_with_move(self._reader, place, indexed.number, counted):
                    return match
        return None

    async def latest_games(
        self, guild: int, indexed: IndexedPosition, games: GameFilter, user: int, most: int
    ) -> list[PlayedGame]:
        """Returns the latest games with the position, at most `most`, the latest first."""
        if user and games.source != ARCHIVE_SOURCE:
            return await rows.latest_games_of_person(self._reader, guild, user, indexed.number, games.kinds, most)
        latest = await rows.latest_games(self._reader, guild, indexed.number, games.kinds, most)
        if games.source == ARCHIVE_SOURCE:
            latest += await rows.latest_games(self._reader, FOR_EVERY_SERVER, indexed.number, games.kinds, most)
        return latest[:most]

    async def load_summaries(self, guild: int, match_ids: Sequence[int]) -> list[MatchSummary]:
        """Returns summaries of these games of the server."""
        return await started_games(self._reader, guild, match_ids) if match_ids else []

    async def require_unplayed(self, user: int, position: Position) -> None:
        """Raises unless the user may look at that position while games are running; see `Matches.require_unplayed`."""
        await self._matches.require_unplayed(self._reader, user, [position])

    # Counting

    async def count_next(self) -> bool:
        """Counts some of the games that are due. Returns False if nothing is left to do."""
        match_ids = await rows.due_games(self._reader, INDEX_BATCH)
        if match_ids:
            for match_id in match_ids:
                await self.count_match(match_id)
            return True
        if self._next_match <= await rows.last_finished_game(self._reader):
            first, self._next_match = self._next_match, self._next_match + rows.GAMES_PER_SEARCH
            for match_id in await rows.differing_games(self._reader, first):
                await self.count_match(match_id)
            return True
        return await self._count_imports()

    async def count_match(self, match_id: int) -> None:
        """Makes the sums agree with the current state of a game. Only a finished game counts, and each of its moves
        counts once. A game that changes during the call stays due.
        """
        seq_before, _ = await rows.head_of_game(self._reader, match_id)
        match = await self._load_finished(match_id)
        moves = await asyncio.to_thread(match_moves, match) if match else []
        async with self._store.write_transaction() as tx:
            seq, ended_at = await rows.head_of_game(tx, match_id)
            if seq != (match.seq if match and seq else seq_before):
                await rows.note_due(tx, match_id)
                return
            await rows.drop_game(tx, match_id)
            if match and ended_at is not None:
                await rows.add_game(tx, match_id, match.guild, kind_of(match), ended_at, moves)
            await rows.note_done(tx, match_id)

    async def _load_finished(self, match_id: int) -> Match | None:
        try:
            match = await self._matches.load_match(self._reader, match_id)
        except MatchError:  # deleted, or not readable by this version
            return None
        return match if match.phase is Phase.OVER and match.has_result else None

    async def _count_imports(self) -> bool:
        imports = await rows.uncounted_imports(self._reader, self._next_import, INDEX_BATCH)
        for game in imports:
            moves = await asyncio.to_thread(import_moves, game.record)
            async with self._store.write_transaction() as tx:
                await rows.drop_game(tx, -game.id)
                await rows.add_import(tx, game, moves)
            self._next_import = game.id
        return bool(imports)


def _sum_up(name: str, parts: list[CountedMove]) -> OpeningMove:
    first, second, third = (sum(part.points[place] for part in parts) for place in range(3))
    games, last = sum(part.games for part in parts), max(part.last for part in parts)
    return OpeningMove(name, games, (first, second, third), last)


async def note_result(tx: Writer, match: Match, _old: FinishedGame | None, new: FinishedGame | None, _now: int) -> None:
    """Queues a game for recounting when its result changes. A reopened or annulled game is removed at once."""
    if new is None or not new.has_result:
        await rows.drop_game(tx, match.id)
    await rows.note_due(tx, match.id)


async def follow_user_settings(tx: Writer, user: int, before: UserSettings, after: UserSettings) -> None:
    """Queues the games of a person for recounting when they change whether their games may be used."""
    if before.puzzles != after.puzzles:
        await rows.note_person_due(tx, user)


async def drop_games_of_forgotten(matches: Matches, _user: int, stand_in: int, _now: int) -> None:
    """Queues the games of a forgotten person for recounting, which removes them from the counts."""
    async with matches.store.write_transaction() as tx:
        await rows.note_person_due(tx, stand_in)
