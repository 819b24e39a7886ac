"""Looking for a game: a list that people join, who are told in turn of tables that stay open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cachetools import LRUCache

from bot.match.match import Match
from bot.people.clock import DAY, HOUR
from bot.service.matches import Beside, Matches
from bot.store import people as people_store
from bot.store import seekers as seekers_store

WAIT = HOUR
"""Seconds for which a table stays open before anybody is called."""

LATEST = DAY
"""Seconds after which nobody is called to a table any more: it was there while the bot was away."""

REST = DAY
"""Seconds for which whoever has been called is left in peace."""

AGAIN = HOUR
"""Seconds after which a table is looked at again to which nobody could be called."""

LOOKED_AT = 100
"""People, at most, of whom some are called: those who are in the server and may look into the table's place."""

TABLES = 1000
"""Tables of which it is known that nobody could be called to them."""


class Seekers(Beside):
    """Who looks for a game in which server, and whose turn it is to be called."""

    def __init__(self, matches: Matches) -> None:
        super().__init__(matches)
        self._looked_at: LRUCache[int, int] = LRUCache(TABLES)

    async def turn(self, guild: int, user: int) -> bool:
        """Puts the user on the list of that server, or takes them off; whether they stand on it now."""
        async with self._store.writing() as tx:
            if await seekers_store.remove(tx, guild, user):
                return False
            await seekers_store.add(tx, guild, user)
            return True

    async def is_looking(self, guild: int, user: int) -> bool:
        """Whether the user stands on the list of that server."""
        return guild in await seekers_store.servers_of(self._reader, user)

    async def tables(self, now: int) -> list[Match]:
        """The tables that have been open for an hour with a seat for anybody, and for which nobody has been called."""
        found = list[Match]()
        for match_id in await seekers_store.open_tables(self._reader):
            if not 0 <= now - self._looked_at.get(match_id, 0) < AGAIN:
                with self._matches.attempts.of("seekers", game=match_id):
                    found.append(await self._matches.load(self._reader, match_id))
        return [match for match in found if match.free_seats > 0 and WAIT <= now - match.created <= LATEST]

    async def in_turn(self, match: Match, now: int) -> list[int]:
        """Those who may be called to that table, who has waited longest first.

        Without those who sit there, are invited or have declined, and without those who are on vacation.
        """
        there = {match.host, *match.joined, *match.invited, *match.declined}
        found = await seekers_store.next_in_turn(self._reader, match.guild, now - REST, LOOKED_AT)
        people = await people_store.people(self._reader, found)
        away = [user for user, one in people.items() if any(start <= now < end for start, end in one.vacations)]
        return [user for user in found if user not in there and user not in away]

    async def note_called(self, match: Match, users: Sequence[int], now: int, gone: Iterable[int] = ()) -> None:
        """Note that they have been called to that table; once is enough. Where nobody could be, it is looked at again.

        `gone`: those who are in the server no more, who are not looked up again for as long as the others.
        """
        async with self._store.writing() as tx:
            if users:
                await seekers_store.note_table(tx, match.id)
            await seekers_store.note_called(tx, match.guild, (*users, *gone), now)
        if not users:
            self._looked_at[match.id] = now
