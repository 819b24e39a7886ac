"""The moves of house players, which the engine chooses for one game at a time.

The games to move in are read from the store each time. So a stop at any moment loses no turn and plays none twice: a
move is stored only on the board that it was chosen for.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress

import structlog
from discord.ext import commands

from bot.core.acts import Act, OfferDraw, PlayMove
from bot.core.deadlines import Actor
from bot.core.house_seats import HOUSE_LEVELS, house_level_of
from bot.core.match import Match, replay_changes
from bot.core.offers import wants_draw
from bot.core.problems import MatchError
from bot.discordkit.reply import now
from bot.play.announcing.announcer import Announcer
from bot.play.background import compute_beside
from bot.play.context import BotContext
from bot.play.engine import EngineAway, EngineStuck
from bot.store import Reader
from bot.store.game_lists import HOUSE_IDS_SQL
from bot.store.matches import REACHABLE_SQL
from rules import Move, some_moves

MAX_WAITING_GAMES = 500
"""Most waiting games that one call returns."""


async def waiting_games(reader: Reader) -> list[tuple[int, int]]:
    """Returns match and server of the games in which a house player is to move and the server can be reached, the
    longest waiting first.
    """
    waiting = f"to_move {HOUSE_IDS_SQL} AND {REACHABLE_SQL} ORDER BY moved_at, id LIMIT {MAX_WAITING_GAMES}"
    return await reader.run_sql(f"SELECT id, guild FROM matches WHERE {waiting}")


log = structlog.get_logger()


class HousePlayers(commands.Cog):
    """Moves for all house players, one game at a time."""

    def __init__(self, context: BotContext) -> None:
        self._context = context
        self._play_task: asyncio.Task[None] | None = None

    async def cog_load(self) -> None:
        """Starts; the first look waits for the gateway."""
        self._play_task = asyncio.create_task(self._play_forever())

    async def cog_unload(self) -> None:
        """Stops. A move that is not stored is chosen again after the next start."""
        if self._play_task is not None:
            self._play_task.cancel()
            await asyncio.gather(self._play_task, return_exceptions=True)
        await self._context.engine.close()

    async def _play_forever(self) -> None:
        await self._context.client.wait_until_ready()
        service, interval = self._context.service, self._context.timings.house_look_interval_s
        while True:
            service.house_awaited.clear()
            with service.attempts.contain_failures("house players"):
                await self.play_waiting_games()
            with suppress(TimeoutError):
                await asyncio.wait_for(service.house_awaited.wait(), interval)

    async def play_waiting_games(self) -> None:
        """Moves in the games that wait, until none is left. A game in which the house cannot move is left for the next
        look, so that it does not delay the others; if the engine is away, all are.
        """
        service, failed = self._context.service, set[int]()
        while self._context.is_connected():
            waiting = [game for game in await waiting_games(service.reader) if game[0] not in failed]
            if not waiting:
                return
            match_id, guild = waiting[0]
            failed.add(match_id)
            with service.attempts.contain_failures("moves of house players", match=match_id):
                try:
                    await self._play_in_game(match_id, guild)
                    failed.discard(match_id)
                except EngineAway as error:  # games of people continue; house players move later
                    log.warning("the house does not move", error=str(error))
                    return

    async def _play_in_game(self, match_id: int, guild: int) -> None:
        service = self._context.service
        match = await service.current_match(match_id, guild)
        user = match.to_move
        if user is None or not match.house_to_move:
            return  # the game has changed since the list was read
        act: Act = OfferDraw()  # claims it
        if not match.started_game.claimable_draw or not wants_draw(match, user):
            act = PlayMove(await self._choose_move(match, house_level_of(user)), match.board_version)
        try:  # on the board that the engine thought about only, so no turn is played twice
            after = await service.act(Actor(user, now()), match.id, act)
        except MatchError:  # a move was taken back, or the game has ended: else it would be chosen again and again
            assert (await service.current_match(match.id, match.guild)).seq != match.seq
            return
        if not after.house_to_move:
            self._context.background.start_task(Announcer(self._context).announce_subject(match.id))

    async def _choose_move(self, match: Match, level: str) -> Move:
        """Returns the house player's move, always the same one for the same board. If the engine fails,
        any legal move.
        """
        for tried in (level, HOUSE_LEVELS[0]):  # twice for the lowest level: the machine may have slept
            try:
                return await choose_move(self._context, match, tried)
            except EngineStuck as error:
                log.warning("the engine finds no move", match=match.id, ply=match.ply, strength=tried, error=str(error))
        return random.Random(match.seq).choice(some_moves(match.started_game.position).moves)  # noqa: S311 - a game


async def choose_move(context: BotContext, match: Match, level: str) -> Move:
    """Returns the engine's move at that level, always the same one for the same board. Raises EngineError."""
    seed = match.id * 1000 + match.board_version
    history = await compute_beside(lambda: tuple(replayed.before.position for replayed in replay_changes(match)))
    position = match.started_game.position
    move: Move = await context.engine.ask("choose_move", position, level, seed, history=history, urgent=True)
    return move
