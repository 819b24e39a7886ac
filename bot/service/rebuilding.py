"""All that is derived from finished games, made anew: for whoever wants to be sure that what is stored agrees."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

import structlog

from bot.ladder.ratings import Rating, rebuild
from bot.match.match import Phase
from bot.match.results import tale
from bot.service.loading import Loader
from bot.service.reckoning import judge
from bot.store import Writer
from bot.store import ladder as ladders
from bot.store import results as results_store
from bot.store.upkeep import drop_derived, matches_begun, snapshot, unreckoned

_log = structlog.get_logger()


class Rebuilt(NamedTuple):
    """What a rebuild has looked at, and where it does not agree with what was stored."""

    games: int
    ratings: int
    ladders: int
    differing: Mapping[str, int]
    """By table, the rows that were stored otherwise, too many or missing. Empty where all agree to the last digit."""


class _TakenBackError(Exception):
    """Undoes a rebuild that was only to be compared."""


class Rebuilding(Loader):
    """Rebuilds; for a bot that is not running, because it may take minutes."""

    async def rebuild(self, *, write: bool) -> Rebuilt:
        """Compares all that is derived with what comes out of the stories of matches and ladders.

        With `write`, that is in its place afterwards.
        """
        found: list[Rebuilt] = []

        async def work(writer: Writer) -> None:
            found.append(await _rebuilt(writer))
            if not write:
                raise _TakenBackError

        with suppress(_TakenBackError):
            await self._store.transaction(work)
        return found[0]

    async def catch_up(self, now: int) -> int:
        """How many finished games had no result yet, of a version that kept none, and have now."""
        noted = 0
        for match_id in await unreckoned(self._store.reader):

            async def work(writer: Writer, match_id: int = match_id) -> None:
                await judge(writer, await self._load(writer, match_id), now)

            try:
                await self._store.transaction(work)
            except Exception:  # noqa: BLE001 - one game that cannot be read must not keep all that is due waiting
                _log.exception("result not noted", match=match_id)
            else:
                noted += 1
        if noted:
            _log.info("results of earlier games noted", games=noted)
        return noted


async def _rebuilt(writer: Writer) -> Rebuilt:
    before = await snapshot(writer)
    await drop_derived(writer)
    moved: dict[int, dict[int, int]] = defaultdict(dict)
    games = 0
    for match_id, guild, phase in await matches_begun(writer):
        told = tale(match_id, await writer.events(match_id))
        for user, at in told.moved.items():
            moved[guild][user] = max(at, moved[guild].get(user, 0))
        assert (told.result is None) == (phase is not Phase.OVER), match_id
        if told.result:
            games += 1
            await results_store.set_result(writer, told.result)
    rated = await _rate_all(writer)
    places = await ladders.ladders(writer)
    for place in places:
        await ladders.rebuild(writer, place, moved[place.guild])
    behind = await snapshot(writer)
    differing = {table: len(before[table] ^ behind[table]) for table in before if before[table] != behind[table]}
    return Rebuilt(games, rated, len(places), differing)


async def _rate_all(writer: Writer) -> int:
    """How many people are rated, each server and variant counting by itself."""
    ratings: dict[tuple[int, str], dict[int, Rating]] = defaultdict(dict)
    for game, changes in rebuild(await results_store.all_results(writer)):
        await results_store.add_changes(writer, game.match, changes)
        ratings[game.guild, game.variant] |= {user: change.after for user, change in changes.items()}
    for (guild, variant), known in ratings.items():
        await results_store.set_ratings(writer, guild, variant, known)
    return sum(map(len, ratings.values()))
