"""A disk with a slow fsync, and the delay of moves while many games are due."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path

from bot.core.clock import DAY, Pace
from bot.core.events import Event, Opening, Seating, Terms
from bot.core.fold import replay_match
from bot.core.table import join_table, open_table
from bot.features import make_service
from bot.play.service import Service, upkeep
from bot.store import Store
from rules import VARIANTS, format_move, legal_moves
from tests.bot.playing import by, play_typed

ADA, BO = 1001, 1002
GUILD, CHANNEL = 900, 910
BEGUN = 1_700_000_000
GAMES = 20
"""Games in which people move, in turn."""


async def slow_down(store: Store, seconds: float) -> None:
    """Slows every later commit by that many seconds, on the connection's thread."""

    def wait(statement: str) -> None:
        if statement == "COMMIT":
            time.sleep(seconds)

    await store._write_connection.base.set_trace_callback(wait)


async def waits(path: Path, due: int, fsync: float) -> tuple[list[float], float]:
    """Returns how long each move waits until it is stored while so many games are ticked, and the tick's duration.

    People move in other games, one after the other, ten times a second.
    """
    begun = _begun()
    async with Store.open(path) as store:
        async with store.write_transaction() as tx:
            for _ in range(due):
                await tx.add_match(replay_match(0, begun), begun)
            moved_in = [await tx.add_match(replay_match(0, begun), begun) for _ in range(GAMES)]
        service, now = make_service(store), BEGUN + 30 * DAY
        await upkeep.tick_matches(service, BEGUN)
        async with store.write_transaction() as tx:  # games with moves are not due
            await tx.run_sql("UPDATE matches SET deadline = NULL WHERE id >= ?", (moved_in[0],))
        await slow_down(store, fsync)
        started = time.perf_counter()
        ticking = asyncio.create_task(upkeep.tick_matches(service, now))
        waited: list[float] = []
        while not ticking.done():
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(ticking), 0.1)
                break
            asked = time.perf_counter()
            await _move(service, moved_in[len(waited) % GAMES])
            waited.append(time.perf_counter() - asked)
        took = time.perf_counter() - started
        assert len(await ticking) == due
    return waited, took


async def _move(service: Service, number: int) -> None:
    match = await service.current_match(number, GUILD)
    assert match.to_move is not None
    user, text = match.to_move, format_move(legal_moves(match.started_game.position)[0], match.variant.board)
    await service.change_match(
        number, GUILD, lambda match, people: play_typed(match, user, text, BEGUN + 1, people=people)
    )


def _begun() -> list[Event]:
    """Returns a game that has just begun, with a clock."""
    opening = Opening(GUILD, CHANNEL, Terms(VARIANTS["camelot"], Seating.JOIN_ORDER, False, Pace.FAST, False))
    events = list(open_table(opening, ADA, BEGUN))
    return [*events, *join_table(replay_match(0, events), by(BO, BEGUN), lambda _: None)]
