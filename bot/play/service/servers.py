"""The servers that the bot has met. Deletes the data of a server some weeks after it has removed the bot."""

from __future__ import annotations

from collections.abc import Collection

from bot.core.clock import DAY
from bot.play.service.matches import ServicePart
from bot.store import servers as servers_store

REMOVED_SERVER_RETENTION_S = 30 * DAY
"""Seconds for which the data of a server is kept after it has removed the bot."""

MATCHES_PER_DELETION = 20
"""The most matches deleted in one transaction."""


class Servers(ServicePart):
    """Notes which servers the bot has joined and which have removed it."""

    async def note_servers_met(self, present: Collection[int], *, joined: bool) -> list[int]:
        """Notes that the bot has met these servers. Returns the ones that are new.

        `joined`: Discord reports that these servers have just added the bot. Otherwise they are all servers of the bot,
        and at the first start that notes them none counts as new.
        """
        async with self._store.write_transaction() as tx:
            unmet = await servers_store.note_met(tx, present)
            if joined:
                return unmet
            return await servers_store.note_all_met(tx, unmet)

    async def note_servers(self, present: Collection[int], now: int) -> None:
        """Notes which servers have removed the bot, given all servers in which it is."""
        known_servers = await servers_store.stored_servers(
            self._reader, self._matches.tables
        )  # outside the transaction, because it reads much
        async with self._store.write_transaction() as tx:
            for guild in known_servers - {*present}:
                await servers_store.note_removed(tx, guild, now)
            for guild in (await servers_store.removed_servers(tx)).keys() & {*present}:
                await servers_store.note_back(tx, guild)

    async def note_removed(self, guild: int, now: int) -> None:
        """Notes that the bot has been removed from that server."""
        async with self._store.write_transaction() as tx:
            await servers_store.note_removed(tx, guild, now)

    async def note_returned(self, guild: int) -> None:
        """Notes that the bot is in that server again, so that none of its data is deleted."""
        async with self._store.write_transaction() as tx:
            await servers_store.note_back(tx, guild)

    async def delete_abandoned(self, now: int, present: Collection[int] = ()) -> list[int]:
        """Deletes the data of servers that removed the bot at least `REMOVED_SERVER_RETENTION_S` ago, and returns these
        servers.

        Deletes some matches at a time, so that other transactions run in between. After a crash, the next call
        completes the work. `present`: the servers in which the bot is. They lose nothing, even if the bot's return
        could not be noted.
        """
        deleted = []
        for guild in await servers_store.servers_removed_until(self._reader, now - REMOVED_SERVER_RETENTION_S):
            with self._matches.attempts.contain_failures("deletions", server=guild):
                if guild in present:
                    await self.note_returned(guild)
                elif await self._delete_server(guild):
                    deleted.append(guild)
        return deleted

    async def _delete_server(self, guild: int) -> bool:
        """Deletes everything of that server. Returns False if the bot is back in it."""
        match_ids = await servers_store.matches_in_server(self._reader, guild)
        for first in range(0, len(match_ids), MATCHES_PER_DELETION):
            async with self._store.write_transaction() as tx:
                portion = match_ids[first : first + MATCHES_PER_DELETION]
                gone = await servers_store.delete_matches(tx, guild, portion, self._matches.tables)
            for match_id in gone:
                self._matches.drop_from_cache(match_id)
        async with self._store.write_transaction() as tx:
            return await servers_store.delete_rest(tx, guild, self._matches.tables)
