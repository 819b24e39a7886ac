"""Starts a real PostgreSQL in a temporary folder, so that tests touch no other server."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest

from bot.store.connection import Address, Database

MISSING = "no PostgreSQL here: it needs Debian's postgresql"
_PORT = 5432
_USER = "postgres"


def programs() -> Path | None:
    """Returns the program folder of the latest installed server; None if none is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    there = shutil.which("postgres")
    return Path(there).parent if there else None


class Cluster:
    """A PostgreSQL server with a socket in its folder."""

    initdb: tuple[str, ...] = ()
    """Further arguments of `initdb`."""
    options: tuple[str, ...] = ("fsync=off", "shared_buffers=16MB")
    """Settings of the server."""

    def __init__(self, folder: Path, bin_folder: Path) -> None:
        self.folder = folder
        self._bin = bin_folder
        self._owner = _USER if os.geteuid() == 0 else None  # PostgreSQL does not run as root
        self._numbers = count(1)
        self._server: subprocess.Popen[bytes] | None = None

    def make(self) -> None:
        """Makes the cluster."""
        if self._owner:
            shutil.chown(self.folder, self._owner)
        data = str(self.folder / "data")
        how = ("--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C", f"--username={_USER}")
        self._run("initdb", "-D", data, *how, *self.initdb)

    def start(self) -> None:
        """Starts the server, and waits until it answers."""
        options = ("listen_addresses=", f"unix_socket_directories={self.folder}", *self.options)
        command = [str(self._bin / "postgres"), "-D", str(self.folder / "data"), "-p", str(_PORT)]
        command += [part for option in options for part in ("-c", option)]
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(command, stdout=log, stderr=log, user=self._owner, cwd=self.folder)
        for _ in range(200):
            ready = subprocess.run(
                [str(self._bin / "pg_isready"), "-q", "-h", str(self.folder), "-p", str(_PORT)], check=False
            )
            if ready.returncode == 0:
                return
            assert self._server.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.05)
        raise AssertionError((self.folder / "log").read_text())

    def stop(self, *, at_once: bool = False) -> None:
        """Stops the server: fast, or at once as in a crash."""
        if self._server:
            (self._server.send_signal(3) if at_once else self._server.send_signal(2))
            self._server.wait(30)
            self._server = None

    def new(self) -> Address:
        """Returns the address of a new, empty database."""
        name = f"test{next(self._numbers)}"
        self.tell("postgres", f"CREATE DATABASE {name}")
        return Address(f"postgresql://{_USER}@/{name}?host={self.folder}&port={_PORT}")

    def tell(self, name: str, sql: str) -> str:
        """Runs a statement in that database and returns what `psql` prints."""
        where = ("-h", str(self.folder), "-p", str(_PORT), "-U", _USER, "-d", name)
        return self._run("psql", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", *where, "-c", sql)

    def _run(self, program: str, *arguments: str) -> str:
        done = subprocess.run(
            [str(self._bin / program), *arguments], user=self._owner, cwd=self.folder, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


stand_ins: Mapping[Path, Address] | None = None
"""With --postgresql, the database in place of each file; else None."""


def database_at(path: Path) -> Database:
    """Returns the database in that file, or the PostgreSQL database in its place."""
    return path if stand_ins is None else stand_ins[path.resolve()]


@contextmanager
def running(*options: str) -> Iterator[Cluster]:
    """Starts a server, with these settings if any are given, and removes it afterwards.

    Skips the test where PostgreSQL is not installed.
    """
    bin_folder = programs()
    if bin_folder is None:
        pytest.skip(MISSING)
    # Not below pytest's folder, which is shut to the server's user; and the name of a socket must be short.
    folder = Path(tempfile.mkdtemp(prefix="rt-pg-"))
    cluster = Cluster(folder, bin_folder)
    cluster.options = options or cluster.options
    try:
        cluster.make()
        cluster.start()
        yield cluster
    finally:
        with suppress(subprocess.TimeoutExpired):
            cluster.stop(at_once=True)  # nobody needs what it would write first
        shutil.rmtree(folder, ignore_errors=True)
