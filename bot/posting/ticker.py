"""What happens without anybody asking: a loop that ticks, and a loop that posts. Neither waits for the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import structlog
from discord.ext import commands

from bot.kit.reply import now
from bot.posting.announcer import Announcer
from bot.posting.desk import Desk
from bot.posting.footing import note_ladders
from bot.posting.ladders import LadderAnnouncer
from bot.posting.outbox import Outbox
from bot.posting.puzzles import PuzzleAnnouncer, mill
from bot.posting.seeking import call_seekers

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
        self, desk: Desk, announcer: Announcer, ladder_announcer: LadderAnnouncer, connected: Callable[[], bool]
    ) -> None:
        self._desk = desk
        self._announcer = announcer
        self._ladder_announcer = ladder_announcer
        self._puzzle_announcer = PuzzleAnnouncer(desk)
        self._connected = connected
        self._loops: list[asyncio.Task[None]] = []
        self._lanes: dict[Hashable, asyncio.Task[None]] = {}
        self._at_once = asyncio.Semaphore(AT_ONCE)
        self._resting: dict[Hashable, int] = {}
        self._due = 0.0
        self._failed = False
        """Whether something has kept the last tick from its work."""

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
        for task in (*self._loops, *self._lanes.values()):
            task.cancel()
        await self._desk.errands.end(LAST_POSTS)

    async def _tick_on(self) -> None:
        """Tick for ever.

        By the monotonic clock: discord.py's own loop reckons with the wall clock, so that after an hour's jump back it
        would rest for an hour, and after a jump forward tick without a pause until it has caught up.
        """
        await self._desk.client.wait_until_ready()  # channels are not known before, and the bot is not there
        while True:
            self._due = asyncio.get_running_loop().time() + EVERY
            self._failed = False
            await self.tick()
            await asyncio.sleep(AGAIN if self._failed else EVERY)

    async def tick(self) -> None:
        """Do what is due, each game and ladder in its own try, and have it told."""
        if not self._connected():
            return  # nobody can move now, and nobody could be told of it
        try:
            await self._desk.service.presence.note(now())
            # Where the disk has not taken the news that a server is there again, nothing else would say so.
            await self._desk.service.presence.find_servers(self._desk.reaches, now())
            await self._desk.service.upkeep.tick(now())
            await note_ladders(self._desk, now())  # a server may have chosen another channel for them
            await self._desk.service.ladders.tick(now())
            await self._desk.service.puzzles.tick(now())
            present = {guild.id for guild in self._desk.client.guilds}
            for guild in await self._desk.service.privacy.delete_abandoned(now(), present):
                self._desk.servers.forget(guild)
                log.info("server deleted", server=guild)
        except Exception:  # the next one may not fail; ticking must go on
            log.exception("tick failed")
            self._failed = True
        self._desk.untold.set()

    async def _post_on(self) -> None:
        """Post for ever what is untold: after each tick, and whenever somebody has done what is told in many places."""
        while True:
            await self._desk.untold.wait()
            self._desk.untold.clear()
            await self.post()

    async def post(self) -> None:
        """Open a lane for each place where something is to be told, unless it has one still."""
        try:
            untold: dict[Hashable, list[Untold]] = {
                ladder: [(self._ladder_announcer, ladder)] for ladder in await self._desk.service.ladders.unannounced()
            }
            for match_id, where in await self._desk.service.unannounced():
                untold.setdefault(where, []).append((self._announcer, match_id))
            for guild in await self._desk.service.puzzles.unannounced():
                untold[PUZZLES, guild] = [(self._puzzle_announcer, guild)]
        except Exception:  # the next tick comes here again
            log.exception("not known what is untold")
            return
        self._resting = {subject: until for subject, until in self._resting.items() if until > now()}
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
        try:
            trouble = await outbox.announce(subject, patience=None)
        except Exception:  # this one waits; the others must not
            log.exception("not announced", **named)
            return
        if trouble and not trouble.obstacle.passes:
            log.warning("cannot post", where=trouble.where, missing=trouble.missing, **named)
            self._resting[subject] = now() + REST
