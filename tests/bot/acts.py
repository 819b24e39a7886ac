"""What people do with matches, as the commands do it: a decision, which the service stores."""

from __future__ import annotations

from bot.core import offers, refereeing, table, timing, turns, vacancy
from bot.core.events import Ballot
from bot.core.match import Match
from bot.play.service import Service


async def move(
    service: Service, match_id: int, guild: int, user: int, text: str, now: int, board_version: int | None = None
) -> Match:
    return await service.play_move(match_id, guild, user, text, now, board_version)


async def resign(service: Service, match_id: int, guild: int, user: int, now: int, *, call: bool = True) -> Match:
    return await service.act_on_match(
        match_id, guild, lambda match, people: turns.resign(match, user, now, people, call=call)
    )


async def leave(service: Service, match_id: int, guild: int, user: int, now: int) -> Match:
    return await service.act_on_match(match_id, guild, lambda match, _: table.leave_table(match, user, now))


async def decline(service: Service, match_id: int, guild: int, user: int, now: int) -> Match:
    return await service.act_on_match(match_id, guild, lambda match, _: table.decline_invitation(match, user, now))


async def cancel(service: Service, match_id: int, guild: int, user: int, now: int) -> Match:
    return await service.act_on_match(match_id, guild, lambda match, _: table.cancel_table(match, user, now))


async def set_thread(service: Service, match_id: int, thread: int | None, now: int) -> Match:
    return await service.act_on_match(match_id, None, lambda match, _: table.move_to_thread(match, thread, now))


async def set_homeless(service: Service, match_id: int, now: int) -> Match:
    return await service.act_on_match(match_id, None, lambda match, _: table.note_channel_lost(match, now))


async def vote(service: Service, match_id: int, guild: int, user: int, ballot: Ballot, now: int) -> Match:
    return await service.cast_vote(match_id, guild, user, ballot, now)


async def propose_substitute(service: Service, match_id: int, guild: int, user: int, other: int, now: int) -> Match:
    return await service.act_on_match(
        match_id, guild, lambda match, _: vacancy.propose_substitute(match, user, other, now)
    )


async def offer_draw(service: Service, match_id: int, guild: int, user: int, now: int) -> Match:
    return await service.act_on_match(match_id, guild, lambda match, _: offers.offer_draw(match, user, now))


async def accept_draw(service: Service, match_id: int, guild: int, user: int, now: int) -> Match:
    return await service.act_on_match(match_id, guild, lambda match, _: offers.accept_draw(match, user, now))


async def give_time(service: Service, match_id: int, guild: int, user: int, seconds: int, now: int) -> Match:
    return await service.act_on_match(
        match_id, guild, lambda match, people: timing.give_time(match, user, seconds, now, people)
    )


async def rewind(service: Service, match_id: int, guild: int, referee: int, ply: int, reason: str, now: int) -> Match:
    return await service.act_on_match(
        match_id, guild, lambda match, _: refereeing.rewind_match(match, referee, ply, reason, now)
    )


async def abort(service: Service, match_id: int, guild: int, referee: int, reason: str, now: int) -> Match:
    return await service.act_on_match(
        match_id, guild, lambda match, _: refereeing.abort_match(match, referee, reason, now)
    )


async def annul(service: Service, match_id: int, guild: int, referee: int, reason: str, now: int) -> Match:
    return await service.act_on_match(
        match_id, guild, lambda match, _: refereeing.annul_match(match, referee, reason, now)
    )


async def rename(service: Service, match_id: int, guild: int, referee: int, title: str, reason: str, now: int) -> Match:
    return await service.act_on_match(
        match_id, guild, lambda match, _: refereeing.rename_match(match, referee, title, reason, now)
    )


async def replace_player(
    service: Service, match_id: int, guild: int, referee: int, user: int, by: int, reason: str, now: int
) -> Match:
    return await service.act_on_match(
        match_id, guild, lambda match, people: refereeing.replace_player(match, referee, user, by, reason, now, people)
    )
