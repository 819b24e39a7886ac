"""The house players at work: one game after the other is thought about, in turn, and the move is stored and told.

What is to be done is read from the stored games each time. So a stop at any instant loses no turn, and none is played
twice: a move is stored only on the board that it was thought for.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog
from discord.ext import commands

from bot.core.house_seats import HOUSE_LEVELS, house_level_of
from bot.core.match import Match
from bot.core.offers import wants_draw
from bot.discordkit.reply import now
from bot.house.rows import WaitingGame
from bot.house.service import FairQueue
from bot.play.announcing.context import BotContext
from bot.play.engine import Engine, EngineAway, EngineFailed, EngineStuck
from bot.store import StoreError
from rules import Game, Position, format_move, some_moves

log = structlog.get_logger()

HOUSE_LOOK_INTERVAL_S = 30
"""Seconds after which it looks for games even where nothing has been heard of one."""

ENGINE_AWAY_PAUSES_S = (2, 10, 60)
"""Seconds of rest where the engine is away, each time longer."""

FAILED_GAME_REST_S = 3600
"""Seconds for which a game is left alone in which the house cannot move, whatever the reason."""

AnnounceMatch = Callable[[int], Awaitable[object]]
"""Tells what has happened in a match."""


class HousePlayers(commands.Cog):
    """Thinks for all house players, one game at a time."""

    def __init__(
        self, context: BotContext, engine: Engine, announce: AnnounceMatch, connected: Callable[[], bool]
    ) -> None:
        self._context = context
        self._engine = engine
        self._announce = announce
        self._connected = connected
        self._fair_queue = FairQueue()
        self._failures = 0
        self._resting: dict[int, int] = {}
        self._play_task: asyncio.Task[None] | None = None

    async def cog_load(self) -> None:
        """Begin; the first look waits for the gateway."""
        self._play_task = asyncio.create_task(self._play_forever())

    async def cog_unload(self) -> None:
        """Think no further: what is not stored is thought about anew after the next start."""
        if self._play_task is not None:
            self._play_task.cancel()
            await asyncio.gather(self._play_task, return_exceptions=True)
        await self._engine.close()

    async def _play_forever(self) -> None:
        await self._context.client.wait_until_ready()
        awaited = self._context.service.house_awaited
        while True:
            awaited.clear()
            try:
                while await self.play_one():
                    pass
            except EngineAway as error:  # people's games go on, and their house players move later
                rest = ENGINE_AWAY_PAUSES_S[min(self._failures, len(ENGINE_AWAY_PAUSES_S) - 1)]
                self._failures += 1
                log.warning("the house does not move", error=str(error), again_in=rest)
                await asyncio.sleep(rest)
                continue
            except Exception:  # nobody else would begin it again, and the house would be still until the next start
                log.exception("the house does not move", again_in=HOUSE_LOOK_INTERVAL_S)
                await asyncio.sleep(HOUSE_LOOK_INTERVAL_S)
                continue
            with suppress(TimeoutError):
                await asyncio.wait_for(awaited.wait(), HOUSE_LOOK_INTERVAL_S)

    async def play_one(self) -> bool:
        """Move in the game that is next in turn; whether there was one. Raises EngineAway, or StoreError.

        A game that cannot be moved in is left alone for a while, so that it does not keep the others waiting.
        """
        waiting = await self._context.service.house.games_awaiting_house() if self._connected() else []
        self._resting = {
            match: until for match, until in self._resting.items() if now() < until <= now() + FAILED_GAME_REST_S
        }
        waiting = [game for game in waiting if game.match not in self._resting]
        if not waiting:
            return False
        chosen = self._fair_queue.take_next(waiting)
        try:
            await self._play_in_game(chosen)
        except (EngineAway, StoreError):
            raise
        except Exception:  # whatever is wrong with one game, the others go on
            log.exception("the house does not move", match=chosen.match, again_in=FAILED_GAME_REST_S)
            self._resting[chosen.match] = now() + FAILED_GAME_REST_S
        return True

    async def _play_in_game(self, chosen: WaitingGame) -> None:
        service = self._context.service
        match = await service.current_match(chosen.match, chosen.guild)
        user = match.to_move
        if user is None or not match.house_to_move:
            return  # it has gone on since it was asked
        if match.started_game.claimable_draw and wants_draw(match, user):
            after = await service.house.claim_draw(match.id, user, now())
        else:
            text = await self._choose_move(match, house_level_of(user))
            after = await service.house.play_house_move(match.id, user, match.board_version, text, now())
        self._failures = 0
        if after is None:
            assert (await service.current_match(match.id, match.guild)).seq != match.seq, (
                "it would be thought about for ever"
            )
        elif not after.house_to_move:
            self._context.background.start_task(self._announce_move(match.id))

    async def _choose_move(self, match: Match, level: str) -> str:
        """The move that it plays, the same whenever it is asked on that board. Whatever the engine does, it has one."""
        position, seed = match.started_game.position, match.id * 1000 + match.board_version
        for tried_level in (level, HOUSE_LEVELS[0]):  # also the same again: the machine may have slept
            try:
                move = await self._engine.ask(
                    "choose_move", position, tried_level, seed, history=positions_before_changes(match), urgent=True
                )
            except EngineStuck as error:
                complain = log.error if isinstance(error, EngineFailed) else log.warning
                complain(
                    "the engine finds no move", match=match.id, ply=match.ply, strength=tried_level, error=str(error)
                )
            else:
                return format_move(move, match.variant.board)
        return format_move(random.Random(seed).choice(some_moves(position).moves), match.variant.board)  # noqa: S311 - a game

    async def _announce_move(self, match_id: int) -> None:
        """Best effort: the ticker tells what this could not."""
        try:
            await self._announce(match_id)
        except Exception:  # nobody waits for it
            log.exception("not announced", match=match_id)


def positions_before_changes(match: Match) -> tuple[Position, ...]:
    """The positions before each change of the board that has led to the present one."""
    game, positions = Game.start(match.variant), list[Position]()
    for step in match.steps:
        positions.append(game.position)
        game = step.game_after(game)
    return tuple(positions)
