"""Acts of people on matches through the service, one function each; all return the match after the act."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from inspect import signature
from typing import Any

from bot.core import leaving, offers, refereeing, table, time_acts, turns
from bot.core.acts import play_move
from bot.core.events import Event
from bot.core.match import Match
from bot.house.service import House
from bot.play.service import Service
from rules import read_recorded
from tests.bot.playing import GUILD, rename_match


def _act(decide: Callable[..., tuple[Event, ...]]) -> Callable[..., Coroutine[Any, Any, Match]]:
    """Returns the act of that decision: `act(service, match_id, guild, *values)` stores `decide(match, *values)`."""
    takes_people = "people" in signature(decide).parameters

    async def act(service: Service, match_id: int, guild: int | None, *values: object, **named: object) -> Match:
        return await service.act_on_match(
            match_id,
            guild,
            lambda match, people: decide(match, *values, **named, **({"people": people} if takes_people else {})),
        )

    return act


resign = _act(leaving.resign)
leave, decline, cancel = _act(table.leave_table), _act(table.decline_invitation), _act(table.cancel_table)
propose_substitute = _act(leaving.propose_substitute)
offer_draw, accept_draw, decline_draw = _act(offers.offer_draw), _act(offers.accept_draw), _act(offers.decline_draw)
ask_takeback, accept_takeback = _act(offers.ask_takeback), _act(offers.accept_takeback)
give_time = _act(time_acts.give_time)
rewind, abort, annul = _act(refereeing.rewind_match), _act(refereeing.abort_match), _act(refereeing.annul_match)
replace_player, rename = _act(refereeing.replace_player), _act(rename_match)


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
    return await service.part(House).act_for_house(match_id, user, now, play_move, move, board_version)


async def set_thread(service: Service, match_id: int, thread: int | None, now: int) -> Match:
    return await service.act_on_match(match_id, None, lambda match, _: table.move_to_thread(match, thread, now))


async def set_homeless(service: Service, match_id: int, now: int) -> Match:
    return await service.act_on_match(match_id, None, lambda match, _: table.note_channel_lost(match, now))
