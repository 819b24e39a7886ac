"""What happens by itself: what is due, and what is made up for where the bot has not been there all the while."""

from __future__ import annotations

import asyncio

import structlog

from bot.match import timing
from bot.match.match import Match
from bot.service.matches import Matches
from bot.service.privacy import Privacy
from bot.store import StoreError, Writer
from bot.store.people import people

_log = structlog.get_logger()

AWAY = 15 * 60
"""Seconds without a tick from which on the bot has been away: nobody loses a chance by less."""
NOTE_EVERY = 5 * 60
"""Seconds between two notes on the disk that it is there."""

_NOTED = "ticked"
"""Where the store notes when the bot was last there."""


class Upkeep:
    """The tick of the matches; and it knows when the bot was last there: it runs, and Discord can reach it."""

    def __init__(self, matches: Matches, privacy: Privacy) -> None:
        self._matches = matches
        self._privacy = privacy
        self._resumed = False
        self._there: int | None = None
        self._noted = 0
        self._noting = asyncio.Lock()

    async def tick(self, now: int) -> list[Match]:
        """The matches to which something has happened by itself: late or doubled, it gives the same result.

        Each in a transaction of its own, between which others get their turn. The first tick also brings to its end
        what a stop has cut short.
        """
        if not self._resumed:
            self._resumed = True
            try:
                await self._privacy.resume(now)
            except Exception:  # noqa: BLE001 - which must not keep what is due waiting; the next start tries again
                _log.exception("not forgotten yet")
        changed = []
        for match_id in await self._matches.store.reader.due(now):
            try:
                match = await self._tick(match_id, now)
            except Exception:  # noqa: BLE001 - one match that cannot be read must not keep the others waiting
                _log.exception("match not ticked", match=match_id)
            else:
                changed += [match] if match else []
        return changed

    async def _tick(self, match_id: int, now: int) -> Match | None:
        """The match after what is due; None where nothing was, and the note of when something is has been put right."""
        async with self._matches.store.writing() as tx:
            before = await self._matches.load(tx, match_id)
            after = await self._matches.settle(tx, before, lambda match, known: timing.tick(match, known, now))
            if after is before:
                await tx.set_times(before, await people(tx, before.players))
                return None
        return self._matches.remember(after)

    async def note_presence(self, now: int) -> None:
        """The bot is there. Where it was away until now, whoever had a chance meanwhile gets that time back.

        All games in one transaction with the note, so that nobody gets it twice; nor by a claim at the same time.
        """
        async with self._noting:
            await self._note_presence(now)

    async def _note_presence(self, now: int) -> None:
        if self._there is None:
            self._noted = int(await self._matches.store.reader.meta(_NOTED) or 0)
            self._there = self._noted or now
        since = self._there
        away = now - since >= AWAY
        if away or not 0 <= now - self._noted < NOTE_EVERY:
            try:
                await self._note(since if away else None, now)
            except StoreError:
                if away:
                    raise  # nothing may be ticked before it is made up for
                _log.warning("presence not noted", exc_info=True)  # which must not keep what is due waiting
            self._noted = now
        self._there = now

    async def require_presence(self, now: int) -> None:
        """As above, where a decision depends on it and the next tick may only be about to come."""
        if self._there is None or now - self._there >= AWAY:
            await self.note_presence(now)

    async def _note(self, since: int | None, now: int) -> None:
        async with self._matches.store.writing() as tx:
            if since is not None:
                # A chance may have begun a little after the last note.
                for match_id in await tx.chances(since, since + timing.LONGEST_CHANCE + AWAY):
                    await self._prolong(tx, match_id, since, now)
            await tx.set_meta(_NOTED, str(now))

    async def _prolong(self, tx: Writer, match_id: int, since: int, now: int) -> None:
        try:
            match = await self._matches.load(tx, match_id)
            await self._matches.settle(tx, match, lambda match, _: timing.prolong(match, since, now))
        except StoreError:
            raise
        except Exception:  # noqa: BLE001 - one match that cannot be read must not keep the others waiting
            _log.exception("match not prolonged", match=match_id)
