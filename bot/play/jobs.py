"""Jobs: what falls due beside the games and is done once, such as the edit of an earlier message.

A job is a row, stored in the transaction that makes it due; `Feature.work` says what is done for each kind. It runs on
the state that it finds, so one row stands for all requests of the same kind and key. A crash repeats it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Iterable

import discord
import structlog

from bot.discordkit.permissions import timeout_trouble, trouble_at
from bot.discordkit.reply import now
from bot.play.announcing.outbox import UNSENT_ERRORS
from bot.play.context import BotContext, GiveUp, JobKind, Later, Outcome
from bot.store import Job

log = structlog.get_logger()

OLD_MESSAGE_AGE_S = 3600
"""Age in seconds at which a message counts as old: Discord accepts fewer edits of it."""


MAX_EDIT_TRIES = 10
"""The tries after which an edit that only has to wait for a pause is given up."""


class Jobs:
    """Runs the jobs that are due. Those of a lane follow one another: the edits in a channel, or the jobs of a kind."""

    def __init__(self, context: BotContext, kinds: Iterable[JobKind]) -> None:
        self._context = context
        self._kinds = {kind.kind: kind for kind in kinds}
        self._lanes: dict[Hashable, dict[tuple[str, str], None]] = {}
        """The kinds and keys of the jobs to be done, by lane."""

    async def run_forever(self) -> None:
        """Does what is due after each tick, and whenever something has asked for a job."""
        while True:
            await self._context.jobs_due.wait()
            await asyncio.sleep(self._context.timings.first_edit_delay_s)
            self._context.jobs_due.clear()
            await asyncio.wait({self._context.background.start_task(self.start_due())})

    async def start_due(self) -> None:
        """Starts what is due in the servers that can be reached."""
        context = self._context
        with context.service.attempts.contain_failures("jobs"):
            for job in await context.service.reader.due_jobs(now()) if context.is_connected() else ():
                kind, is_shut = self._kinds.get(job.kind), timeout_trouble(context.client.get_guild(job.guild), 0)
                if kind is None or not context.reaches_server(job.guild) or (is_shut and not kind.in_timeout):
                    continue
                lane = (kind.lane, job.key.split(":")[0]) if kind.is_edit or kind.lane else job.kind
                if lane not in self._lanes:
                    self._lanes[lane] = {}
                    context.background.start_task(self._run_lane(lane, self._lanes[lane]))
                self._lanes[lane][job.kind, job.key] = None

    async def _run_lane(self, lane: Hashable, waiting: dict[tuple[str, str], None]) -> None:
        try:
            while waiting:
                kind, key = next(iter(waiting))
                del waiting[kind, key]
                await self._run_if_due(kind, key)
                edited = discord.utils.snowflake_time(int(key.split(":")[1])) if self._kinds[kind].is_edit else None
                if edited and now() - edited.timestamp() >= OLD_MESSAGE_AGE_S:
                    await asyncio.sleep(self._context.timings.old_edit_pause_s)
        finally:
            del self._lanes[lane]

    async def _run_if_due(self, kind: str, key: str) -> None:
        """Runs the job as it is stored by now, unless it is done, deleted or put off."""
        context, one = self._context, "AND kind = :kind AND key = :key"
        with context.service.attempts.contain_failures("jobs"):
            for job in await context.service.reader.due_jobs(now(), one, kind=kind, key=key):
                await self._note_outcome(job, await self._run_job(job))

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
                await tx.put_off_job(job, outcome.at or now() + int(pause), outcome.why)
                return
            if outcome.again_at is not None:
                await tx.repeat_job(job, outcome.again_at)
                return
            await tx.end_jobs(job)
            if outcome.store is None:
                return
            await outcome.store(tx)
        self._context.announcements_due.set()
