"""Acts of people on matches through the service, one function each; all return the match after the act."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from bot.core import acts, deadlines, table, turns
from bot.core.deadlines import Actor
from bot.core.match import Match, MessageRef
from bot.core.problems import MatchError
from bot.play.service import Service
from rules import read_recorded
from tests.bot.answers import ANSWERED
from tests.bot.playing import GUILD, by, rename_match


def _act(kind: Callable[..., acts.Act]) -> Callable[..., Coroutine[Any, Any, Match]]:
    """Returns a function that does such an act, `act(service, match_id, guild, user, *fields, now)`."""

    async def act(
        service: Service, match_id: int, guild: int | None, user: int, *fields_and_now: Any, **fields: Any
    ) -> Match:
        *first, now = fields_and_now
        return await service.act(Actor(user, now, guild), match_id, kind(*first, **fields))

    return act


join_table, leave, decline, cancel = map(
    _act, (acts.JoinTable, acts.LeaveTable, acts.DeclineInvitation, acts.CancelTable)
)
seat_house_players, promise_house = _act(acts.SeatHousePlayers), _act(acts.PromiseHouse)
move_to_channel, propose_substitute, hand_over = map(_act, (acts.MoveToChannel, acts.ProposeSubstitute, acts.HandOver))
offer_draw, ask_takeback, ask_pause = map(_act, (acts.OfferDraw, acts.AskTakeback, acts.AskPause))
accept_draw, accept_takeback, accept_substitute, accept_pause = (
    _act(partial(acts.AcceptRequest, kind)) for kind in ANSWERED
)
decline_draw, decline_takeback, decline_substitute, _ = (_act(partial(acts.DeclineRequest, kind)) for kind in ANSWERED)
give_time, claim_timeout, take_over = map(_act, (acts.GiveTime, acts.ClaimTimeout, acts.TakeOver))
cast_vote, replace_player, play_move = map(_act, (acts.CastVote, acts.ReplacePlayer, acts.PlayMove))
rewind, abort, annul, resign = map(_act, (acts.RewindMatch, acts.AbortMatch, acts.AnnulMatch, acts.Resign))


async def rename(service: Service, match_id: int, referee: int, title: str, reason: str, now: int) -> Match:
    return await service.change_match(match_id, lambda match, _: rename_match(match, by(referee, now), title, reason))


async def move(
    service: Service, match_id: int, guild: int, user: int, text: str, now: int, board_version: int | None = None
) -> Match:
    """Plays a typed move on the present board, or on that of `board_version`."""
    match = await service.current_match(match_id, guild)
    if board_version is not None:
        match.require_turn(user, board_version)
    move = turns.read_move(match, user, text)
    return await play_move(service, match_id, guild, user, move, match.board_version, now)


async def house_move(
    service: Service, match_id: int, user: int, board_version: int, text: str, now: int
) -> Match | None:
    """Plays a house player's move that was chosen on the board of `board_version`; None if that is refused."""
    move = read_recorded(text, (await service.current_match(match_id, GUILD)).variant.board)
    try:
        return await play_move(service, match_id, None, user, move, board_version, now)
    except MatchError:
        return None


async def set_thread(service: Service, match_id: int, thread: int | None, now: int) -> Match:
    return await service.change_match(match_id, lambda match, _: table.move_to_thread(match, thread, now))


async def set_homeless(service: Service, match_id: int, now: int) -> Match:
    return await service.change_match(match_id, lambda match, _: table.note_channel_lost(match, now))


async def mark_announced(service: Service, match_id: int, seq: int, post: MessageRef | None = None) -> Any:
    """Notes that everything up to that event is announced, as the announcer does."""
    async with service.store.write_transaction(durable=False) as tx:
        return await service.mark_announced(tx, match_id, seq, post)


async def time_runs_out_at(service: Service, match: Match) -> int | None:
    """Returns when the player to move runs out of time or of grace."""
    return deadlines.time_runs_out_at(match, await service.players_of(match))
