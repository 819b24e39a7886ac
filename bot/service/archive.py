"""Records of games: those that leave for elsewhere, and those that were played there."""

from __future__ import annotations

from typing import NamedTuple

from bot.ladder.standings import PAGE
from bot.match.events import LARGEST
from bot.match.match import Match
from bot.match.results import Exported
from bot.people.problems import MatchError, Problem
from bot.service.matches import Beside
from bot.store import upkeep as upkeep_store
from rules.collection import iter_records


class Imported(NamedTuple):
    """What an import has brought."""

    new: int
    known: int
    """Those that were in the archive already."""


class Archive(Beside):
    """Export and import. What is imported is neither rated nor anybody's."""

    async def export_game(self, match_id: int, guild: int) -> Exported:
        """A game that has begun, ready for `bot.texts.records`."""
        return await self.exported(await self._matches.load(self._reader, match_id, guild))

    async def exported(self, match: Match) -> Exported:
        """The same of a game as it stands, or stood."""
        if match.game is None:
            raise match.refusal(Problem.NOT_STARTED)
        [(_, began_at, ended_at)] = await upkeep_store.begun(self._reader, None, None, match.id)
        return Exported(match, began_at, ended_at)

    async def export_games(self, guild: int | None = None, user: int | None = None) -> tuple[Exported, ...]:
        """The games that have begun, by number: of one server, of one user, or of all."""
        return tuple(
            [
                Exported(await self._matches.load(self._reader, number), began_at, ended_at)
                for number, began_at, ended_at in await upkeep_store.begun(self._reader, guild, user)
            ]
        )

    async def import_records(self, text: str, now: int, guild: int | None = None) -> Imported:
        """Takes all records of the text into the archive: of one server, or for all. All or none.

        Each is replayed by today's rules first. Raises RecordError at the first illegal move.
        """
        games = [
            upkeep_store.Archived(
                0,
                record.origin.variant.key,
                record.headers.get("players", ""),
                record.headers.get("result", ""),
                len(record.replay().moves),
                single,
            )
            for record, single in iter_records(text)
        ]
        async with self._store.writing() as tx:
            new = sum([await upkeep_store.add_archived(tx, game, guild, now) for game in games])
        return Imported(new, len(games) - new)

    async def archived(self, guild: int, page: int = 0) -> list[upkeep_store.Archived]:
        """A page of the games from elsewhere, the latest import first; empty after the last."""
        return await upkeep_store.archived(self._reader, guild, page * PAGE, PAGE)

    async def archived_game(self, guild: int, number: int) -> upkeep_store.Archived:
        """That game from elsewhere. `rules.parse_record` reads its record. Raises NO_SUCH_GAME."""
        found = await upkeep_store.archived_game(self._reader, guild, number) if 0 < number <= LARGEST else None
        if found is None:
            raise MatchError(Problem.NO_SUCH_GAME, number=number)
        return found
