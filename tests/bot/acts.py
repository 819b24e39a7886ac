"""The acts of people on matches, one function each; all return the match after the act, as the service stored it."""

from __future__ import annotations

from bot.core import leaving, offers, refereeing, table, time_acts, turns
from bot.core.events import Ballot
from bot.core.match import Match
from bot.house.service import House
from bot.play.service import Service
from rules import read_recorded
from tests.bot.playing import GUILD, rename_match


async def move(
    service: Service, match_id: int, guild: int, user: int, text: str, now: int, board_version: int | None = None
) -> Match:
    """Plays a typed move on the present board, or on that of `board_version`."""
    match = await service.current_match(match_id, guild)
    if board_version is not None:
        match.require_turn(user, board_version)
    move = turns.read_move(match, user, text)
    return await service.play_move(match_id, guild, user, move, now, match.board_version)


async def house_move(
    service: Service, match_id: int, user: int, board_version: int, text: str, now: int
) -> Match | None:
    """Plays a house player's move that was chosen on the board of `board_version`."""
    move = read_recorded(text, (await service.current_match(match_id, GUILD)).variant.board)
    return await service.part(House).play_house_move(match_id, user, board_version, move, now)


async def resign(service: Service, match_id: int, guild: int, user: int, now: int, *, call: bool = True) -> Match:
    return await service.act_on_match(
        match_id, guild, lambda match, people: leaving.resign(match, user, now, people, call=call)
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
        match_id, guild, lambda match, _: leaving.propose_substitute(match, user, other, now)
    )


async def offer_draw(service: Service, match_id: int, guild: int, user: int, now: int) -> Match:
    return await service.act_on_match(match_id, guild, lambda match, _: offers.offer_draw(match, user, now))


async def accept_draw(service: Service, match_id: int, guild: int, user: int, now: int) -> Match:
    return await service.act_on_match(match_id, guild, lambda match, _: offers.accept_draw(match, user, now))


async def give_time(service: Service, match_id: int, guild: int, user: int, seconds: int, now: int) -> Match:
    return await service.act_on_match(
        match_id, guild, lambda match, people: time_acts.give_time(match, user, seconds, now, people)
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
        match_id, guild, lambda match, _: rename_match(match, referee, title, reason, now)
    )


async def replace_player(
    service: Service, match_id: int, guild: int, referee: int, user: int, by: int, reason: str, now: int
) -> Match:
    return await service.act_on_match(
        match_id, guild, lambda match, people: refereeing.replace_player(match, referee, user, by, reason, now, people)
    )
