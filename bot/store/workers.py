"""The session by which a worker holds its shards: locks of PostgreSQL's, which are gone when it is.

One more lock says that a worker is here, also a standby: who has to be alone sees it (see `bot.store.session.enter`).
The session that writes has that one, too; but where it is lost, it comes back only with the next transaction.

PostgreSQL drops the session when it has heard nothing of it for six seconds, whatever the reason: the worker is dead,
frozen or cut off. The worker asks every two seconds, and takes itself for dropped four seconds after it last asked what
was answered. So there are two seconds between its last act and another worker's first, by clocks of their own.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from math import inf
from typing import Any

import asyncpg
import structlog

from bot.store import Store
from bot.store.absences import counts, divide
from bot.store.address import Address
from bot.store.connection import is_cancelled
from bot.store.migrations import Fault, StoreError, steps
from bot.store.session import CHANNEL, ERRORS, LOCK, PATIENCE, enter
from bot.store.shards import MOST, NOTHING, Lease, Share

log = structlog.get_logger()

BEAT = 2.0
"""Seconds between two questions."""

SURE = 4.0
"""Seconds after a question that was answered for which nobody else can have the locks."""

DROPPED = 6
"""Seconds without a question after which PostgreSQL drops the session, and the locks with it."""

AGAIN = 1.0
"""Seconds until a worker without a shard looks for one again."""

AFTER_LOSS = 3.0
"""The same where its session has been lost, as others may have been: whoever had shards may take them again first."""

LEFT_ALONE = 30.0
"""Seconds for which shards are nobody's before a worker that has room begins anew, to take them as well: whoever had
them may only be started again."""

IDENTIFY_EVERY = 5.0
"""Seconds within which one session with Discord may be begun in a bucket."""

_SHARD, _CLAIMING, _IDENTIFYING = 1, MOST + 1, MOST + 2
"""The second numbers of locks: of the first shard, of who claims any, and of the first bucket. 0: see `LOCK`."""

_SETTINGS = {
    "application_name": "round-table-shards",
    "idle_session_timeout": f"{DROPPED}s",
    "idle_in_transaction_session_timeout": f"{DROPPED}s",
    "lock_timeout": f"{BEAT:.0f}s",
}

_HOLD = "INSERT INTO holders VALUES ($1, $2) ON CONFLICT (shard) DO UPDATE SET name = $2"

_TAKEN = """
SELECT objid::bigint - $2 FROM pg_locks JOIN pg_database ON pg_database.oid = database
WHERE datname = current_database() AND locktype = 'advisory' AND granted
    AND classid = $1::bigint::oid AND objsubid = 2 AND objid::bigint BETWEEN $2 AND $3 AND pid <> pg_backend_pid()
"""

Advised = Callable[[], Awaitable[int]]
"""How many shards Discord advises."""


def clock() -> float:
    """Seconds that pass also while the process is stopped, and, where the system can tell, while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Locks(Lease):
    """Some shards, as long as the session lives. `sure` is told by a clock, so that nobody has to be asked.

    Where the session is lost, it is begun again and the same locks are taken, for as long as that takes; where another
    worker has had one of them meanwhile, the lease is lost.
    """

    apart = True

    def __init__(self, address: Address, clock: Callable[[], float] = clock) -> None:
        super().__init__(NOTHING)
        self._address = address
        self._clock = clock
        self._name = secrets.token_hex(8)
        self._base: asyncpg.Connection | None = None
        self._talking = asyncio.Lock()
        self._asked = 0.0
        self._held = False
        self._ended = asyncio.Event()
        """Set where the session has ended, and that is known already."""
        self.refused: StoreError | None = None
        """Why it can take none again, ever."""
        self._patient_until = 0.0
        self._free_since: float | None = None
        self._room = False
        self.standby = False
        """Whether others had all shards when it last looked for one."""
        self._turns: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._later: set[asyncio.Task[None]] = set()

    @property
    def sure(self) -> bool:
        """See `Lease.sure`."""
        alive = self._base is not None and not self._base.is_closed()
        return self._held and alive and self._clock() - self._asked < SURE

    async def claim(self, store: Store, wanted: int | None, most: int | None, advised: Advised) -> bool:
        """Takes free shards, as many as there are and at most so many; whether there was one.

        `wanted` is into how many shards the servers are to be divided. For None that is as it is, and as Discord
        advises where no worker has any. Raises StoreError: OTHER_SHARDS where others go by another number.
        """
        if self._clock() < self._patient_until or not await self._take(_CLAIMING):
            return False
        session = self._base
        try:
            taken = await self._taken()
            *earlier, present = await counts(store.reader)
            count = present if taken else wanted or await advised()
            if wanted not in (None, count):
                raise StoreError(Fault.OTHER_SHARDS, self._address, str(count))
            if count != present:
                # Whoever was cut off takes locks of the old number again, then looks here: neither misses the other.
                await self._ask("DELETE FROM holders")
                async with store.writing() as tx:
                    if await self._taken():
                        return False
                    earlier = [*await divide(tx, count)]
            own = [one for one in range(count) if one not in taken][:most]
            own = [one for one in own if await self._take(_SHARD + one)]
            for one in own:
                await self._ask(_HOLD, one, self._name)
            if self._base is not session:
                self._drop()
                raise ConnectionResetError("lost meanwhile, and the first locks with it")
            self.share, self._held = Share(count, frozenset(own), tuple(earlier)), bool(own)
            self._room = len(own) < min(count, most or count)
            if not own and not self.standby:
                log.info("standby", shards=count)
            self.standby = not own
            return self._held
        finally:
            with suppress(*ERRORS):
                await self._leave(_CLAIMING)

    async def _taken(self) -> set[int]:
        """The shards that other workers have."""
        return {int(number) for (number,) in await self._ask(_TAKEN, LOCK, _SHARD, MOST)}

    async def _look_for_more(self) -> None:
        """Gives the lease up where there are shards that nobody takes, and there is room: the next one is of more."""
        looks = self._held and self._room and not self.lost.is_set()
        if not looks or len(await self._taken() | self.share.own) == self.share.count:
            self._free_since = None
        elif self._free_since is None:
            self._free_since = self._clock()
        elif self._clock() - self._free_since > LEFT_ALONE:
            log.info("begins anew to take more shards", own=sorted(self.share.own))
            self.lost.set()

    def call_out(self, said: str) -> None:
        """See `Lease.call_out`."""
        self._do_later(self._call(said))

    async def _call(self, said: str) -> None:
        with suppress(*ERRORS):
            await self._ask("SELECT pg_notify($1, $2)", CHANNEL, said)

    async def take_turn(self, bucket: int) -> None:
        """See `Lease.take_turn`."""
        turn = self._turns[bucket]
        await turn.acquire()
        try:
            while not self.lost.is_set():
                with suppress(*ERRORS):
                    if await self._take(_IDENTIFYING + bucket):
                        break
                await asyncio.sleep(IDENTIFY_EVERY / 20)
        finally:
            self._do_later(self._end_turn(bucket, turn))

    async def _end_turn(self, bucket: int, turn: asyncio.Lock) -> None:
        await asyncio.sleep(IDENTIFY_EVERY)
        with suppress(*ERRORS):
            await self._leave(_IDENTIFYING + bucket)
        turn.release()

    def _do_later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    async def begin(self) -> None:
        """Begins the session. Raises StoreError."""
        try:
            await self._connect()
        except ERRORS as error:
            raise StoreError(Fault.NO_ACCESS, self._address, str(error) or type(error).__name__) from error
        self._do_later(self._beat())

    async def end(self) -> None:
        """Ends it, and gives the locks back."""
        self._held = False
        self.lost.set()
        for task in self._later:
            task.cancel()
        await asyncio.gather(*self._later, return_exceptions=True)
        if self._base:
            with suppress(*ERRORS):
                await self._base.close(timeout=PATIENCE)
            self._drop()

    async def _beat(self) -> None:
        try:
            while self._held or not self.lost.is_set():  # a lease that is given up holds until all is finished
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._ended.wait(), BEAT)
                self._ended.clear()
                asked, session = self._asked, self._base
                try:
                    await self._ask("SELECT 1")
                    await self._look_for_more()
                except ERRORS as error:
                    log.warning("session of the locks lost", error=str(error) or type(error).__name__)
                    self._held = False
                    await self._begin_again()
                if (passed := self._clock() - asked) >= SURE or session is not self._base:
                    self.lapsed(passed)
        finally:
            self.lost.set()  # whatever has ended it

    async def _begin_again(self) -> None:
        """Takes the same locks in a new session; where that cannot be, the lease is lost."""
        self._patient_until, self.standby = inf, False
        while not self.lost.is_set():
            try:
                await self._connect()
                if not await self._take_again():
                    self.lost.set()
                    return
            except (*ERRORS, StoreError) as error:
                if isinstance(error, StoreError) and error.fault is Fault.NEWER:
                    self.refused = error
                    self.lost.set()
                    return
                await asyncio.sleep(AGAIN / 2)
            else:
                log.info("session of the locks is back")
                self._held = bool(self.share.own)
                self._patient_until = self._clock() + AFTER_LOSS
                self.heard("")
                return

    async def _take_again(self) -> bool:
        """Whether the locks are ours again, and nobody has had them meanwhile."""
        own = sorted(self.share.own)
        taken = [await self._take(_SHARD + one) for one in own]
        last = await self._ask("SELECT count(*) FROM holders WHERE shard = ANY($1) AND name = $2", own, self._name)
        return all(taken) and last == [(len(own),)]

    async def _take(self, number: int) -> bool:
        return (await self._ask("SELECT pg_try_advisory_lock($1, $2)", LOCK, number)) == [(True,)]

    async def _leave(self, number: int) -> None:
        await self._ask("SELECT pg_advisory_unlock($1, $2)", LOCK, number)

    async def _ask(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """What the session is told; the time of the question is kept. Where it fails, the session is over."""
        async with self._talking:
            if self._base is None:
                raise ConnectionResetError("no session")
            asked = self._clock()
            try:
                rows = await self._base.fetch(sql, *values)
            except ERRORS:
                self._drop()
                raise
            self._asked = asked
            return [tuple(row) for row in rows]

    async def _connect(self) -> None:
        self._drop()
        base = await asyncpg.connect(
            self._address.url, timeout=PATIENCE, command_timeout=SURE, server_settings=_SETTINGS
        )
        try:
            [(pid, dropped)] = await base.fetch("SELECT pg_backend_pid(), current_setting('idle_session_timeout')")
            if pid != base.get_server_pid() or dropped != _SETTINGS["idle_session_timeout"]:
                raise StoreError(Fault.POOLED, self._address)
            await enter(base, self._address, len(steps()), beside=True)
            base.add_termination_listener(lambda ended: self._ended.set() if ended is self._base else None)
            await base.add_listener(CHANNEL, lambda *said: self.heard(str(said[-1])))
        except BaseException:
            base.terminate()
            raise
        self._base = base

    def _drop(self) -> None:
        self._held = False
        if self._base:
            self._base.terminate()
        self._base = None


@asynccontextmanager
async def claimed(
    store: Store, wanted: int | None, most: int | None, advised: Advised, waits: Callable[[bool], None] = lambda _: None
) -> AsyncIterator[Locks]:
    """Shards for this worker, once there is one to be had; `waits` is told whether others have them all.

    Raises as `Locks.claim` does, and what `advised` raises.
    """
    assert isinstance(store.database, Address)
    locks = Locks(store.database)
    try:
        begun = False
        while not locks.share.own:
            pause = AGAIN
            try:
                if locks.refused:
                    raise locks.refused
                if not begun:
                    await locks.begin()
                begun = True
                if await locks.claim(store, wanted, most, advised):
                    break
                waits(locks.standby)
            except (*ERRORS, StoreError) as error:
                alone = isinstance(error, StoreError) and error.fault is Fault.IN_USE  # somebody, and not for ever
                if is_cancelled() or (isinstance(error, StoreError) and not error.passes and not alone):
                    raise
                log.warning("no shard claimed", error=str(error))
                waits(False)
                pause = AFTER_LOSS
            await asyncio.sleep(pause)
        log.info("shards claimed", own=sorted(locks.share.own), shards=locks.share.count)
        yield locks
    finally:
        await locks.end()
