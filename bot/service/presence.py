"""When the bot was there: it ran, Discord could reach it, and it could write things down; and which servers it reached.

No clock runs while it was not, however short that was. An absence costs one row, whatever the number of games.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from bot.match.match import Match
from bot.people.settings import Person
from bot.store import Reader, Store, StoreError
from bot.store import absences as store_absences
from bot.store.absences import EVERYWHERE

GAP = 2 * 60
"""Seconds without a sign from which on the bot has been away, although nothing was noticed; it ticks far more often."""
SILENCE = 2 * 60
"""For so long the line may have been dead when it is found out."""
NOTE_EVERY = 60
"""Seconds between two notes on the disk that it is there."""

_NOTED = "ticked"
"""Where the store notes when the bot was last there."""


class Presence:
    """Notes absences, of the bot and of servers, and knows of the one that is not noted yet."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._there: int | None = None
        self._gone: int | None = None
        self._lost_again: int | None = None
        self._noted = 0
        self._noting = asyncio.Lock()
        self._servers = asyncio.Lock()
        """Held while it is noted which servers can be reached: news of one and a look at all may come at once."""
        self.ended = True
        """Whether an absence has come to its end since somebody last set this to False."""

    async def note(self, now: int) -> None:
        """The bot is there. Raises StoreError where it cannot be: nobody could move either."""
        async with self._noting:
            if self._there is None:
                self._noted = await self._last_noted(self._store.reader) or 0
                self._there = self._gone = self._noted or now
            since = self._gone if self._gone is not None else self._there if now - self._there > GAP else now
            if since < now or not 0 <= now - self._noted < NOTE_EVERY:
                try:
                    await self._write(since, now)
                except StoreError:
                    self._gone, self._lost_again = since if since < now else min(self._there, self._noted), None
                    raise
                self._noted = now
                self.ended |= since < now
            # What has been lost while that was written down is not over with it.
            self._there, self._gone, self._lost_again = now, self._lost_again, None

    async def _write(self, since: int, now: int) -> None:
        async with self._store.writing() as tx:
            if since < now:
                await store_absences.add_absence(tx, EVERYWHERE, since, now)
            await tx.set_meta(_NOTED, str(now))

    async def require(self, now: int) -> None:
        """As above, where a decision depends on it and the next tick may only be about to come.

        Not while the line is known to be dead: over another one, of a shard, people may act meanwhile.
        """
        if self._there is None or (self._gone is None and now - self._there > GAP):
            await self.note(now)

    def lose(self, now: int) -> None:
        """The line to Discord is dead, and may have been for a while."""
        if self._noting.locked():
            self._lost_again = now - SILENCE
        elif self._there is not None and self._gone is None:
            self._gone = min(self._there, now - SILENCE)

    async def lose_server(self, guild: int, now: int) -> None:
        """The bot can no longer be reached in that server."""
        async with self._servers, self._store.writing() as tx:
            await store_absences.add_absence(tx, guild, now)

    async def find_server(self, guild: int, now: int) -> bool:
        """The bot can be reached in that server; whether that is news."""
        return bool(await self.find_servers(lambda found: found == guild, now))

    async def find_servers(self, reached: Callable[[int], bool], now: int) -> list[int]:
        """The servers that were out of reach and are not any more."""
        async with self._servers:
            found = [guild for guild in await store_absences.lasting(self._store.reader) if reached(guild)]
            if found:
                async with self._store.writing() as tx:
                    for guild in found:
                        await store_absences.end_absence(tx, guild, now)
                self.ended = True
            return found

    async def check_servers(self, reached: Callable[[int], bool], now: int) -> None:
        """Looks which servers the bot can be reached in, of those in which that matters."""
        async with self._servers:
            lasting = await store_absences.lasting(self._store.reader)
            for guild in await store_absences.waiting_servers(self._store.reader):
                if guild not in lasting and not reached(guild):
                    async with self._store.writing() as tx:
                        await store_absences.add_absence(tx, guild, now)
        await self.find_servers(reached, now)

    async def players(self, reader: Reader, match: Match, since: int | None = None) -> dict[int, Person]:
        """The players as the clock knows them, with the absences after `since`, or else after their turn began."""
        return await store_absences.players(reader, match, since, await self.pending(reader))

    async def pending(self, reader: Reader) -> int | None:
        """From when on the bot has been away, if that is not noted yet; None while it is there."""
        return self._gone if self._there is not None else await self._last_noted(reader)

    async def _last_noted(self, reader: Reader) -> int | None:
        noted = await reader.meta(_NOTED)
        return int(noted) if noted else None
