"""`python -m tests.e2e.hasty`: the whole program with its long waits cut short, and a clock that a test can move.

Nothing else differs from `python -m bot`. HASTY_PACE is by how much its waits and discord.py's are shorter: those for
READY's servers, between tries of a request or a connection, between ticks. HASTY_CLOCK names a file that says what the
clocks are like, see `tests.e2e.machine`: how much later it is, and whether the bot was awake in that time.
HASTY_NAME, where several run, stands in every request to Discord, so that a test knows whose it is.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import aiohttp
import discord.client
import discord.http
import discord.shard
import discord.webhook.async_

from bot import __main__ as program
from bot import client as _client
from bot.client import RoundTable
from bot.discordkit import wall_clock
from bot.house import players as house
from bot.play import context as desk
from bot.play import engine
from bot.play.announcing import outbox, reminding, ticker
from bot.play.service.presence import UNNOTICED_ABSENCE_S, Presence
from tests.e2e.machine import Machine

PACE = float(os.environ.get("HASTY_PACE", "20"))
CLOCK = os.environ.get("HASTY_CLOCK")
NAME = os.environ.get("HASTY_NAME")


class _Hasty:
    """asyncio, but for `sleep`."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    @staticmethod
    async def sleep(seconds: float) -> None:
        """Sleeps for the PACE-th part of that time."""
        await asyncio.sleep(seconds / PACE)


def hurry() -> None:
    """Shortens every wait of the program's own choosing."""
    for module in (discord.client, discord.http, discord.shard, discord.webhook.async_):
        module.asyncio = _Hasty()  # type: ignore[attr-defined]
    outbox.POST_RETRY_PAUSES_S = tuple(pause / PACE for pause in outbox.POST_RETRY_PAUSES_S)  # type: ignore[assignment]  # as short
    reminding.POST_RETRY_PAUSES_S = outbox.POST_RETRY_PAUSES_S  # type: ignore[attr-defined]  # which is imported
    program.CONNECT_RETRY_S /= PACE  # type: ignore[assignment]  # an int that is a float now
    _client.SYNC_WAIT_S /= PACE  # type: ignore[assignment]  # an int that is a float now
    _client.SYNC_RETRY_S /= PACE  # type: ignore[assignment]  # an int that is a float now
    desk.FIRST_EDIT_DELAY_S /= PACE
    desk.OLD_EDIT_PAUSE_S /= PACE  # type: ignore[assignment]  # an int that is a float now
    ticker.TICK_INTERVAL_S /= PACE  # type: ignore[assignment]  # an int that is a float now
    ticker.FAILED_TICK_RETRY_S = min(ticker.FAILED_TICK_RETRY_S, ticker.TICK_INTERVAL_S)
    house.ENGINE_AWAY_PAUSES_S = tuple(pause / PACE for pause in house.ENGINE_AWAY_PAUSES_S)  # type: ignore[assignment]  # as short
    if os.environ.get("ROUNDTABLE_DB", "").startswith("postgres"):
        from bot.store import workers  # its driver is an extra

        workers.IDENTIFY_INTERVAL_S /= PACE
    engine.THOUGHT_TIMEOUT_S /= 4  # the machine may be busy
    engine.START_TIMEOUT_S /= 4
    made = RoundTable.__init__

    def begin(client: RoundTable, *parts: Any) -> None:
        made(client, *parts)
        client._connection.guild_ready_timeout /= PACE

    RoundTable.__init__ = begin  # type: ignore[method-assign, assignment]


def wear(name: str) -> None:
    """Puts that name into every request."""
    opened = aiohttp.ClientSession.__init__

    def open_named(session: aiohttp.ClientSession, **how: Any) -> None:
        opened(session, headers={"X-Worker": name}, **how)

    aiohttp.ClientSession.__init__ = open_named  # type: ignore[method-assign, assignment]  # discord.py names no headers


_there = threading.Event()
"""Set if the bot counts as present during the next jump of the clock."""


def stay_there() -> None:
    """Makes the bot count as present during such jumps, as if it had ticked throughout."""
    noted = Presence.note_present

    async def note(presence: Presence, now: int) -> None:
        if (
            _there.is_set()
            and presence._last_seen_at is not None
            and now - presence._last_seen_at > UNNOTICED_ABSENCE_S
        ):
            presence._last_seen_at = now
            _there.clear()
        await noted(presence, now)

    Presence.note_present = note  # type: ignore[method-assign]  # the one way to note it


def live_by(clock: Path) -> None:
    """Replaces the machine's clocks with those of the file."""

    def note_move(there: bool) -> None:
        (_there.set if there else _there.clear)()

    machine = Machine(clock, Path.cwd(), note_move)
    time.time, wall_clock.steady_seconds = machine.wall_time, machine.steady_time


if __name__ == "__main__":
    hurry()
    if NAME:
        wear(NAME)
    if CLOCK:
        stay_there()
        live_by(Path(CLOCK))
    sys.exit(program.main())
