"""What happens unasked: a loop that ticks, and a loop that posts. Neither waits for the other."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Sequence
from typing import Any

import structlog
from discord.ext import commands

from bot.discordkit.reply import now
from bot.discordkit.wall_clock import WALL_CLOCK, WallClock
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.outbox import Outbox
from bot.play.context import Beside, BotContext, JobKind, OnTick, Posting, feature_work
from bot.play.gateway_events import Places
from bot.play.jobs import Jobs
from bot.play.service import Service
from bot.play.service.upkeep import delete_abandoned, tick_matches

log = structlog.get_logger()

LANES_AT_ONCE = 25
"""Lanes that post at once. After `lane_turn_s` a lane no longer counts as one of them."""

AnyOutbox = Outbox[Any, Any]
DueSubject = tuple[AnyOutbox, object]
"""A subject with something to announce, and the outbox that announces it."""


class Ticker(commands.Cog):
    """Does what is due, and posts what a crash or an outage has kept back.

    Ticking only stores: it gives the same result late, twice or after days of downtime. Then it wakes the posting loop.
    The posting loop has a lane for each place with something to announce: posts in a lane go one after another, and all
    lanes run at once. A lane that Discord limits waits alone and lets the others pass.
    """

    def __init__(
        self,
        context: BotContext,
        announcer: Announcer,
        places: Places,
        clock: WallClock = WALL_CLOCK,
    ) -> None:
        self._context = context
        self._timings = context.timings
        self._places = places
        self._clock = clock
        self._loops: list[asyncio.Task[None]] = []
        self._lanes: dict[Hashable, asyncio.Task[None]] = {}
        self._lane_slots = asyncio.Semaphore(LANES_AT_ONCE)
        self._resting: dict[tuple[AnyOutbox, Hashable], int] = {}
        """When a subject that could not be posted is tried again; a match and a league may have the same number."""
        self._outboxes: dict[str, AnyOutbox] = {"news of games": announcer}
        self._outboxes |= {posting.name: posting.make(context) for posting in feature_work(context.features, Posting)}
        self._run_at = dict[str, int]()
        """When work that is not done at each tick was last done, by name."""
        self.jobs = Jobs(context, feature_work(context.features, JobKind))
        self._tick_due_at = 0.0

    @property
    def seconds_overdue(self) -> float:
        """Seconds since a tick has been due; negative while none is due. Needs a started ticker."""
        return asyncio.get_running_loop().time() - self._tick_due_at

    async def cog_load(self) -> None:
        """Starts the loops; the first tick waits for the gateway."""
        self._tick_due_at = asyncio.get_running_loop().time()
        loops = self._tick_forever(), self._post_forever(), self.jobs.run_forever()
        self._loops = [asyncio.create_task(loop) for loop in loops]

    async def cog_unload(self) -> None:
        """Starts nothing more, and waits a moment for posts in progress."""
        begun = [*self._loops, *self._lanes.values()]
        for task in begun:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
        await self._context.background.finish_tasks(self._timings.last_posts_wait_s)

    async def _tick_forever(self) -> None:
        """Ticks forever.

        Uses the monotonic clock. discord.py's own loop uses the wall clock: it would rest for an hour after a jump back
        by an hour, and tick without a pause after a jump forward until it had caught up.
        """
        await self._context.client.wait_until_ready()  # before that, channels are unknown and the bot cannot be reached
        while True:
            self._tick_due_at = asyncio.get_running_loop().time() + self._timings.tick_interval_s
            with self._context.service.attempts.contain_failures("tick"):
                await self.tick()
            await asyncio.sleep(self._timings.tick_interval_s)

    async def tick(self) -> None:
        """Does what is due, each part in its own `try`, and wakes the posting loop."""
        if not self._context.is_connected():
            return  # nobody can move now, and nobody could be told
        service, believed = self._context.service, False
        with service.attempts.contain_failures("clock"):
            believed = await self._clock.check_time()
        with service.attempts.contain_failures("presence"):
            if self._context.is_partly_connected:
                await service.presence.check_servers(self._context.reaches_server, now())
            await service.presence.note_present(now())
            # Nothing falls due before the bot's own absences are known.
            await self._tick_parts(service, believed=believed)
        self._context.announcements_due.set()

    async def _tick_parts(self, service: Service, *, believed: bool) -> None:
        with service.attempts.contain_failures("servers that are back"):
            # If the disk did not take the note that a server is back, no other event would make it.
            await service.presence.note_servers_found(self._context.reaches_server, now())
        with service.attempts.contain_failures("lost places"):
            await self._places.try_lost_places()
        if not believed:
            return  # a wrong clock must not decide anything irreversible
        with service.attempts.contain_failures("upkeep"):
            await tick_matches(service, now())
        for work in feature_work(self._context.features, OnTick):
            if not 0 <= now() - self._run_at.get(work.name, -work.every_s) < work.every_s:
                with service.attempts.contain_failures(work.name):
                    await work.run(self._context, now())
                    self._run_at[work.name] = now()
        with service.attempts.contain_failures("deletions"):
            present = {guild.id for guild in self._context.client.guilds}
            for guild in await delete_abandoned(service, now(), present):
                self._context.servers.forget_server(guild)
                log.info("server deleted", server=guild)

    async def _post_forever(self) -> None:
        """Posts forever what is unannounced: after each tick, and whenever an act causes news in several places."""
        while True:
            await self._context.announcements_due.wait()
            self._context.announcements_due.clear()
            self._context.jobs_due.set()
            await self.open_lanes()

    async def open_lanes(self) -> None:
        """Opens a lane for each place with something to announce, unless it still has one."""
        service, due_subjects = self._context.service, dict[Hashable, list[DueSubject]]()
        for name, outbox in self._outboxes.items():
            with service.attempts.contain_failures(name):
                for place, subject in await outbox.due_subjects():
                    due_subjects.setdefault(place, []).append((outbox, subject))
        rest, due = self._timings.unpostable_rest_s, {one for subjects in due_subjects.values() for one in subjects}
        self._resting = {
            key: until for key, until in self._resting.items() if key in due and now() < until <= now() + rest
        }
        for place, subjects in due_subjects.items():
            if place not in self._lanes:
                self._lanes[place] = asyncio.create_task(self._announce_lane(place, subjects))
        for work in feature_work(self._context.features, Beside):
            if work.name not in self._lanes:
                self._lanes[work.name] = asyncio.create_task(self._run_beside(work))

    async def _run_beside(self, work: Beside) -> None:
        try:
            running = self._context.background.start_task(work.run(self._context, now()))
            await asyncio.wait({running})
            if not running.cancelled():
                with self._context.service.attempts.contain_failures(work.name):
                    running.result()
        finally:
            del self._lanes[work.name]

    async def _announce_lane(self, place: Hashable, subjects: Sequence[DueSubject]) -> None:
        """Announces the subjects one after another. A failure does not stop the following ones."""
        try:
            for outbox, subject in subjects:
                async with self._lane_slots:
                    announcing = self._context.background.start_task(self._announce_unless_resting(outbox, subject))
                    await asyncio.wait({announcing}, timeout=self._timings.lane_turn_s)
                await asyncio.wait({announcing})
        finally:
            del self._lanes[place]

    async def _announce_unless_resting(self, outbox: AnyOutbox, subject: Hashable) -> None:
        """Announces the subject unless it rests."""
        if not self._context.is_connected() or (outbox, subject) in self._resting:
            return
        log_values = outbox.log_fields(subject)
        trouble = await outbox.post_due(subject)
        if trouble and (trouble.until or not trouble.obstacle.is_temporary):
            log.warning("cannot post", where=trouble.where, missing=trouble.missing, **log_values)
            rested = now() + self._timings.unpostable_rest_s
            self._resting[outbox, subject] = min(rested, trouble.until or rested)
