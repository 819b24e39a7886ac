"""Games for the tests of the tick, their stored events, and a ticker that announces nothing."""

from __future__ import annotations

import asyncio
from email.utils import formatdate
from types import SimpleNamespace
from typing import Any

from bot.core.clock import DAY
from bot.core.events import Event
from bot.core.match import Match
from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.discordkit.wall_clock import WallClock
from bot.features import FEATURES, PLAY
from bot.play.announcing import ticker
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.ticker import Jobs
from bot.play.context import JobKind, feature_work
from bot.play.service import Service, upkeep
from tests.bot.beginning import begun
from tests.bot.contexts import make_context, run_jobs
from tests.bot.playing import GUILD, NOW


async def no_page() -> None:
    """Stands in for the metrics page; counts nothing."""


class StandInOutbox(Announcer):
    """Announces a match by calling a function."""

    def __init__(self, context: Any, announce: Any) -> None:
        super().__init__(context)
        self.post_due = announce


def a_ticker(
    service: Service, announce: Any = None, ready: asyncio.Event | None = None, timings: Timings = DEFAULT_TIMINGS
) -> ticker.Ticker:
    """Returns a ticker of that service, with stand-ins for the rest of the client."""
    client = SimpleNamespace(wait_until_ready=ready.wait if ready else None, guilds=())
    parts = make_context(service, client=client, features=(PLAY, *FEATURES), timings=timings)
    parts.reaches_server, parts.is_partly_connected = {GUILD}.__contains__, False
    wall_clock = WallClock()
    wall_clock.note_date(formatdate(usegmt=True))
    made = ticker.Ticker(parts, wall_clock)
    made._outboxes["news of games"] = StandInOutbox(parts, announce)
    return made


async def do_jobs(context: Any) -> None:
    """Does all jobs that are due, as the bot does them."""
    await run_jobs(Jobs(context, feature_work((PLAY, *FEATURES), JobKind)), context)


async def story(service: Service, match_id: int) -> list[Event]:
    """Returns the stored events of a match."""
    return [*await service.reader.load_events(match_id)]


async def graced(service: Service, *, ladder: bool = True) -> Match:
    """Begins a game, uses up Ada's bank by NOW + DAY with the bot online, and returns the match."""
    match = await begun(service, ladder=ladder)
    await service.presence.note_present(NOW + DAY)
    await upkeep.tick_matches(service, NOW + DAY)
    return match
