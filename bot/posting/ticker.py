"""What happens without anybody asking: a loop that ticks, and a loop that posts. Neither waits for the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import structlog
from discord.ext import commands

from bot.kit.reply import now
from bot.kit.wall_clock import WALL_CLOCK, WallClock
from bot.posting.announcer import Announcer
from bot.posting.desk import Desk
from bot.posting.footing import note_ladders
from bot.posting.ladders import LadderAnnouncer
from bot.posting.outbox import Outbox
from bot.posting.places import Places
from bot.posting.puzzles import PuzzleAnnouncer, mill
from bot.posting.seeking import call_seekers
from bot.service import Service

log = structlog.get_logger()

EVERY = 30
"""Seconds between ticks."""

AGAIN = 5
"""The same after one that has failed: what kept it from its work, such as somebody else's transaction, may be over."""

REST = 3600
"""Seconds for which a game is left alone whose place cannot be posted to; its players' next move tries again."""

AT_ONCE, AT_MOST = 25, 1
"""How many lanes post at once, and for how many seconds each counts as one of them: who takes longer waits for Discord,
and as many others may go on."""

LAST_POSTS = 2
"""Seconds for which a stop waits for posts that are on their way."""

PUZZLES = "puzzles"
"""Stands before a server's number in the name of the lane of its puzzles."""

MILL = "mill"
"""The lane in which finished games are looked through for puzzles."""

SEEKERS = "seekers"
"""The lane of those who look for a game."""

Untold = tuple[Outbox[Any, Any], Any]
"""A subject of which there is something to tell, and the outbox that tells it."""


class Ticker(commands.Cog):
    """Does what is due by itself, and posts what a crash or an outage has kept from being posted.

    Ticking only stores: late, doubled or after days down, it gives the same result. Then it wakes the loop that posts.
    That one has a lane for each place where something is to be told: in a lane one after the other, all lanes at once.
    A lane whose place Discord limits waits there by itself and lets the others pass.
    """

    def __init__(
        self,
        desk: Desk,
        announcer: Announcer,
        ladder_announcer: LadderAnnouncer,
        places: Places,
        connected: Callable[[], bool],
        clock: WallClock = WALL_CLOCK,
    ) -> None:
        self._desk = desk
        self._announcer = announcer
        self._ladder_announcer = ladder_announcer
        self._places = places
        self._puzzle_announcer = PuzzleAnnouncer(desk)
        self._connected = connected
        self._clock = clock
        self._loops: list[asyncio.Task[None]] = []
        self._lanes: dict[Hashable, asyncio.Task[None]] = {}
        self._at_once = asyncio.Semaphore(AT_ONCE)
        self._resting: dict[Hashable, int] = {}
        self._due = 0.0

    @property
    def overdue(self) -> float:
        """For how many seconds a tick has been due; below 0 while none is. Only once it has been started."""
        return asyncio.get_running_loop().time() - self._due

    async def cog_load(self) -> None:
        """Start both loops; the first tick waits for the gateway."""
        self._due = asyncio.get_running_loop().time()
        self._loops = [asyncio.create_task(self._tick_on()), asyncio.create_task(self._post_on())]

    async def cog_unload(self) -> None:
        """Begin nothing more, and give what is on its way a moment."""
        begun = [*self._loops, *self._lanes.values()]
        for task in begun:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
        await self._desk.errands.end(LAST_POSTS)

    async def _tick_on(self) -> None:
        """Tick for ever.

        By the monotonic clock: discord.py's own loop reckons with the wall clock, so that after an hour's jump back it
        would rest for an hour, and after a jump forward tick without a pause until it has caught up.
        """
        await self._desk.client.wait_until_ready()  # channels are not known before, and the bot is not there
        while True:
            self._due = asyncio.get_running_loop().time() + EVERY
            attempts = self._desk.service.attempts
            attempts.failed = False
            with attempts.of("tick"):
                await self.tick()
            await asyncio.sleep(AGAIN if attempts.failed else EVERY)

    async def tick(self) -> None:
        """Do what is due, each part in its own try, and have it told."""
        if not self._connected():
            return  # nobody can move now, and nobody could be told of it
        service, believed = self._desk.service, False
        with service.attempts.of("clock"):
            believed = await self._clock.check()
        with service.attempts.of("presence"):
            if self._desk.lost_shards:  # their servers wait, and no others
                await service.presence.check_servers(self._desk.reaches, now())
            await service.presence.note(now())
            # Only where it is known when the bot was away, anything falls due.
            await self._tick_parts(service, believed=believed)
        self._desk.untold.set()

    async def _tick_parts(self, service: Service, *, believed: bool) -> None:
        with service.attempts.of("servers that are back"):
            # Where the disk has not taken the news that a server is there again, nothing else would say so.
            await service.presence.find_servers(self._desk.reaches, now())
        with service.attempts.of("ended timeouts"):
            await self._places.look_for_ended_timeouts()
        if not believed:
            return  # nothing that cannot be undone is decided by a wrong clock
        with service.attempts.of("upkeep"):
            await service.upkeep.tick(now())
        with service.attempts.of("places of ladders"):
            await note_ladders(self._desk, now())  # a server may have chosen another channel for them
        with service.attempts.of("ladders"):
            await service.ladders.tick(now())
        with service.attempts.of("puzzles"):
            await service.puzzles.tick(now())
        with service.attempts.of("deletions"):
            present = {guild.id for guild in self._desk.client.guilds}
            for guild in await service.privacy.delete_abandoned(now(), present):
                self._desk.servers.forget(guild)
                log.info("server deleted", server=guild)

    async def _post_on(self) -> None:
        """Post for ever what is untold: after each tick, and whenever somebody has done what is told in many places."""
        while True:
            await self._desk.untold.wait()
            self._desk.untold.clear()
            await self.post()

    async def post(self) -> None:
        """Open a lane for each place where something is to be told, unless it has one still."""
        service, untold = self._desk.service, dict[Hashable, list[Untold]]()
        with service.attempts.of("news of ladders"):
            for ladder in await service.ladders.unannounced():
                untold[ladder] = [(self._ladder_announcer, ladder)]
        with service.attempts.of("news of games"):
            for match_id, where in await service.unannounced():
                untold.setdefault(where, []).append((self._announcer, match_id))
        with service.attempts.of("news of puzzles"):
            for guild in await service.puzzles.unannounced():
                untold[PUZZLES, guild] = [(self._puzzle_announcer, guild)]
        self._resting = {subject: until for subject, until in self._resting.items() if now() < until <= now() + REST}
        for place, subjects in untold.items():
            if place not in self._lanes:
                self._lanes[place] = asyncio.create_task(self._tell(place, subjects))
        if MILL not in self._lanes:
            self._lanes[MILL] = asyncio.create_task(self._mill())
        if SEEKERS not in self._lanes:
            self._lanes[SEEKERS] = asyncio.create_task(self._call_seekers())

    async def _call_seekers(self) -> None:
        try:
            await asyncio.wait({self._desk.errands.begin(call_seekers(self._desk, now()))})
        finally:
            del self._lanes[SEEKERS]

    async def _mill(self) -> None:
        """Look through one finished game for puzzles."""
        try:
            await asyncio.wait({self._desk.errands.begin(mill(self._desk))})
        finally:
            del self._lanes[MILL]

    async def _tell(self, place: Hashable, subjects: Sequence[Untold]) -> None:
        """Announce them one after the other. Whatever becomes of one, the others follow."""
        try:
            for outbox, subject in subjects:
                async with self._at_once:
                    telling = self._desk.errands.begin(self._announce(outbox, subject))
                    await asyncio.wait({telling}, timeout=AT_MOST)
                await asyncio.wait({telling})
        finally:
            del self._lanes[place]

    async def _announce(self, outbox: Outbox[Any, Any], subject: Hashable) -> None:
        """Announce it unless it rests."""
        if not self._connected() or subject in self._resting:
            return
        named = outbox.named(subject)
        trouble = await outbox.announce(subject, patience=None)
        if trouble and (trouble.until or not trouble.obstacle.passes):
            log.warning("cannot post", where=trouble.where, missing=trouble.missing, **named)
            self._resting[subject] = min(now() + REST, trouble.until or now() + REST)
