"""Helpers for the tests of ladders through the service: people on a ladder, and games played to their end."""

from __future__ import annotations

from functools import partial

from bot.core.clock import DAY
from bot.core.deadlines import Actor
from bot.core.match import Match
from bot.ladder import acts as ladder_acts
from bot.ladder import service as ladders
from bot.ladder.rows import list_ladders, load_ladder, load_story, replay_ladder
from bot.ladder.state import LadderId
from bot.ops.rebuild import rebuild_all
from bot.play.service import Service
from rules import legal_moves
from tests.bot import acts
from tests.bot.playing import CHANNEL, GUILD, NOW, existing

CAMELOT, TRI = LadderId(GUILD, "camelot"), LadderId(GUILD, "tri-camelot")


async def join(service: Service, *users: int, place: LadderId = CAMELOT) -> None:
    """Has the users join the ladder."""
    for user in users:
        await ladders.act_on_ladder(service, Actor(user, NOW), place, ladder_acts.join_ladder, CHANNEL)


async def leave(service: Service, user: int, now: int) -> None:
    """Has the user leave the ladder."""
    await ladders.act_on_ladder(service, Actor(user, now), CAMELOT, ladder_acts.leave_ladder)


async def challenge(service: Service, one: int, two: int, now: int = NOW, place: LadderId = CAMELOT) -> int:
    """Has `one` challenge `two`; returns the number of the challenge's entry."""
    act = partial(ladder_acts.challenge_climber, other=two)
    await ladders.act_on_ladder(service, Actor(one, now), place, act, CHANNEL)
    return (await load_ladder(service.reader, place)).seq


async def challenged(service: Service, one: int, two: int, now: int = NOW) -> Match:
    """Has `one` challenge `two`, who accepts; returns the match."""
    seq = await challenge(service, one, two, now)
    return await ladders.accept_challenge(service, Actor(two, now), CAMELOT, seq)


async def play(service: Service, match: Match, now: int, plies: int = 12) -> Match:
    """Plays the first legal move so many times and returns the match."""
    for _ in range(plies):
        user, move = existing(match.to_move), legal_moves(match.started_game.position)[0]
        match = await acts.play_move(service, match.id, GUILD, user, move, match.board_version, now)
    return match


async def won(service: Service, match: Match, winner: int, now: int) -> Match:
    """Plays some moves, has everybody but the winner resign, and returns the match."""
    match = await play(service, match, now)
    for user in [user for user in match.players if user != winner]:
        if match.is_live:
            match = await acts.resign(service, match.id, GUILD, user, now)
    assert match.winners == (winner,)
    return match


async def queue(service: Service, *users: int, place: LadderId, now: int = NOW) -> list[Match]:
    """Queues the users in order; returns the matches that begin."""
    begun: list[Match] = []
    for user in users:
        begun += await ladders.switch_queue(service, Actor(user, now), place, lambda: CHANNEL) or ()
    return begun


async def rungs(service: Service, place: LadderId = CAMELOT) -> dict[int, int]:
    """Returns the rung of every user in the ladder's table."""
    standings = await ladders.load_standings(service, place, NOW + DAY)
    return {climber.user: climber.rung for climber, _ in standings.rows}


async def agrees(service: Service) -> bool:
    """Returns True if everything derived equals what is rebuilt from the stored events and entries."""
    for ladder_id in await list_ladders(service.reader):
        stored = await load_ladder(service.reader, ladder_id), await load_story(service.reader, ladder_id)
        assert stored == await replay_ladder(service.reader, ladder_id)
    return not (await rebuild_all(service, write=False)).differing
