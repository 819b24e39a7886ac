"""What happens without anybody asking: a loop that ticks, and a loop that posts. Neither waits for the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import structlog
from discord.ext import commands

from bot.discordkit.reply import now
from bot.discordkit.wall_clock import WALL_CLOCK, WallClock
from bot.ladder.posts import LadderAnnouncer
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.context import BotContext
from bot.play.announcing.outbox import Outbox
from bot.play.places.footing import note_shut_ladders
from bot.play.places.places import Places
from bot.play.service import Service
from bot.puzzles.posts import PuzzleAnnouncer, mine_next_game
from bot.seeking.posts import call_seekers

log = structlog.get_logger()

TICK_INTERVAL_S = 30
"""Seconds between ticks."""

FAILED_TICK_RETRY_S = 5
"""The same after one that has failed: what kept it from its work, such as somebody else's transaction, may be over."""

UNPOSTABLE_REST_S = 3600
"""Seconds for which a game is left alone whose place cannot be posted to; its players' next move tries again."""

LANES_AT_ONCE, LANE_TURN_S = 25, 1
"""How many lanes post at once, and for how many seconds each counts as one of them: who takes longer waits for Discord,
and as many others may go on."""

LAST_POSTS_WAIT_S = 2
"""Seconds for which a stop waits for posts that are on their way."""

PUZZLE_LANE = "puzzles"
"""Stands before a server's number in the name of the lane of its puzzles."""

MINING_LANE = "mill"
"""The lane in which finished games are looked through for puzzles."""

SEEKER_LANE = "seekers"
"""The lane of those who look for a game."""

DueSubject = tuple[Outbox[Any, Any], Any]
"""A subject of which there is something to tell, and the outbox that tells it."""


class Ticker(commands.Cog):
    """Does what is due by itself, and posts what a crash or an outage has kept from being posted.

    Ticking only stores: late, doubled or after days down, it gives the same result. Then it wakes the loop that posts.
    That one has a lane for each place where something is to be told: in a lane one after the other, all lanes at once.
    A lane whose place Discord limits waits there by itself and lets the others pass.
    """

    def __init__(
        self,
        context: BotContext,
        announcer: Announcer,
        ladder_announcer: LadderAnnouncer,
        places: Places,
        connected: Callable[[], bool],
        clock: WallClock = WALL_CLOCK,
    ) -> None:
        self._context = context
        self._announcer = announcer
        self._ladder_announcer = ladder_announcer
        self._places = places
        self._puzzle_announcer = PuzzleAnnouncer(context)
        self._connected = connected
        self._clock = clock
        self._loops: list[asyncio.Task[None]] = []
        self._lanes: dict[Hashable, asyncio.Task[None]] = {}
        self._lane_slots = asyncio.Semaphore(LANES_AT_ONCE)
        self._resting: dict[Hashable, int] = {}
        self._tick_due_at = 0.0

    @property
    def seconds_overdue(self) -> float:
        """For how many seconds a tick has been due; below 0 while none is. Only once it has been started."""
        return asyncio.get_running_loop().time() - self._tick_due_at

    async def cog_load(self) -> None:
        """Start both loops; the first tick waits for the gateway."""
        self._tick_due_at = asyncio.get_running_loop().time()
        self._loops = [asyncio.create_task(self._tick_forever()), asyncio.create_task(self._post_forever())]

    async def cog_unload(self) -> None:
        """Begin nothing more, and give what is on its way a moment."""
        begun = [*self._loops, *self._lanes.values()]
        for task in begun:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
        await self._context.background.finish_tasks(LAST_POSTS_WAIT_S)

    async def _tick_forever(self) -> None:
        """Tick for ever.

        By the monotonic clock: discord.py's own loop reckons with the wall clock, so that after an hour's jump back it
        would rest for an hour, and after a jump forward tick without a pause until it has caught up.
        """
        await self._context.client.wait_until_ready()  # channels are not known before, and the bot is not there
        while True:
            self._tick_due_at = asyncio.get_running_loop().time() + TICK_INTERVAL_S
            attempts = self._context.service.attempts
            attempts.failed = False
            with attempts.contain_failures("tick"):
                await self.tick()
            await asyncio.sleep(FAILED_TICK_RETRY_S if attempts.failed else TICK_INTERVAL_S)

    async def tick(self) -> None:
        """Do what is due, each part in its own try, and have it told."""
        if not self._connected():
            return  # nobody can move now, and nobody could be told of it
        service, believed = self._context.service, False
        with service.attempts.contain_failures("clock"):
            believed = await self._clock.check_time()
        with service.attempts.contain_failures("presence"):
            if self._context.lost_shards:  # their servers wait, and no others
                await service.presence.check_servers(self._context.reaches_server, now())
            await service.presence.note_present(now())
            # Only where it is known when the bot was away, anything falls due.
            await self._tick_parts(service, believed=believed)
        self._context.announcements_due.set()

    async def _tick_parts(self, service: Service, *, believed: bool) -> None:
        with service.attempts.contain_failures("servers that are back"):
            # Where the disk has not taken the news that a server is there again, nothing else would say so.
            await service.presence.note_servers_found(self._context.reaches_server, now())
        with service.attempts.contain_failures("ended timeouts"):
            await self._places.look_for_ended_timeouts()
        if not believed:
            return  # nothing that cannot be undone is decided by a wrong clock
        with service.attempts.contain_failures("upkeep"):
            await service.upkeep.tick(now())
        with service.attempts.contain_failures("places of ladders"):
            await note_shut_ladders(self._context, now())  # a server may have chosen another channel for them
        with service.attempts.contain_failures("ladders"):
            await service.ladders.tick(now())
        with service.attempts.contain_failures("puzzles"):
            await service.puzzles.tick(now())
        with service.attempts.contain_failures("deletions"):
            present = {guild.id for guild in self._context.client.guilds}
            for guild in await service.privacy.delete_abandoned(now(), present):
                self._context.servers.forget_server(guild)
                log.info("server deleted", server=guild)

    async def _post_forever(self) -> None:
        """Post for ever what is untold: after each tick, and whenever somebody has done what is told in many places."""
        while True:
            await self._context.announcements_due.wait()
            self._context.announcements_due.clear()
            await self.open_lanes()

    async def open_lanes(self) -> None:
        """Open a lane for each place where something is to be told, unless it has one still."""
        service, due_subjects = self._context.service, dict[Hashable, list[DueSubject]]()
        with service.attempts.contain_failures("news of ladders"):
            for ladder in await service.ladders.unannounced_ladders():
                due_subjects[ladder] = [(self._ladder_announcer, ladder)]
        with service.attempts.contain_failures("news of games"):
            for match_id, where in await service.unannounced_matches():
                due_subjects.setdefault(where, []).append((self._announcer, match_id))
        with service.attempts.contain_failures("news of puzzles"):
            for guild in await service.puzzles.unannounced_servers():
                due_subjects[PUZZLE_LANE, guild] = [(self._puzzle_announcer, guild)]
        self._resting = {
            subject: until for subject, until in self._resting.items() if now() < until <= now() + UNPOSTABLE_REST_S
        }
        for place, subjects in due_subjects.items():
            if place not in self._lanes:
                self._lanes[place] = asyncio.create_task(self._announce_lane(place, subjects))
        if MINING_LANE not in self._lanes:
            self._lanes[MINING_LANE] = asyncio.create_task(self._mine_puzzles())
        if SEEKER_LANE not in self._lanes:
            self._lanes[SEEKER_LANE] = asyncio.create_task(self._call_seekers())

    async def _call_seekers(self) -> None:
        try:
            await asyncio.wait({self._context.background.start_task(call_seekers(self._context, now()))})
        finally:
            del self._lanes[SEEKER_LANE]

    async def _mine_puzzles(self) -> None:
        """Look through one finished game for puzzles."""
        try:
            await asyncio.wait({self._context.background.start_task(mine_next_game(self._context))})
        finally:
            del self._lanes[MINING_LANE]

    async def _announce_lane(self, place: Hashable, subjects: Sequence[DueSubject]) -> None:
        """Announce them one after the other. Whatever becomes of one, the others follow."""
        try:
            for outbox, subject in subjects:
                async with self._lane_slots:
                    announcing = self._context.background.start_task(self._announce_unless_resting(outbox, subject))
                    await asyncio.wait({announcing}, timeout=LANE_TURN_S)
                await asyncio.wait({announcing})
        finally:
            del self._lanes[place]

    async def _announce_unless_resting(self, outbox: Outbox[Any, Any], subject: Hashable) -> None:
        """Announce it unless it rests."""
        if not self._connected() or subject in self._resting:
            return
        log_values = outbox.log_fields(subject)
        trouble = await outbox.announce_subject(subject, timeout_s=None)
        if trouble and (trouble.until or not trouble.obstacle.is_temporary):
            log.warning("cannot post", where=trouble.where, missing=trouble.missing, **log_values)
            self._resting[subject] = min(now() + UNPOSTABLE_REST_S, trouble.until or now() + UNPOSTABLE_REST_S)
