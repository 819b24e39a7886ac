"""Opens tables and rematches."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from bot.core import table
from bot.core.deadlines import Actor
from bot.core.events import Opening, Terms
from bot.core.fold import fold_events, replay_match
from bot.core.house_seats import is_house
from bot.core.match import Match, Phase
from bot.core.problems import Problem
from bot.core.table import TableOptions
from bot.play.service.matches import Service, require_allowed_place, require_house, require_table_room, require_together
from bot.store import game_lists
from bot.store.database_tables import statements_to_delete_match
from bot.store.servers import load_guild_settings
from rules import VARIANTS


async def open_table(
    service: Service, host: Actor, channel: int, options: TableOptions, parent: int | None = None
) -> Match:
    """Opens a table with its host, reserves seats for the people invited, and returns the match.

    `parent`: the parent channel if `channel` is a thread. Also raises CHANNEL_NOT_ALLOWED, NO_SUCH_SEAT,
    NO_SEAT_FOR_HOUSE, and what `require_table_room`, `require_house` and `require_together` raise.
    """
    user, now, guild, _ = host
    assert guild is not None
    async with service.store.write_transaction() as tx:
        settings = await load_guild_settings(tx, guild)
        require_allowed_place(settings, channel, parent)
        await require_table_room(tx, guild, user)
        await require_together(tx, user, user, options.invited)
        variant, seat = VARIANTS[options.variant], options.seat
        terms = Terms(
            variant,
            options.seating,
            settings.threads.gives_thread(wanted=options.thread),
            options.pace or settings.pace,
            options.ladder,
            options.vacations,
            order=table.seat_order_with(variant, user, seat) if seat is not None else (),
        )
        opening = Opening(guild, channel, terms, options.invited, position=options.position)
        if opening.position:
            await service.require_unplayed(tx, user, [opening.position])
        events = table.open_table(opening, user, now)
        match = replay_match(0, events)
        if options.house:
            match.refuse_if(not match.free_seats, Problem.NO_SEAT_FOR_HOUSE)
            await require_house(service, tx, settings, guild, user)
            sat = table.seat_house_players(match, host, options.house, match.free_seats, service.shuffle)
            match, events = fold_events(match, sat), events + sat
        match_id = await tx.add_match(match, events, await service.presence.load_players(tx, match))
    return service.cache_match(replace(match, id=match_id))


async def withdraw_table(service: Service, match_id: int) -> None:
    """Deletes a table that nobody has seen, even if the house has already moved there."""
    async with service.store.write_transaction() as tx:
        match = await service.load_match(tx, match_id)
        moved = (match.players[step.seat] for step in match.changes if step.move)
        alone = match.table.host not in moved and all(
            user == match.table.host or is_house(user) for user in match.table.joined
        )
        if alone and (await tx.load_posts(match_id)).turn is None:
            await tx.run_batch(statements_to_delete_match(service.tables, match_id))
    service.drop_from_cache(match_id)


async def open_rematch(
    service: Service, actor: Actor, match_id: int, *, parent: int | None = None, departed: Collection[int] = ()
) -> tuple[Match, bool]:
    """Opens a table for a rematch. Returns it, and whether it is new.

    A match has one rematch at a time: if its table exists, or the game from that table, it is returned. `parent`:
    as for `open_table`. `departed`: players who have left the server; their seats are open to anybody. Also raises
    NOT_OVER, CHANNEL_NOT_ALLOWED, TOO_MANY_OPEN, TOO_MANY_LIVE, and what `require_together` raises.
    """
    user, guild = actor.user, actor.guild
    async with service.store.write_transaction() as tx:
        over = await service.load_match(tx, match_id, guild)
        opening = table.rematch_opening(over, user)
        old_id = await game_lists.rematch_of(tx, match_id)
        # If the table could not be posted, it has been deleted.
        if (
            await tx.load_head(old_id)
            and (known := await service.load_match(tx, old_id, guild)).phase is not Phase.CLOSED
        ):
            return known, False
        settings = await load_guild_settings(tx, over.guild)
        require_allowed_place(settings, opening.channel, parent)
        await require_table_room(tx, over.guild, user)
        await require_together(tx, user, user, opening.invited)
        wants_thread = settings.threads.gives_thread(wanted=opening.terms.wants_thread)
        opening = opening._replace(
            terms=opening.terms._replace(wants_thread=wants_thread),
            invited=tuple(player for player in opening.invited if player not in departed),
        )
        if opening.position:
            await service.require_unplayed(tx, user, [opening.position])
        events = table.open_table(opening, user, actor.now)
        match = replay_match(0, events)
        if house_events := table.seat_house_for_rematch(match, over, actor.now, service.shuffle):
            await require_house(service, tx, settings, over.guild, user)
            match, events = fold_events(match, house_events), events + house_events
        table_id = await tx.add_match(match, events, await service.presence.load_players(tx, match))
        await tx.update_rows("matches", {"id": match_id}, rematch=table_id)
    return service.cache_match(replace(match, id=table_id)), True
