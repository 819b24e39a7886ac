"""When the bot was there: it ran, Discord could reach it, and it could write things down; and which servers it reached.

No clock runs while it was not, however short that was. An absence costs one row for each shard that is looked after
here, whatever the number of games.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from bot.match.match import Match
from bot.people.settings import Person
from bot.store import Reader, Store, StoreError
from bot.store import absences as absences_store

GAP = 2 * 60
"""Seconds without a sign from which on the bot has been away, although nothing was noticed; it ticks far more often."""
SILENCE = 2 * 60
"""For so long the line may have been dead when it is found out."""
NOTE_EVERY = 60
"""Seconds between two notes on the disk that it is there."""


class Presence:
    """Notes absences, of the bot and of servers, and knows of the one that is not noted yet."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._there: int | None = None
        self._gone: Mapping[int, int] = {}
        """Since when it is away, by shard, if that is not noted yet; empty while it is there."""
        self._lost_again: Mapping[int, int] = {}
        self._noted = 0
        self._noting = asyncio.Lock()
        self._servers = asyncio.Lock()
        """Held while it is noted which servers can be reached: news of one and a look at all may come at once."""
        self.ended = True
        """Whether an absence has come to its end since somebody last set this to False."""

    async def note(self, now: int) -> None:
        """The bot is there. Raises StoreError where it cannot be: nobody could move either."""
        if not self._store.share.own:  # nobody waits for a worker without a shard
            return
        async with self._noting:
            if self._there is None:
                reader, own = self._store.reader, self._store.share.own
                last = {shard: await absences_store.last_there(reader, shard) for shard in own}
                self._gone = {shard: at or now for shard, at in last.items()}
                self._noted = min(at or 0 for at in last.values())
                self._there = self._noted or now
            gone = self._gone or (self._all(self._there) if now - self._there > GAP else {})
            gone = {shard: since for shard, since in gone.items() if since < now}
            if gone or not 0 <= now - self._noted < NOTE_EVERY:
                try:
                    await self._write(gone, now)
                except StoreError:
                    self._gone, self._lost_again = gone or self._all(min(self._there, self._noted)), {}
                    raise
                self._noted = now
                self.ended |= bool(gone)
            # What has been lost while that was written down is not over with it.
            self._there, self._gone, self._lost_again = now, self._lost_again, {}

    async def _write(self, gone: Mapping[int, int], now: int) -> None:
        async with self._store.writing() as tx:
            await absences_store.note_there(tx, gone, now)

    def _all(self, since: int) -> Mapping[int, int]:
        return dict.fromkeys(self._store.share.own, since)

    async def require(self, now: int) -> None:
        """As above, where a decision depends on it and the next tick may only be about to come.

        Not while the line is known to be dead: over another one, of a shard, people may act meanwhile.
        """
        if self._there is None or (not self._gone and now - self._there > GAP):
            await self.note(now)

    def lose(self, now: int, silent: int = SILENCE) -> None:
        """The line to Discord is dead, and may have been for so many seconds; or nothing could be done meanwhile."""
        if self._noting.locked():
            self._lost_again = self._all(now - silent)
        elif self._there is not None and not self._gone:
            self._gone = self._all(min(self._there, now - silent))

    async def lose_server(self, guild: int, now: int) -> None:
        """The bot can no longer be reached in that server."""
        async with self._servers, self._store.writing() as tx:
            await absences_store.add_absence(tx, guild, now)

    async def find_server(self, guild: int, now: int) -> bool:
        """The bot can be reached in that server; whether that is news."""
        return bool(await self.find_servers(lambda found: found == guild, now))

    async def find_servers(self, reached: Callable[[int], bool], now: int) -> list[int]:
        """The servers that were out of reach and are not any more."""
        async with self._servers:
            found = [guild for guild in await absences_store.lasting(self._store.reader) if reached(guild)]
            if found:
                async with self._store.writing() as tx:
                    for guild in found:
                        await absences_store.end_absence(tx, guild, now)
                self.ended = True
            return found

    async def check_servers(self, reached: Callable[[int], bool], now: int, silent: int = 0) -> None:
        """Looks which servers the bot can be reached in, of those in which that matters.

        Those that are lost have been silent for so many seconds.
        """
        async with self._servers:
            lasting = await absences_store.lasting(self._store.reader)
            waiting = await absences_store.waiting_servers(self._store.reader)
            if lost := [guild for guild in waiting if guild not in lasting and not reached(guild)]:
                async with self._store.writing() as tx:
                    for guild in lost:
                        await absences_store.add_absence(tx, guild, now - silent)
        await self.find_servers(reached, now)

    async def players(self, reader: Reader, match: Match, since: int | None = None) -> dict[int, Person]:
        """The players as the clock knows them, with the absences after `since`, or else after their turn began."""
        return await absences_store.players(reader, match, since, await self.pending(reader, match.guild))

    async def pending(self, reader: Reader, guild: int) -> int | None:
        """From when on the bot has been away from a server, if that is not noted yet; None while it is there.

        Another worker's server is taken for left alone once nothing has been noted of its shard for a while.
        """
        shard, there = self._store.share.shard_of(guild), self._there
        if there is not None and shard in self._store.share.own:
            return self._gone.get(shard)
        noted = await absences_store.last_there(reader, shard)
        return noted if there is None or noted is None or there - noted > GAP else None
