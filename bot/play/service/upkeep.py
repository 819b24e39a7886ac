"""The tick: does what is due in matches, updates deadlines after absences, and deletes servers that left long ago."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Set

from bot.core import table, time_acts
from bot.core.clock import DAY
from bot.core.deadlines import PeopleById
from bot.core.events import Event
from bot.core.match import Match
from bot.play.service.matches import Decision, Service
from bot.store import absences as absences_store
from bot.store import servers as servers_store
from bot.store.servers import servers_without_house


async def tick_matches(service: Service, now: int) -> list[Match]:
    """Does what is due. Returns the changed matches. A late or repeated tick gives the same result.

    Each match has its own transaction, so others can run in between. The first tick also completes work that a stop
    interrupted. A match whose server cannot be reached waits.
    """
    attempts = service.attempts
    changed = list[Match]()
    with attempts.contain_failures("games"):
        reader = service.reader
        due = await reader.matches_due(now)
        if due:
            after_absence = {*await absences_store.matches_after_absence(reader)}
            decide = _decide_due(service, now, await servers_without_house(reader), after_absence)
            for match_id in dict.fromkeys(due):
                changed += await tick_match(service, match_id, decide, now)
    return changed


def _decide_due(service: Service, now: int, without_house: frozenset[int], after_absence: Set[int]) -> Decision:
    """Returns the decision that does what is due in a match. House players do not move in those servers.

    `after_absence`: matches in which a chance is first prolonged, and announced, before its old end comes.
    """

    def decide_tick(match: Match, people: PeopleById) -> tuple[Event, ...]:
        has_house = match.guild not in without_house
        promised = table.keep_house_promise(match, now, service.shuffle, has_house=has_house)
        if match.id in after_absence:
            promised = promised or time_acts.prolong_chance(match, people, now)
        return promised or time_acts.tick(match, people, now, has_house=has_house)

    return decide_tick


async def forget_old_absences(service: Service, now: int) -> None:
    """Deletes the absences on which no clock depends any more."""
    async with service.store.write_transaction() as tx:
        await absences_store.forget_absences(tx, now)


async def tick_match(service: Service, match_id: int, decide: Decision, now: int | None = None) -> list[Match]:
    """Applies a decision and returns the match; empty if it is unreadable, or nothing but deadlines changed."""
    changed = list[Match]()
    with service.attempts.contain_failures("games", game=match_id):
        async with service.store.write_transaction() as tx:
            before = await service.load_match(tx, match_id)
            after = await service.apply_decision(tx, before, decide, now)
            if after is before:
                await tx.set_deadlines(before, await service.presence.load_players(tx, before))
        if after is not before:
            changed.append(service.cache_match(after))
    return changed


REMOVED_SERVER_RETENTION_S = 30 * DAY
"""Seconds for which the data of a server is kept after it has removed the bot."""

MATCHES_PER_DELETION = 20
"""The most matches deleted in one transaction."""


async def note_servers(service: Service, list_present: Callable[[], Iterable[int]], now: int) -> None:
    """Notes which servers have removed the bot. The function lists all servers in which it is at the moment."""
    # Outside the transaction, because it reads much.
    known_servers = await servers_store.stored_servers(service.reader, service.database_tables)
    async with service.store.write_transaction() as tx:
        present = {*list_present()}  # not earlier: a server that has just added the bot is known by now
        for guild in known_servers - present:
            await servers_store.note_removed(tx, guild, now)
        for guild in (await servers_store.removed_servers(tx)).keys() & present:
            await tx.update_rows("servers", {"guild": guild}, removed_at=None)


async def note_removed(service: Service, guild: int, now: int) -> None:
    """Notes that the bot has been removed from that server."""
    async with service.store.write_transaction() as tx:
        await servers_store.note_removed(tx, guild, now)


async def note_returned(service: Service, guild: int) -> None:
    """Notes that the bot is in that server again, so that none of its data is deleted."""
    async with service.store.write_transaction() as tx:
        await tx.update_rows("servers", {"guild": guild}, removed_at=None)


async def delete_abandoned(service: Service, now: int, present: Collection[int] = ()) -> list[int]:
    """Deletes the data of servers that removed the bot at least `REMOVED_SERVER_RETENTION_S` ago, and returns these
    servers.

    Deletes some matches at a time, so that other transactions run in between. After a crash, the next call
    completes the work. `present`: the servers in which the bot is. They lose nothing, even if the bot's return
    could not be noted.
    """
    deleted = []
    for guild, removed_at in (await servers_store.removed_servers(service.reader)).items():
        with service.attempts.contain_failures("deletions", server=guild):
            if removed_at > now - REMOVED_SERVER_RETENTION_S:
                continue
            if guild in present:
                await note_returned(service, guild)
            elif await _delete_server(service, guild):
                deleted.append(guild)
    return deleted


async def _delete_server(service: Service, guild: int) -> bool:
    """Deletes everything of that server. Returns False if the bot is back in it."""
    while True:
        async with service.store.write_transaction() as tx:
            gone = await servers_store.delete_portion(tx, guild, service.database_tables, MATCHES_PER_DELETION)
        if not gone:
            return gone is not None
        for match_id in gone:
            service.drop_from_cache(match_id)
