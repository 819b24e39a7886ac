"""Records when the bot was present (running, reachable by Discord, able to store) and which servers it could reach.

No clock runs during an absence, however short. An absence costs one row, whatever the number of games.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.core.clock import FOREVER
from bot.core.match import Match
from bot.core.settings import StoredPerson
from bot.core.timings import Timings
from bot.store import Reader, Store, StoreError
from bot.store import absences as absences_store
from bot.store.absences import absences_after
from bot.store.database_tables import Table
from bot.store.people import load_people
from bot.store.servers import stored_servers

SILENT_CONNECTION_S = 2 * 60
"""Seconds for which a connection may be dead before the bot notices."""


class Presence:
    """Notes absences of the bot and of servers, and keeps an absence that is not stored yet."""

    def __init__(self, store: Store, tables: Sequence[Table], timings: Timings) -> None:
        self._store = store
        self._tables = tables
        self._unnoticed_s, self._note_interval_s = timings.unnoticed_absence_s, timings.presence_note_interval_s
        self._last_seen_at: int | None = None
        self._away_since: int | None = None
        """The start of an absence that is not stored yet; None while the bot is present."""
        self._lost_again: int | None = None
        self._noted_at = 0
        self._note_lock = asyncio.Lock()
        self._server_lock = asyncio.Lock()
        """Held while reachable servers are noted, because a report about one server may come during a check of all."""

    async def note_present(self, now: int) -> None:
        """Notes that the bot is present. Raises StoreError if the note cannot be stored, because then moves could not
        be stored either."""
        async with self._note_lock:
            if self._last_seen_at is None:
                noted_at = await absences_store.last_present_at(self._store.reader)
                self._away_since, self._noted_at, self._last_seen_at = noted_at, noted_at or 0, noted_at or now
            away_since = self._away_since
            if away_since is None and now - self._last_seen_at > self._unnoticed_s:
                away_since = self._last_seen_at
            if away_since is not None and away_since >= now:
                away_since = None
            if away_since is not None or not 0 <= now - self._noted_at < self._note_interval_s:
                try:
                    await self._write_presence(away_since, now)
                except StoreError:
                    if away_since is None:
                        away_since = min(self._last_seen_at, self._noted_at)
                    self._away_since, self._lost_again = away_since, None
                    raise
                self._noted_at = now
            # An absence that began during the write continues.
            self._last_seen_at, self._away_since, self._lost_again = now, self._lost_again, None

    async def _write_presence(self, away_since: int | None, now: int) -> None:
        async with self._store.write_transaction() as tx:
            await absences_store.note_present(tx, away_since, now)

    async def ensure_noted(self, now: int) -> None:
        """Does what `note_present` does, before a decision that depends on it and without waiting for the next tick.

        Does nothing while the connection is known to be dead.
        """
        if self._last_seen_at is None or (self._away_since is None and now - self._last_seen_at > self._unnoticed_s):
            await self.note_present(now)

    def note_connection_lost(self, now: int, silent: int = SILENT_CONNECTION_S) -> None:
        """Begins an absence, because the connection to Discord is dead or nothing can be stored. `silent`: seconds
        for which that may have been so already.
        """
        if self._note_lock.locked():
            self._lost_again = now - silent
        elif self._last_seen_at is not None and self._away_since is None:
            self._away_since = min(self._last_seen_at, now - silent)

    async def note_server_lost(self, guild: int, now: int) -> None:
        """Notes that the bot can no longer be reached in a server."""
        async with self._server_lock, self._store.write_transaction() as tx:
            await absences_store.add_absence(tx, guild, now)

    async def note_servers_found(self, reached: Callable[[int], bool], now: int) -> list[int]:
        """Notes which servers can be reached again, and returns them."""
        async with self._server_lock:
            guilds = [guild for guild in await absences_store.lasting_absences(self._store.reader) if reached(guild)]
            if guilds:
                async with self._store.write_transaction() as tx:
                    for guild in guilds:
                        await absences_store.end_absence(tx, guild, now)
            return guilds

    async def check_servers(self, reached: Callable[[int], bool], now: int, silent: int = 0) -> None:
        """Notes which servers can and cannot be reached, among those about which anything is stored.

        `silent`: seconds for which an unreachable server has been silent already.
        """
        async with self._server_lock:
            lasting = await absences_store.lasting_absences(self._store.reader)
            waiting = await stored_servers(self._store.reader, self._tables)
            if lost := [guild for guild in waiting if guild not in lasting and not reached(guild)]:
                async with self._store.write_transaction() as tx:
                    for guild in lost:
                        await absences_store.add_absence(tx, guild, now - silent)
        await self.note_servers_found(reached, now)

    async def load_players(self, reader: Reader, match: Match, since: int | None = None) -> dict[int, StoredPerson]:
        """Returns the players of a match or of an open table, with the absences after `since`, in which no clock ran.
        By default those after the turn began, or after the call for a substitute, during which others move on."""
        if since is None:
            since = min(match.clock.turn_began_at, match.vacancy.since) if match.vacancy else match.clock.turn_began_at
        absences, pending = await absences_after(reader, match.guild, since), await self.pending_absence_since(reader)
        if pending is not None:
            absences += ((pending, FOREVER),)
        people = await load_people(reader, match.players or match.table.joined)
        return {user: replace(person, absences=absences) for user, person in people.items()}

    async def pending_absence_since(self, reader: Reader) -> int | None:
        """Returns the start of the bot's absence, if it is not stored yet; None while the bot is present."""
        if self._last_seen_at is not None:
            return self._away_since
        return await absences_store.last_present_at(reader)
