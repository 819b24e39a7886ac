"""What happens by itself: what is due, and what is made up for where nobody could be reached for a while."""

from __future__ import annotations

from bot.match import table, timing
from bot.match.events import LARGEST, Event
from bot.match.match import Match
from bot.match.tree import KEPT
from bot.match.turns import People
from bot.people.clock import FOREVER, HOUR
from bot.service.future import SLACK, cut_future
from bot.service.matches import Decision, Matches
from bot.service.privacy import Privacy
from bot.store import Writer
from bot.store import absences as absences_store
from bot.store import trees as trees_store
from bot.store.people import without_house

PORTION = 200
"""Games that a tick brings up to date after one, so that nobody waits for all of them."""
LOOK_EVERY = HOUR
"""Seconds between two looks for games of which nobody could be told for weeks."""


class Upkeep:
    """The tick of the matches."""

    def __init__(self, matches: Matches, privacy: Privacy) -> None:
        self._matches = matches
        self._privacy = privacy
        self._resumed = False
        self._looked = 0
        self._ticked = FOREVER
        """When it last ticked; later than any time before it has."""

    async def tick(self, now: int) -> list[Match]:
        """The matches to which something has happened by itself: late or doubled, it gives the same result.

        Each in a transaction of its own, between which others get their turn. The first tick also brings to its end
        what a stop has cut short, and mends what is dated in the future. A match whose server cannot be reached waits.
        """
        attempts = self._matches.attempts
        if now < self._ticked - SLACK:  # the first tick, or the clock has gone back
            await cut_future(self._matches, now)
        self._ticked = now
        if not self._resumed:
            self._resumed = True  # what fails now, the next start tries again
            with attempts.of("forgetting people"):
                await self._privacy.resume(now)
        if self._privacy.unscrubbed:
            with attempts.of("scrubbing"):
                await self._privacy.scrub()
        changed = list[Match]()
        with attempts.of("games"):
            if due := await self._matches.store.reader.due(now):
                decide = self._due(now, await without_house(self._matches.store.reader))
                for match_id in due:
                    changed += await self._one(match_id, decide, now)
        if self._matches.presence.ended:
            with attempts.of("games after an absence"):
                changed += await self._make_up(now)
        if not 0 <= now - self._looked < LOOK_EVERY:
            with attempts.of("games that nobody reaches"):
                changed += await self._give_up(now)
                self._looked = now
        return changed

    def _due(self, now: int, without_house: frozenset[int]) -> Decision:
        """What is due in a match by now, house players left out in those servers."""

        def decide(match: Match, known: People) -> tuple[Event, ...]:
            house = match.guild not in without_house
            promised = (
                table.keep_promise(match, now, self._matches.shuffle) if house else table.break_promise(match, now)
            )
            return promised or timing.tick(match, known, now, house=house)

        return decide

    async def _make_up(self, now: int) -> list[Match]:
        """What a portion of games gets after a long absence: the later end, and the note of when something is due.

        What is noted beside the absence is how far that has come, so that a stop does not matter. It is for the eye
        only: whatever is decided is decided by the absences themselves.
        """
        store, changed = self._matches.store, list[Match]()
        found = await absences_store.unfinished(store.reader, timing.LONG_ABSENCE)
        for absence in found[:1]:
            portion = await absences_store.concerned(store.reader, absence, PORTION)
            for match_id in portion:
                changed += await self._one(match_id, lambda match, known: timing.prolong(match, known, now))
            async with store.writing() as tx:
                done = portion[-1] if len(portion) == PORTION else LARGEST
                await absences_store.set_made_up(tx, absence, done)
        self._matches.presence.ended = bool(found)
        return changed

    async def _give_up(self, now: int) -> list[Match]:
        """The games that end because nobody could be reached for weeks; what people have tried goes after a year."""
        store, changed = self._matches.store, list[Match]()
        for match_id, since in await absences_store.unreached(store.reader, now - timing.UNREACHED):
            changed += await self._one(match_id, _given_up(since, now))
        if store.share.leads:
            async with store.writing() as tx:
                await absences_store.forget_absences(tx, now)
                await trees_store.drop_old(tx, now - KEPT)
        return changed

    async def _one(self, match_id: int, decide: Decision, now: int | None = None) -> list[Match]:
        """The match after that decision; empty where nothing has happened, or the match cannot be read."""
        changed = list[Match]()
        with self._matches.attempts.of("games", game=match_id):
            async with self._matches.store.writing() as tx:
                before = await self._matches.load(tx, match_id)
                after = await self._matches.settle(tx, before, decide, now)
                if after is before:
                    await self._set_times(tx, before)
            if after is not before:
                changed.append(self._matches.remember(after))
        return changed

    async def _set_times(self, tx: Writer, match: Match) -> None:
        """Puts the note right of when something is due."""
        await tx.set_times(match, await self._matches.presence.players(tx, match))


def _given_up(since: int, now: int) -> Decision:
    return lambda match, _: timing.give_up(match, since, now)
