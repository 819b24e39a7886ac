"""Looking for a game: people join a list and are called in turn to tables that stay open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cachetools import LRUCache

from bot.core.clock import DAY, HOUR
from bot.core.match import Match
from bot.play.service.matches import Matches, ServicePart
from bot.seeking import rows as seekers_store
from bot.store import Writer
from bot.store import people as people_store

CALL_AFTER_S = HOUR
"""Seconds for which a table stays open before anybody is called."""

CALL_UNTIL_S = DAY
"""Age in seconds from which nobody is called to a table any more, such as one that waited while the bot was away."""

SEEKER_REST_S = DAY
"""Seconds for which a user is not called again."""

TABLE_RECHECK_S = HOUR
"""Seconds after which a table to which nobody could be called is tried again."""

MAX_SEEKERS_CONSIDERED = 100
"""People among whom the called ones are chosen: they must be in the server and able to see the table."""

TABLE_CACHE_SIZE = 1000
"""Tables, remembered at most, to which nobody could be called."""


class Seekers(ServicePart):
    """The lists of people who look for a game, by server, and whose turn it is to be called."""

    def __init__(self, matches: Matches) -> None:
        super().__init__(matches)
        self._looked_at: LRUCache[int, int] = LRUCache(TABLE_CACHE_SIZE)

    async def add_seeker(self, guild: int, user: int) -> None:
        """Puts the user on the list of that server."""
        async with self._store.write_transaction() as tx:
            await seekers_store.add_seeker(tx, guild, user)

    async def remove_seeker(self, guild: int, user: int) -> None:
        """Takes the user off the list of that server."""
        async with self._store.write_transaction() as tx:
            await seekers_store.remove_seeker(tx, guild, user)

    async def is_looking(self, guild: int, user: int) -> bool:
        """Returns True if the user is on the list of that server."""
        return guild in await seekers_store.servers_of_seeker(self._reader, user)

    async def tables_to_fill(self, now: int) -> list[Match]:
        """Returns the tables that have been open for an hour with a free seat, and to which nobody has been called."""
        tables = list[Match]()
        for match_id in await seekers_store.open_tables(self._reader, now - CALL_UNTIL_S):
            if not 0 <= now - self._looked_at.get(match_id, 0) < TABLE_RECHECK_S:
                with self._matches.attempts.contain_failures("seekers", game=match_id):
                    tables.append(await self._matches.load_match(self._reader, match_id))
        return [match for match in tables if match.free_seats > 0 and match.created <= now - CALL_AFTER_S]

    async def seekers_in_turn(self, match: Match, now: int) -> list[int]:
        """Returns the people who may be called to that table or game, the longest waiting first.

        Leaves out people who sit there or did, are invited, have declined or are on vacation.
        """
        leavers = (*(leaver.user for leaver in match.leavers), *(taken.instead for taken in match.substitutes))
        concerned = {match.host, *match.joined, *match.invited, *match.declined, *match.players, *leavers}
        seekers = await seekers_store.next_in_turn(
            self._reader, match.guild, now - SEEKER_REST_S, MAX_SEEKERS_CONSIDERED
        )
        people = await people_store.load_people(self._reader, seekers)
        away = [user for user, person in people.items() if any(start <= now < end for start, end in person.vacations)]
        return [user for user in seekers if user not in concerned and user not in away]

    async def note_called(self, match: Match, users: Sequence[int], now: int, departed: Iterable[int] = ()) -> None:
        """Notes that people have been called to the table, which happens once. If nobody could be, it is tried again
        later.

        `departed`: people who have left the server; they are not looked up again for as long as the called ones
        rest.
        """
        async with self._store.write_transaction() as tx:
            if users:
                await seekers_store.note_table_called(tx, match.id)
            await seekers_store.note_called(tx, match.guild, (*users, *departed), now)
            if not users:
                await self._postpone_first_in_turn(tx, match.guild, now)
        if not users:
            self._looked_at[match.id] = now

    async def _postpone_first_in_turn(self, tx: Writer, guild: int, now: int) -> None:
        """Postpones the people who have waited longest until the table is tried again. Otherwise nobody after them
        would ever be considered.
        """
        first = await seekers_store.next_in_turn(tx, guild, now - SEEKER_REST_S, MAX_SEEKERS_CONSIDERED)
        if len(first) == MAX_SEEKERS_CONSIDERED:
            await seekers_store.note_called(tx, guild, first, now - SEEKER_REST_S + TABLE_RECHECK_S)
