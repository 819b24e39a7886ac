"""Whether the bot has been there all the while, and what is made up for where it has not."""

from __future__ import annotations

import asyncio

import structlog

from bot.match import timing
from bot.match.table import Shuffle
from bot.service.loading import SHUFFLE, Loader
from bot.store import Store, StoreError, Writer

_log = structlog.get_logger()

AWAY = 15 * 60
"""Seconds without a tick from which on the bot has been away: nobody loses a chance by less."""
NOTE_EVERY = 5 * 60
"""Seconds between two notes on the disk that it is there."""

_NOTED = "ticked"
"""Where the store notes when the bot was last there."""


class Presence(Loader):
    """Knows when the bot was last there: it runs, and Discord can reach it."""

    def __init__(self, store: Store, shuffle: Shuffle = SHUFFLE) -> None:
        super().__init__(store, shuffle)
        self._there: int | None = None
        self._noted = 0
        self._noting = asyncio.Lock()

    async def note_presence(self, now: int) -> None:
        """The bot is there. Where it was away until now, whoever had a chance meanwhile gets that time back.

        All games in one transaction with the note, so that nobody gets it twice; nor by a claim at the same time.
        """
        async with self._noting:
            await self._note_presence(now)

    async def _note_presence(self, now: int) -> None:
        if self._there is None:
            told = await self._store.reader.meta(_NOTED)
            self._noted = int(told or 0)
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

    async def _require_presence(self, now: int) -> None:
        """As above, where a decision depends on it and the next tick may only be about to come."""
        if self._there is None or now - self._there >= AWAY:
            await self.note_presence(now)

    async def _note(self, since: int | None, now: int) -> None:
        async def work(writer: Writer) -> None:
            if since is not None:
                # A chance may have begun a little behind the last note.
                for match_id in await writer.chances(since, since + timing.LONGEST_CHANCE + AWAY):
                    await self._prolong(writer, match_id, since, now)
            await writer.set_meta(_NOTED, str(now))

        await self._store.transaction(work)

    async def _prolong(self, writer: Writer, match_id: int, since: int, now: int) -> None:
        try:
            match = await self._load(writer, match_id)
            await self._settle(writer, match, lambda match, _: timing.prolong(match, since, now))
        except StoreError:
            raise
        except Exception:  # noqa: BLE001 - one match that cannot be read must not keep the others waiting
            _log.exception("match not prolonged", match=match_id)
