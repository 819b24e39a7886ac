"""The PostgreSQL of a house with workers: on a small disk, with faults that a test can switch on."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from bot.store.connection import Address
from bot.store.dialect import translate_statement
from bot.store.postgresql import LOCK_ID, POSTGRES_ERRORS
from tests.postgresql import MISSING, Cluster, programs

SIZE = "160m"
"""The size of the small disk: a few times what the workers write in an hour."""
_PATIENCE = 10.0

_HURTS = """
CREATE SCHEMA IF NOT EXISTS test;
CREATE TABLE IF NOT EXISTS test.hurt (code text, every bigint);
INSERT INTO test.hurt SELECT NULL, 1 WHERE NOT EXISTS (SELECT 1 FROM test.hurt);
CREATE SEQUENCE IF NOT EXISTS test.commits;
CREATE OR REPLACE FUNCTION test.hurt() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE given test.hurt;
BEGIN
    SELECT * INTO given FROM test.hurt;
    IF given.code IS NOT NULL AND nextval('test.commits') % given.every = 0 THEN
        RAISE EXCEPTION 'hurt by the test' USING ERRCODE = given.code;
    END IF;
    RETURN NULL;
END $$;
"""
_HURT_TABLES = ("events", "meta", "absences", "players")
_HURT = """
CREATE CONSTRAINT TRIGGER hurt_late AFTER INSERT OR UPDATE ON {0}
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION test.hurt();
"""


class AwayError(Exception):
    """The database is not reachable now."""


class Database(Cluster):
    """A server with one database, `address`. Its data are on a disk of `SIZE` if possible; see `small`."""

    initdb = ("--wal-segsize=1",)
    options = (
        *("max_wal_size=24MB", "min_wal_size=2MB", "shared_buffers=16MB", "fsync=off", "autovacuum_naptime=5s"),
        *("log_min_messages=fatal", "deadlock_timeout=100ms"),
    )

    def __init__(self, folder: Path, bin_folder: Path) -> None:
        super().__init__(folder, bin_folder)
        self.small = False
        self.address: Address
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._asking: asyncpg.Connection | None = None
        self._turn = asyncio.Lock()

    @property
    def socket(self) -> Path:
        """The path of the server's socket."""
        return self.folder / ".s.PGSQL.5432"

    def set_up(self, workers: int) -> None:
        """Makes and starts the server, with a role for each worker, which identifies the worker's sessions."""
        self._thread.start()
        data = self.folder / "data"
        data.mkdir()
        if os.geteuid() == 0:
            mounting = subprocess.run(
                ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "none", str(data)], check=False
            )
            self.small = mounting.returncode == 0
            shutil.chown(data, "postgres")
        self.make()
        self.start()
        self.address = self.new()
        for number in range(workers):
            self.tell("postgres", f"CREATE ROLE {role(number)} SUPERUSER LOGIN")

    def hurt_on_demand(self) -> None:
        """Prepares `hurt`, once the program has made its tables."""
        self.tell(self.name, _HURTS + "".join(_HURT.format(table) for table in _HURT_TABLES))

    @property
    def name(self) -> str:
        """The name of the database."""
        return self.address.url.split("/")[3].split("?")[0]

    def through(self, port: int, number: int) -> str:
        """Returns the database's address for a worker, through the proxy at that port."""
        return f"postgresql://{role(number)}@127.0.0.1:{port}/{self.name}"

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Runs a statement in the store's SQL dialect and returns its rows; raises AwayError."""
        told, given = translate_statement(sql, values)
        try:
            return asyncio.run_coroutine_threadsafe(self._ask(told, given), self._loop).result(_PATIENCE)
        except asyncpg.SyntaxOrAccessError:
            raise
        except (*POSTGRES_ERRORS, TimeoutError) as error:
            raise AwayError(str(error)) from error

    def holder(self) -> int | None:
        """Returns the process that plays; None if none does. Raises AwayError."""
        found = self.query(
            "SELECT usename::text FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory'"
            " AND classid::bigint = ? AND objid::bigint = 0 AND objsubid = 2 AND granted = TRUE",
            LOCK_ID,
        )
        return int(found[0][0].removeprefix("worker")) if found else None

    async def _ask(self, sql: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        async with self._turn:
            if self._asking is None or self._asking.is_closed():
                self._asking = await asyncpg.connect(self.address.url, timeout=2)
            try:
                return [tuple(row) for row in await self._asking.fetch(sql, *values, timeout=5)]
            except POSTGRES_ERRORS:
                self._asking.terminate()
                raise

    def hurt(self, code: str | None, every: int = 1) -> None:
        """From now on one change in so many is refused at its commit with that SQLSTATE; None: no more of it.

        Errors: AwayError.
        """
        self.query("UPDATE test.hurt SET code = ?, every = ?", code, every)

    def fill(self) -> None:
        """Fills the small disk to the last byte."""
        with suppress(OSError), (self.folder / "data" / "ballast").open("wb", buffering=0) as ballast:
            while ballast.write(b"\0" * 4096):
                pass

    def mend(self) -> None:
        """Frees the disk, and restarts the server if it has stopped."""
        (self.folder / "data" / "ballast").unlink(missing_ok=True)
        until = time.monotonic() + _PATIENCE
        while self._server is None or self._server.poll() is not None:
            try:
                self.start()
            except AssertionError:  # what is left of the one before still holds its memory
                if time.monotonic() > until:
                    raise

    def tear_down(self) -> None:
        """Stops the server and removes everything of it."""
        if self._thread.is_alive():
            if self._asking is not None:
                self._loop.call_soon_threadsafe(self._asking.terminate)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop.close()
        with suppress(subprocess.TimeoutExpired):
            self.stop(at_once=True)
        if self.small:
            subprocess.run(["umount", "-l", str(self.folder / "data")], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def role(number: int) -> str:
    """Returns the database role of a worker."""
    return f"worker{number}"


@contextmanager
def running(workers: int) -> Iterator[Database]:
    """Runs a server with a role for each of so many workers. Skips the test if PostgreSQL is not installed."""
    bin_folder = programs()
    if bin_folder is None:
        pytest.skip(MISSING)
    database = Database(Path(tempfile.mkdtemp(prefix="rt-pg-")), bin_folder)
    try:
        database.set_up(workers)
        yield database
    finally:
        database.tear_down()
