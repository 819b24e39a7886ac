"""Opens tables and rematches."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from bot.core import table
from bot.core.deadlines import Actor
from bot.core.events import Opening, Terms
from bot.core.fold import fold_events, replay_match
from bot.core.house_seats import free_house_players, is_house
from bot.core.match import Match, Phase
from bot.core.problems import MatchError, Problem
from bot.core.settings import GuildSettings
from bot.core.table import TableOptions
from bot.play.service.matches import Service, require_allowed_place, require_house, require_table_room, require_together
from bot.store import Writer, game_lists
from bot.store.database_tables import statements_to_delete_match
from bot.store.people import load_people
from bot.store.servers import load_guild_settings
from rules import VARIANTS


async def open_table(
    service: Service, host: Actor, channel: int, options: TableOptions, parent: int | None = None
) -> Match:
    """Opens a table with its host, reserves seats for the people invited, and returns the match.

    `parent`: the parent channel if `channel` is a thread. Also raises CHANNEL_NOT_ALLOWED, NO_SUCH_SEAT, NO_HANDICAP,
    NO_SEAT_FOR_HOUSE, and what `require_table_room`, `require_house` and `require_together` raise.
    """
    assert host.guild is not None
    options = table.settle_handicap(options, service.shuffle)
    async with service.store.write_transaction() as tx:
        settings = await load_guild_settings(tx, host.guild)
        require_allowed_place(settings, channel, parent)
        variant, seat = VARIANTS[options.variant], options.seat
        order = table.seat_order_with(variant, host.user, seat) if seat is not None else ()
        pace = options.pace or settings.pace
        terms = Terms(variant, options.seating, options.thread, pace, options.ladder, options.vacations, order=order)
        opening = Opening(host.guild, channel, terms, options.invited, position=options.position)
        level, free = options.house_level, len(variant.seats) - 1 - len(options.invited)
        house = free_house_players(level, free) if level else ()
        MatchError.raise_if(level and not house, Problem.NO_SEAT_FOR_HOUSE)
        match = await _store_table(service, tx, settings, host, opening, house)
    return service.cache_match(match)


async def _store_table(
    service: Service, tx: Writer, settings: GuildSettings, host: Actor, opening: Opening, house: Sequence[int]
) -> Match:
    """Opens a table in an allowed place, and returns its match.

    The terms say whether the host wants a thread. `house` are the house players who sit down.
    """
    terms = opening.terms
    await require_table_room(tx, opening.guild, host.user)
    await require_together(tx, host.user, host.user, opening.invited, MatchError(Problem.UNAVAILABLE))
    terms = terms._replace(wants_thread=settings.threads.gives_thread(wanted=terms.wants_thread))
    events = table.open_table(opening._replace(terms=terms), host.user, host.now)
    match = replay_match(0, events)
    if match.set_position:
        await service.require_stages_unplayed(tx, host.user, match, [match.fresh_game])
    if house:
        await require_house(tx, settings, opening.guild, host.user)
        sat = table.take_seats(match, house, host.now, service.shuffle)
        match, events = fold_events(match, sat), events + sat
    return replace(match, id=await tx.add_match(match, events, await service.presence.load_players(tx, match)))


async def store_begun_game(tx: Writer, opening: Opening, order: Sequence[int], now: int) -> Match:
    """Begins a game of these users, in seat order, without a table. The server's limits of games do not apply."""
    match, events = table.begin_game(opening, order, now)
    return replace(match, id=await tx.add_match(match, events, await load_people(tx, order)))


async def withdraw_table(service: Service, match_id: int) -> None:
    """Deletes a table that nobody has seen, even if the house has already moved there."""
    async with service.store.write_transaction() as tx:
        match = await service.load_match(tx, match_id)
        moved = (match.players[change.seat] for change in match.changes if change.move)
        alone = match.table.host not in moved and all(
            user == match.table.host or is_house(user) for user in match.table.joined
        )
        if alone and (await tx.load_posts(match_id)).turn is None:
            await tx.run_batch(statements_to_delete_match(service.database_tables, match_id))
    service.drop_from_cache(match_id)


async def open_rematch(
    service: Service, actor: Actor, match_id: int, *, parent: int | None = None, departed: Collection[int] = ()
) -> tuple[Match, bool]:
    """Opens a table for a rematch. Returns it, and whether it is new.

    A match has one rematch at a time: if its table exists, or the game from that table, it is returned. `parent`:
    as for `open_table`. `departed`: players who have left the server; their seats are open to anybody. Also raises
    NOT_OVER, CHANNEL_NOT_ALLOWED, TOO_MANY_OPEN, TOO_MANY_LIVE, and what `require_together` raises.
    """
    async with service.store.write_transaction() as tx:
        over = await service.load_match(tx, match_id, actor.guild)
        opening = table.rematch_opening(over, actor.user)
        old_id = await game_lists.rematch_of(tx, match_id)
        # If the table could not be posted, it has been deleted.
        if await tx.load_head(old_id):
            known = await service.load_match(tx, old_id, actor.guild)
            if known.phase is not Phase.CLOSED:
                return known, False
        opening = opening._replace(invited=tuple(player for player in opening.invited if player not in departed))
        settings = await load_guild_settings(tx, over.guild)
        require_allowed_place(settings, opening.channel, parent)
        house = [user for user in over.players if is_house(user)]
        match = await _store_table(service, tx, settings, actor, opening, house)
        await tx.update_rows("matches", {"id": match_id}, rematch=match.id)
    return service.cache_match(match), True
