"""What happens unasked: the gateway's events about servers and places, and three loops: one ticks, one posts, one does
jobs. None waits for another.

A job falls due beside the games and is done once, such as the edit of an earlier message. It is a row, stored in the
transaction that makes it due; `Feature.work` says what is done for each kind. It runs on the state that it finds, so
one row stands for all requests of the same kind and key. A crash repeats it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Iterable, Sequence
from typing import Any

import discord
import structlog
from discord.ext import commands

from bot.core.match import MatchSummary
from bot.discordkit.gateway import has_one_connection
from bot.discordkit.permissions import timeout_trouble, trouble_at
from bot.discordkit.reply import now
from bot.discordkit.wall_clock import WALL_CLOCK, WallClock
from bot.play.announcing.outbox import UNSENT_ERRORS, Outbox
from bot.play.context import BotContext, Done, GiveUp, JobKind, Later, OnTick, Outcome, Posting, feature_work
from bot.play.places import is_place_gone, mark_channel_lost, shut_trouble
from bot.play.seeking import call_seekers
from bot.play.service import Service
from bot.play.service.presence import SILENT_CONNECTION_S
from bot.play.service.upkeep import delete_abandoned, note_removed, note_returned, note_servers, tick_matches
from bot.store import Job, game_lists

log = structlog.get_logger()

# The gateway's events about servers and places that come and go


class Places(commands.Cog):
    """Notes servers and places that come and go, so that no clock runs where nobody can move or be notified."""

    def __init__(self, context: BotContext) -> None:
        self._context = context
        self._presence = context.service.presence

    # The connection to Discord

    @commands.Cog.listener()
    async def on_disconnect(self) -> None:
        """Notes that nobody can be reached from now on: in that connection's servers, or anywhere if
        none is left.
        """
        if self._context.is_partly_connected and self._context.is_connected():
            await self._note(self._presence.check_servers(self._context.reaches_server, now(), SILENT_CONNECTION_S))
        else:
            self._presence.note_connection_lost(now())

    @commands.Cog.listener()
    async def on_connect(self) -> None:
        """Notes a new session: people may act from now on, before all servers have arrived. Other
        connections may be lost.
        """
        if has_one_connection(self._context.client):
            await self._note(self._presence.note_present(now()))

    @commands.Cog.listener()
    async def on_resumed(self) -> None:
        """Notes that the connection is back: clocks run from now on."""
        if self._context.is_connected():
            at = now()
            if self._context.is_partly_connected:
                await self._note(self._presence.check_servers(self._context.reaches_server, at))
            await self._note(self._presence.note_present(at))

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Does the same for a new session, and checks all servers: some may have come and gone without an event."""
        await self.on_resumed()
        client, at = self._context.client, now()
        await self._note(self._presence.check_servers(self._context.reaches_server, at))
        await self._note(note_servers(self._context.service, lambda: [guild.id for guild in client.guilds], at))

    # Servers

    @commands.Cog.listener()
    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        """Notes that an outage at Discord has made that server unavailable."""
        await self._note(self._presence.note_server_lost(guild.id, now()))

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Notes that the bot was removed from that server, or that the server is gone. Its data is deleted some weeks
        later.
        """
        await self.on_guild_unavailable(guild)
        await self._note(note_removed(self._context.service, guild.id, now()))

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Notes that the server can be reached. At a start Discord sends this for every server, even if nothing has
        changed.
        """
        await self._note(self._presence.note_servers_found(lambda other: other == guild.id, now()))

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Notes that the bot was added to that server, perhaps again."""
        await self._note(note_returned(self._context.service, guild.id))
        await self.on_guild_available(guild)

    async def _note(self, noting: Coroutine[Any, Any, object]) -> None:
        """Continues if the disk refuses a note: nothing is due before the next tick can store one."""
        with self._context.service.attempts.contain_failures("notes of presence"):
            await self._context.background.start_task(noting)

    # Places

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Takes games out of the channel, and out of its threads. Its tables expire."""
        await self._leave_deleted(channel.guild.id, channel.id, lambda game: game.place.thread is not None)

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """Moves the thread's game to its channel. Games that began in the thread have no other place."""
        thread = payload.thread_id
        await self._leave_deleted(payload.guild_id, thread, lambda game: game.place.thread == thread)

    async def _leave_deleted(self, guild: int, place: int, may_concern: Callable[[MatchSummary], bool]) -> None:
        """Moves the games of a deleted place. `may_concern`: games whose thread may be gone."""
        self._context.deleted[place] = True

        async def leave() -> None:
            for game in await game_lists.all_live_games(self._context.service.reader, guild):
                with self._context.service.attempts.contain_failures("lost places", game=game.id):
                    if game.place.thread is None:
                        is_gone = game.place.channel == place
                    else:
                        is_gone = may_concern(game) and await is_place_gone(self._context, guild, game.place.thread)
                    if is_gone:
                        trouble = shut_trouble(self._context, game)
                        await mark_channel_lost(self._context, game, trouble, thread_gone=True)
            self._context.announcements_due.set()  # a game whose channel is left goes on there

        self._context.background.start_task(leave())


# Jobs


OLD_MESSAGE_AGE_S = 3600
"""Age in seconds at which a message counts as old: Discord accepts fewer edits of it."""


MAX_EDIT_TRIES = 10
"""The tries after which an edit that only has to wait for a pause is given up."""


class Jobs:
    """Runs the jobs that are due. Those of a lane follow one another: the edits in a channel, or the jobs of a kind."""

    def __init__(self, context: BotContext, kinds: Iterable[JobKind]) -> None:
        self._context = context
        self._kinds = {kind.kind: kind for kind in kinds}
        self._lanes: dict[Hashable, dict[tuple[str, str], Job | None]] = {}
        """The jobs under way and to be done, by lane, by kind and key; with the job, if it has just been read."""

    async def run_forever(self) -> None:
        """Does what is due after each tick, and whenever something has asked for a job."""
        while True:
            await self._context.jobs_due.wait()
            await asyncio.sleep(self._context.timings.first_edit_delay_s)
            self._context.jobs_due.clear()
            await asyncio.wait({self._context.background.start_task(self.start_due())})

    async def start_due(self) -> None:
        """Starts what is due in the servers that can be reached."""
        context, busy = self._context, {*self._lanes}  # a job of theirs may be over when it has been read
        with context.service.attempts.contain_failures("jobs"):
            for job in await context.service.reader.due_jobs(now()) if context.is_connected() else ():
                kind, is_shut = self._kinds.get(job.kind), timeout_trouble(context.client.get_guild(job.guild), 0)
                if kind is None or not context.reaches_server(job.guild) or (is_shut and not kind.in_timeout):
                    continue
                lane = (kind.lane, job.key.split(":")[0]) if kind.is_edit or kind.lane else job.kind
                if lane not in self._lanes:
                    self._lanes[lane] = {(job.kind, job.key): None if lane in busy else job}
                    context.background.start_task(self._run_lane(lane, self._lanes[lane]))
                elif self._lanes[lane].get((job.kind, job.key)) != job:
                    self._lanes[lane][job.kind, job.key] = None

    async def _run_lane(self, lane: Hashable, waiting: dict[tuple[str, str], Job | None]) -> None:
        """Runs the jobs one after another, each as it is stored by then, unless it is done, deleted or put off."""
        reader, one = self._context.service.reader, "AND kind = :kind AND key = :key"
        try:
            while waiting:
                (kind, key), just_read = next(iter(waiting.items()))
                outcome: Outcome = Done()
                with self._context.service.attempts.contain_failures("jobs"):
                    for job in [just_read] if just_read else await reader.due_jobs(now(), one, kind=kind, key=key):
                        outcome = await self._run_job(job)
                        await self._note_outcome(job, outcome)
                if waiting[kind, key] == just_read:  # not asked for since
                    del waiting[kind, key]
                edited = outcome.edited if isinstance(outcome, Done) else None
                if edited and now() - discord.utils.snowflake_time(edited).timestamp() >= OLD_MESSAGE_AGE_S:
                    await asyncio.sleep(self._context.timings.old_edit_pause_s)
        finally:
            del self._lanes[lane]

    async def _run_job(self, job: Job) -> Outcome:
        outcome: Outcome = Later()
        with self._context.service.attempts.contain_failures(job.kind, key=job.key):
            try:
                outcome = await self._kinds[job.kind].run(self._context, job)
            except UNSENT_ERRORS as error:
                trouble = trouble_at(self._context.client, job.guild, 0, error)
                outcome = GiveUp(why=str(error))
                if trouble.obstacle.is_temporary or self._kinds[job.kind].is_kept:
                    outcome = Later(trouble.until, str(error))
        return outcome

    async def _note_outcome(self, job: Job, outcome: Outcome) -> None:
        timings, is_edit = self._context.timings, self._kinds[job.kind].is_edit
        if isinstance(outcome, Later) and outcome.at is None and is_edit and job.tries + 1 >= MAX_EDIT_TRIES:
            outcome = GiveUp(why="too many tries")
        if isinstance(outcome, GiveUp):
            log.info("job given up", kind=job.kind, key=job.key, why=outcome.why)
        # Repeating an edit does no harm, unlike a post.
        async with self._context.service.store.write_transaction(durable=not is_edit) as tx:
            if isinstance(outcome, Later):
                pause = min(timings.job_retry_s * 2 ** min(job.tries, 9), timings.unpostable_rest_s)
                await tx.put_off_job(job, outcome.at or now() + int(pause), outcome.why, tries=job.tries + 1)
                return
            if outcome.again_at is not None:
                await tx.put_off_job(job, outcome.again_at)
                wait = max(outcome.again_at - now(), 0)  # a tick might come late
                asyncio.get_running_loop().call_later(wait, self._context.jobs_due.set)
                return
            await tx.end_jobs(job)
            if outcome.store is None:
                return
            await outcome.store(tx)
        self._context.announcements_due.set()


# The loops


LANES_AT_ONCE = 25
"""Lanes that post at once. After `lane_turn_s` a lane no longer counts as one of them."""

SEEKERS_LANE = "seekers"
"""The lane of the calls to people who look for a game."""

AnyOutbox = Outbox[Any, Any]
DueSubject = tuple[AnyOutbox, object]
"""A subject with something to announce, and the outbox that announces it."""


class Ticker(commands.Cog):
    """Does what is due, and posts what a crash or an outage has kept back.

    Ticking only stores: it gives the same result late, twice or after days of downtime. Then it wakes the posting loop.
    The posting loop has a lane for each place with something to announce: posts in a lane go one after another, and all
    lanes run at once. A lane that Discord limits waits alone and lets the others pass.
    """

    def __init__(self, context: BotContext, clock: WallClock = WALL_CLOCK) -> None:
        self._context = context
        self._timings = context.timings
        self._clock = clock
        self._loops: list[asyncio.Task[None]] = []
        self._lanes: dict[Hashable, asyncio.Task[None]] = {}
        self._lane_slots = asyncio.Semaphore(LANES_AT_ONCE)
        self._resting: dict[tuple[AnyOutbox, Hashable], int] = {}
        """When a subject that could not be posted is tried again; a match and a league may have the same number."""
        self._outboxes: dict[str, AnyOutbox] = {
            posting.name: posting.make(context) for posting in feature_work(context.features, Posting)
        }
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
        at = now()
        with service.attempts.contain_failures("presence"):
            if self._context.is_partly_connected:
                await service.presence.check_servers(self._context.reaches_server, at)
            await service.presence.note_present(at)
            # Nothing falls due before the bot's own absences are known.
            await self._tick_parts(service, at, believed=believed)
        self._context.announcements_due.set()

    async def _tick_parts(self, service: Service, at: int, *, believed: bool) -> None:
        with service.attempts.contain_failures("servers that are back"):
            # If the disk did not take the note that a server is back, no other event would make it.
            await service.presence.note_servers_found(self._context.reaches_server, at)
        if not believed:
            return  # a wrong clock must not decide anything irreversible
        with service.attempts.contain_failures("upkeep"):
            await tick_matches(service, at)
        for work in feature_work(self._context.features, OnTick):
            if not 0 <= at - self._run_at.get(work.name, -work.every_s) < work.every_s:
                with service.attempts.contain_failures(work.name):
                    await work.run(self._context, at)
                    self._run_at[work.name] = at
        with service.attempts.contain_failures("deletions"):
            present = {guild.id for guild in self._context.client.guilds}
            for guild in await delete_abandoned(service, at, present):
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
        at, due = now(), {one for subjects in due_subjects.values() for one in subjects}
        latest = at + self._timings.unpostable_rest_s
        self._resting = {key: until for key, until in self._resting.items() if key in due and at < until <= latest}
        for place, subjects in due_subjects.items():
            if place not in self._lanes:
                self._lanes[place] = asyncio.create_task(self._announce_lane(place, subjects))
        if SEEKERS_LANE not in self._lanes:
            self._lanes[SEEKERS_LANE] = asyncio.create_task(self._call_seekers())

    async def _call_seekers(self) -> None:
        """Calls people who look for a game. A failure is counted."""
        try:
            calling = self._context.background.start_task(call_seekers(self._context, now()))
            await asyncio.wait({calling})
            if not calling.cancelled():
                with self._context.service.attempts.contain_failures(SEEKERS_LANE):
                    calling.result()
        finally:
            del self._lanes[SEEKERS_LANE]

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
