"""The tick of matches: does what is due, and updates deadlines after absences."""

from __future__ import annotations

from collections.abc import Set

from bot.core import deadlines, table, time_acts
from bot.core.clock import HOUR
from bot.core.deadlines import PeopleById
from bot.core.events import Event
from bot.core.match import Match
from bot.play.service.matches import Decision, Matches
from bot.store import Writer
from bot.store import absences as absences_store
from bot.store.servers import servers_without_house

PLACED_AT_ONCE = 200
"""The most games of an earlier version that one tick places: see `Matches.place_games`."""
UNREACHED_CHECK_S = HOUR
"""Seconds between two searches for games that have been out of reach for weeks."""


class Upkeep:
    """The tick of the matches."""

    def __init__(self, matches: Matches) -> None:
        self._matches = matches
        self._unreached_checked_at = 0
        self._may_have_unplaced = True
        """False once all running games of an earlier version are placed: see `Matches.place_games`."""

    async def tick(self, now: int) -> list[Match]:
        """Does what is due. Returns the changed matches. A late or repeated tick gives the same result.

        Each match has its own transaction, so others can run in between. The first tick also completes work that a stop
        interrupted. A match whose server cannot be reached waits.
        """
        attempts = self._matches.attempts
        for feature in self._matches.features:
            with attempts.contain_failures(f"upkeep of {feature.upkeep.__module__}"):
                await feature.upkeep(self._matches, now)
        changed = list[Match]()
        with attempts.contain_failures("positions of games"):
            if self._may_have_unplaced:
                self._may_have_unplaced = await self._matches.place_games(PLACED_AT_ONCE)
        with attempts.contain_failures("games"):
            reader = self._matches.store.reader
            due = await reader.matches_due(now)
            for feature in self._matches.features:
                due += await feature.matches_due(reader, now)
            if due:
                after_absence = {*await absences_store.matches_after_absence(reader)}
                decide = self._decide_due(now, await servers_without_house(reader), after_absence)
                for match_id in dict.fromkeys(due):
                    changed += await self._tick_match(match_id, decide, now)
        if not 0 <= now - self._unreached_checked_at < UNREACHED_CHECK_S:
            with attempts.contain_failures("games that nobody reaches"):
                changed += await self._end_unreached(now)
                self._unreached_checked_at = now
        return changed

    def _decide_due(self, now: int, without_house: frozenset[int], after_absence: Set[int]) -> Decision:
        """Returns the decision that does what is due in a match. House players do not move in those servers.

        `after_absence`: matches in which a chance is first prolonged, and announced, before its old end comes.
        """

        def decide_tick(match: Match, people: PeopleById) -> tuple[Event, ...]:
            house = self._matches.plays_house and match.guild not in without_house
            promised = (
                table.seat_promised_house(match, now, self._matches.shuffle)
                if house
                else table.drop_house_promise(match, now)
            )
            if match.id in after_absence:
                promised = promised or time_acts.prolong_chance(match, people, now)
            return promised or time_acts.tick(match, people, now, house=house)

        return decide_tick

    async def _end_unreached(self, now: int) -> list[Match]:
        """Ends and returns the games whose players could not be reached for weeks. Also does the hourly upkeep of
        all features."""
        store, changed = self._matches.store, list[Match]()
        for match_id, since in await absences_store.unreached_matches(store.reader, now - deadlines.UNREACHED_END_S):
            changed += await self._tick_match(match_id, _unreached_decision(since, now))
        async with store.write_transaction() as tx:
            await absences_store.forget_absences(tx, now)
            for feature in self._matches.features:
                await feature.hourly_upkeep(tx, now)
        with self._matches.attempts.contain_failures("statistics"):
            await store.renew_statistics()
        return changed

    async def _tick_match(self, match_id: int, decide: Decision, now: int | None = None) -> list[Match]:
        """Applies a decision and returns the match; empty if nothing changed or the match cannot be read."""
        changed = list[Match]()
        with self._matches.attempts.contain_failures("games", game=match_id):
            async with self._matches.store.write_transaction() as tx:
                before = await self._matches.load_match(tx, match_id)
                after = await self._matches.apply_decision(tx, before, decide, now)
                if after is before:
                    await self._set_times(tx, before)
            if after is not before:
                changed.append(self._matches.cache_match(after))
        return changed

    async def _set_times(self, tx: Writer, match: Match) -> None:
        """Updates the stored deadlines."""
        await tx.set_deadlines(match, await self._matches.presence.load_players(tx, match))


def _unreached_decision(since: int, now: int) -> Decision:
    return lambda match, _: time_acts.end_unreached_match(match, since, now)
