"""The session with which a worker holds its shards: PostgreSQL locks, released when the session ends.

One more lock shows programs that must be alone that a worker or a standby is running: see `register_program` in
`bot.store.postgresql_session`. The writing session holds that lock, too. But after a lost connection it takes the lock
again only at its next transaction.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from math import inf
from typing import Any

import asyncpg
import structlog

from bot.core.steady_clock import steady_seconds
from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.store import Store
from bot.store.absences import divide_servers, shard_counts
from bot.store.address import Address
from bot.store.connection import is_cancelled
from bot.store.migrations import Fault, StoreError, last_version
from bot.store.postgresql_session import LOCK_ID, NOTIFY_CHANNEL, POSTGRES_ERRORS, register_program
from bot.store.shards import EMPTY_SHARE, MAX_SHARDS, Lease, ShardShare

log = structlog.get_logger()

_FIRST_SHARD_LOCK, _CLAIMING_LOCK, _FIRST_BUCKET_LOCK = 1, MAX_SHARDS + 1, MAX_SHARDS + 2
"""The second numbers of locks: for the first shard, for claiming shards, and for the first bucket. See `LOCK_ID`."""

_LEASE_SETTINGS = {
    "application_name": "round-table-shards",
    "lock_timeout": "2s",  # as long as a heartbeat, so that waiting for a lock does not cost the lease
}

_NOTE_HOLDER_SQL = "INSERT INTO holders VALUES ($1, $2) ON CONFLICT (shard) DO UPDATE SET name = $2"

_TAKEN_SHARDS_SQL = """
SELECT objid::bigint - $2 FROM pg_locks JOIN pg_database ON pg_database.oid = database
WHERE datname = current_database() AND locktype = 'advisory' AND granted
    AND classid = $1::bigint::oid AND objsubid = 2 AND objid::bigint BETWEEN $2 AND $3 AND pid <> pg_backend_pid()
"""

AdviseShardCount = Callable[[], Awaitable[int]]
"""Returns the shard count that Discord advises."""


def _postgresql_duration(seconds: float) -> str:
    """Returns the duration as PostgreSQL spells it: "6s", "500ms"."""
    return f"{seconds:.0f}s" if seconds == round(seconds) else f"{1000 * seconds:.0f}ms"


class ShardLocks(Lease):
    """A lease on some shards that lasts as long as its session. `is_valid` needs only a clock and no query.

    After a lost session, new ones are begun until one has taken the same locks again. If another worker has had one of
    the locks in between, the lease is lost.
    """

    has_other_workers = True

    def __init__(
        self, address: Address, clock: Callable[[], float] = steady_seconds, timings: Timings = DEFAULT_TIMINGS
    ) -> None:
        super().__init__(EMPTY_SHARE)
        self._address = address
        self._timings = timings
        self._clock = clock
        self._name = secrets.token_hex(8)
        self._base: asyncpg.Connection | None = None
        self._query_lock = asyncio.Lock()
        self._answered_at = 0.0
        self._has_locks = False
        self._session_ended = asyncio.Event()
        """Set when the driver notices that the session has ended."""
        self.final_refusal: StoreError | None = None
        """The error that keeps this worker from ever claiming a shard again; None if there is none."""
        self._no_claims_before = 0.0
        self._free_since: float | None = None
        self._has_room = False
        self.is_standby = False
        """True if other workers had all shards when this worker last tried to claim one."""
        self._bucket_locks: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._pending_tasks: set[asyncio.Task[None]] = set()

    @property
    def is_valid(self) -> bool:
        """See `Lease.is_valid`."""
        alive = self._base is not None and not self._base.is_closed()
        return self._has_locks and alive and self._clock() - self._answered_at < self._timings.lease_valid_s

    async def claim_shards(self, store: Store, wanted: int | None, most: int | None, advised: AdviseShardCount) -> bool:
        """Claims all free shards, at most `most`. Returns False if it got none.

        `wanted` is the shard count. None means the current count or, if no worker has a shard, the count that Discord
        advises. Raises StoreError with OTHER_SHARDS if other workers use another count.
        """
        if self._clock() < self._no_claims_before or not await self._try_lock(_CLAIMING_LOCK):
            return False
        session = self._base
        try:
            taken = await self._taken_shards()
            *earlier, present = await shard_counts(store.reader)
            count = present if taken else wanted or await advised()
            if wanted not in (None, count):
                raise StoreError(Fault.OTHER_SHARDS, self._address, str(count))
            if count != present:
                # A worker that was cut off retakes its old locks before it reads `holders`. So either we see its lock,
                # or it sees that its row is gone.
                await self._query_session("DELETE FROM holders")
                async with store.write_transaction() as tx:
                    if await self._taken_shards():
                        return False
                    earlier = [*await divide_servers(tx, count)]
            own = [shard for shard in range(count) if shard not in taken][:most]
            own = [shard for shard in own if await self._try_lock(_FIRST_SHARD_LOCK + shard)]
            for shard in own:
                await self._query_session(_NOTE_HOLDER_SQL, shard, self._name)
            if self._base is not session:
                self._drop_session()
                raise ConnectionResetError("the session was lost, and its first locks with it")
            self.share, self._has_locks = ShardShare(count, frozenset(own), tuple(earlier)), bool(own)
            self._has_room = len(own) < min(count, most or count)
            if not own and not self.is_standby:
                log.info("standby", shards=count)
            self.is_standby = not own
            return self._has_locks
        finally:
            with suppress(*POSTGRES_ERRORS):
                await self._release_lock(_CLAIMING_LOCK)

    async def _taken_shards(self) -> set[int]:
        """Returns the shards that other workers have."""
        return {
            int(number)
            for (number,) in await self._query_session(_TAKEN_SHARDS_SQL, LOCK_ID, _FIRST_SHARD_LOCK, MAX_SHARDS)
        }

    async def _look_for_more(self) -> None:
        """Gives up the lease if shards stay free for which this worker has room, so that its next lease has more."""
        looks = self._has_locks and self._has_room and not self.lost.is_set()
        if not looks or len(await self._taken_shards() | self.share.own_shards) == self.share.shard_count:
            self._free_since = None
        elif self._free_since is None:
            self._free_since = self._clock()
        elif self._clock() - self._free_since > self._timings.shards_free_s:
            log.info("starts again to take more shards", own=sorted(self.share.own_shards))
            self.lost.set()

    def notify_workers(self, message: str) -> None:
        """See `Lease.notify_workers`."""
        self._do_later(self._notify_channel(message))

    async def _notify_channel(self, message: str) -> None:
        with suppress(*POSTGRES_ERRORS):
            await self._query_session("SELECT pg_notify($1, $2)", NOTIFY_CHANNEL, message)

    async def wait_for_bucket(self, bucket: int) -> None:
        """See `Lease.wait_for_bucket`."""
        turn = self._bucket_locks[bucket]
        await turn.acquire()
        try:
            while not self.lost.is_set():
                with suppress(*POSTGRES_ERRORS):
                    if await self._try_lock(_FIRST_BUCKET_LOCK + bucket):
                        break
                await asyncio.sleep(self._timings.identify_interval_s / 20)
        finally:
            self._do_later(self._end_turn(bucket, turn))

    async def _end_turn(self, bucket: int, turn: asyncio.Lock) -> None:
        await asyncio.sleep(self._timings.identify_interval_s)
        with suppress(*POSTGRES_ERRORS):
            await self._release_lock(_FIRST_BUCKET_LOCK + bucket)
        turn.release()

    def _do_later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._pending_tasks.add(task)
        task.add_done_callback(self._pending_tasks.discard)

    async def start_session(self) -> None:
        """Begins the session. Raises StoreError."""
        try:
            await self._open_session()
        except POSTGRES_ERRORS as error:
            raise StoreError(Fault.NO_ACCESS, self._address, str(error) or type(error).__name__) from error
        self._do_later(self._keep_alive())

    async def end_session(self) -> None:
        """Ends the session and releases the locks."""
        self._has_locks = False
        self.lost.set()
        for task in self._pending_tasks:
            task.cancel()
        await asyncio.gather(*self._pending_tasks, return_exceptions=True)
        if self._base:
            with suppress(*POSTGRES_ERRORS):
                await self._base.close(timeout=self._timings.database_answer_timeout_s)
            self._drop_session()

    async def _keep_alive(self) -> None:
        try:
            while self._has_locks or not self.lost.is_set():  # a lease that is given up keeps its locks
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._session_ended.wait(), self._timings.heartbeat_s)
                self._session_ended.clear()
                asked, session = self._answered_at, self._base
                try:
                    await self._query_session("SELECT 1")
                    await self._look_for_more()
                except POSTGRES_ERRORS as error:
                    log.warning("session of the locks lost", error=str(error) or type(error).__name__)
                    self._has_locks = False
                    await self._restart_session()
                if (passed := self._clock() - asked) >= self._timings.lease_valid_s or session is not self._base:
                    self.on_lapsed(passed)
        finally:
            self.lost.set()  # also after an error

    async def _restart_session(self) -> None:
        """Begins a new session and takes the same locks. If that is impossible, the lease is lost."""
        self._no_claims_before, self.is_standby = inf, False
        while not self.lost.is_set():
            try:
                await self._open_session()
                if not await self._retake_locks():
                    self.lost.set()
                    return
            except (*POSTGRES_ERRORS, StoreError) as error:
                if isinstance(error, StoreError) and error.fault is Fault.NEWER:
                    self.final_refusal = error
                    self.lost.set()
                    return
                await asyncio.sleep(self._timings.claim_retry_s / 2)
            else:
                log.info("session of the locks is back")
                self._has_locks = bool(self.share.own_shards)
                self._no_claims_before = self._clock() + self._timings.claim_after_loss_s
                self.on_message("")
                return

    async def _retake_locks(self) -> bool:
        """Takes the locks again. Returns False if another worker has one of them, or has had one in between."""
        own = sorted(self.share.own_shards)
        taken = [await self._try_lock(_FIRST_SHARD_LOCK + shard) for shard in own]
        last = await self._query_session(
            "SELECT count(*) FROM holders WHERE shard = ANY($1) AND name = $2", own, self._name
        )
        return all(taken) and last == [(len(own),)]

    async def _try_lock(self, number: int) -> bool:
        return (await self._query_session("SELECT pg_try_advisory_lock($1, $2)", LOCK_ID, number)) == [(True,)]

    async def _release_lock(self, number: int) -> None:
        await self._query_session("SELECT pg_advisory_unlock($1, $2)", LOCK_ID, number)

    async def _query_session(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Runs a query in the session and notes its time. Drops the session if it fails."""
        async with self._query_lock:
            if self._base is None:
                raise ConnectionResetError("no session")
            asked_at = self._clock()
            try:
                rows = await self._base.fetch(sql, *values)
            except POSTGRES_ERRORS:
                self._drop_session()
                raise
            self._answered_at = asked_at
            return [tuple(row) for row in rows]

    async def _open_session(self) -> None:
        self._drop_session()
        timings = self._timings
        dropped_after = _postgresql_duration(timings.session_dropped_s)
        base = await asyncpg.connect(
            self._address.url,
            timeout=timings.database_answer_timeout_s,
            command_timeout=timings.lease_valid_s,
            server_settings={
                **_LEASE_SETTINGS,
                "idle_session_timeout": dropped_after,
                "idle_in_transaction_session_timeout": dropped_after,
            },
        )
        try:
            [(pid, dropped)] = await base.fetch("SELECT pg_backend_pid(), current_setting('idle_session_timeout')")
            if pid != base.get_server_pid() or dropped != dropped_after:
                raise StoreError(Fault.POOLED, self._address)
            await register_program(base, self._address, last_version(), allow_other_workers=True)
            base.add_termination_listener(lambda ended: self._session_ended.set() if ended is self._base else None)
            await base.add_listener(NOTIFY_CHANNEL, lambda *said: self.on_message(str(said[-1])))
        except BaseException:
            base.terminate()
            raise
        self._base = base

    def _drop_session(self) -> None:
        self._has_locks = False
        if self._base:
            self._base.terminate()
        self._base = None


@asynccontextmanager
async def claim_shard_locks(
    store: Store,
    wanted: int | None,
    most: int | None,
    advised: AdviseShardCount,
    on_standby: Callable[[bool], None],
    timings: Timings,
) -> AsyncIterator[ShardLocks]:
    """Waits until this worker has claimed at least one shard, and yields its lease. `on_standby` gets True while other
    workers have all shards.

    Raises the errors of `ShardLocks.claim_shards` and of `advised`.
    """
    assert isinstance(store.database, Address)
    locks = ShardLocks(store.database, timings=timings)
    try:
        has_session = False
        while not locks.share.own_shards:
            pause = timings.claim_retry_s
            try:
                if locks.final_refusal:
                    raise locks.final_refusal
                if not has_session:
                    await locks.start_session()
                has_session = True
                if await locks.claim_shards(store, wanted, most, advised):
                    break
                on_standby(locks.is_standby)
            except (*POSTGRES_ERRORS, StoreError) as error:
                is_in_use = isinstance(error, StoreError) and error.fault is Fault.IN_USE  # for now
                if is_cancelled() or (isinstance(error, StoreError) and not error.is_temporary and not is_in_use):
                    raise
                log.warning("no shard claimed", error=str(error))
                on_standby(False)
                pause = timings.claim_after_loss_s
            await asyncio.sleep(pause)
        log.info("shards claimed", own=sorted(locks.share.own_shards), shards=locks.share.shard_count)
        yield locks
    finally:
        await locks.end_session()
