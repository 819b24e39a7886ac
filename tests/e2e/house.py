"""The real bot in a process of its own, and the sandbox Discord that it talks to."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from bot.core.settings import GuildSettings, Threads
from bot.demo import SANDBOX_PROFILE
from bot.store import Store
from bot.store.connection import Address
from bot.store.servers import set_guild_settings
from sandbox import Hardness, Sandbox
from sandbox.people import Person
from sandbox.world import BOT_ID
from tests.e2e import program_starts
from tests.e2e.database import ask, ask_all, is_there
from tests.e2e.machine_clocks import Machine
from tests.postgresql import database_at
from tests.sandbox.openapi_check import DOCUMENT, check_payload

ROOT = Path(__file__).parents[2]
PATIENCE = 150.0
"""Seconds within which the bot must be online after a start, or gone after a signal."""

Json = dict[str, Any]


def environment(**settings: str) -> dict[str, str]:
    """Returns an environment with these settings of the program and no others."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ROUNDTABLE_", "DISCORD_"))}
    # Modules are kept compiled, as pip leaves them: else a third of each of hundreds of starts would be the compiler's.
    ours = {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": ""}
    return {**kept, **ours, **settings}


class Bot:
    """`python -m bot` as a process that can be started, stopped and killed. Its log is in `folder`.

    `module` may name another way to run it, such as `tests.e2e.hasty_program`. With `warm`, it is forked from a process
    that has loaded its modules; else a new interpreter starts.
    """

    warm = True

    def __init__(self, folder: Path, module: str = "bot", **settings: str) -> None:
        self.folder = folder
        self.database = database_at(folder / "roundtable.db")
        self._module = module
        self._log = folder / "bot.log"
        self._settings = {"ROUNDTABLE_DB": self.where, **settings}
        self._process: program_starts.Process | None = None

    @property
    def where(self) -> str:
        """The database, as the setting names it."""
        return self.database.url if isinstance(self.database, Address) else str(self.database)

    @property
    def log(self) -> str:
        """Everything that the bot has printed so far, over all its starts."""
        return self._log.read_text("utf-8") if self._log.exists() else ""

    @property
    def running(self) -> bool:
        """True if the process was started and has not ended."""
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Starts the process in its own folder, so that no `.env` of a developer is read."""
        assert not self.running
        self._process = await program_starts.start(
            self._module, environment(**self._settings), self.folder, self._log, warm=self.warm
        )

    async def end(self, number: int) -> int:
        """Sends that signal, waits for the end and returns the exit code."""
        assert self._process is not None
        if self.running:
            self._process.send_signal(number)
        async with asyncio.timeout(PATIENCE):
            return await self._process.wait()

    def kill_now(self) -> None:
        """Sends SIGKILL without waiting for the end."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)

    def events(self) -> list[tuple[Any, ...]]:
        """Returns all stored events of all games: (match, seq, kind, user, body)."""
        return self.query("SELECT match, seq, kind, user, body FROM events ORDER BY match, seq")

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Runs a statement on the database beside the running program and returns its rows."""
        return ask(self.database, sql, *values)

    def query_all(self, statements: Iterable[str]) -> list[list[tuple[Any, ...]]]:
        """Returns the rows of each of those questions, which are asked over one connection."""
        return ask_all(self.database, statements)


class House:
    """A sandbox Discord with the bot in it; the bot may be killed and restarted while Discord keeps running.

    `meddle`, if set, gets every request of the bot before Discord does, and may raise ValueError to have it refused.
    `strange` collects requests and answers that Discord's own description of its API does not allow.
    """

    warm = True
    """See `Bot`."""
    answer_within = 20.0
    """Seconds that the bot has for a first answer: more than Discord's three, as the machine may be busy. Hunts that
    try the three set them.
    """
    hardness = Hardness()
    """How hard Discord is at first; hunts set `HARD`."""

    def __init__(self, folder: Path, module: str = "bot", **settings: str) -> None:
        self._folder = folder
        self._module, self._settings = module, settings
        self.meddle: Callable[[str, str, Any], None] | None = None
        self.strange: list[str] = []
        self.server: Sandbox
        self.bot: Bot

    async def open(self, *, start: bool = True) -> None:
        """Starts Discord and, if `start`, the bot; if that fails, stops both."""
        pace = float(self._settings.get("HASTY_PACE", 1))  # what the bot waits for comes sooner where it waits less
        hardness = replace(
            self.hardness,
            answer_within=self.answer_within,
            pace=pace,
            identify_every=self.hardness.identify_every / pace,
        )
        self.server = await Sandbox.start(
            self._folder / "world", check=self._check, hardness=hardness, profile=SANDBOX_PROFILE
        )
        if clock := self._settings.get("HASTY_CLOCK"):
            self.server.faults.clock = Machine(Path(clock)).true_time
        for guild in tuple(self.server.world.guilds.values()):  # else the first table would settle their language
            self.server.world.put(replace(guild, community=True))
        self.bot = Bot(self._folder, self._module, ROUNDTABLE_SANDBOX_URL=self.url, **self._settings)
        self.bot.warm = self.warm
        try:
            if start:
                await self.start_bot()
        except BaseException:
            await self.close()
            raise

    async def furnish(self) -> None:
        """Sets both servers to keep boards in the channel of the table unless its host wants a thread.

        So most tests look into one channel. `test_homes.py` tests a server's defaults.
        """
        if not is_there(self.bot.database):
            async with Store.open(self.bot.database) as store, store.write_transaction() as tx:
                for guild in self.server.world.guilds:
                    await set_guild_settings(tx, guild, GuildSettings(threads=Threads.ASK))

    async def close(self) -> None:
        """Ends both, even after a crash."""
        if self.bot.running:
            await self.bot.end(signal.SIGKILL)
        await self.server.close()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @asynccontextmanager
    async def faultless(self) -> AsyncIterator[Self]:
        """Opens the house; asserts afterwards that the bot logged no error and sent nothing Discord would refuse."""
        await self.open()
        try:
            yield self
        finally:
            await self.close()
            print(self.bot.log)  # pytest shows it where the test has failed
        assert self.strange == []
        assert unresolved(self) == []
        assert complaints(self.bot.log) == []

    @property
    def url(self) -> str:
        """The sandbox's address."""
        return self.server.url

    async def join(self, name: str) -> Person:
        """Returns the person of that name, with the page open."""
        return await Person.join(self.url, name)

    async def start_bot(self) -> None:
        """Starts the bot and waits for it to be online."""
        await self.furnish()
        await self.bot.start()
        await self.until(lambda: self.server.gateway.online, "online")

    async def stop_bot(self) -> int:
        """Sends SIGTERM, waits for the end and returns the exit code."""
        code = await self.bot.end(signal.SIGTERM)
        await self.until(lambda: not self.server.gateway.online, "offline")
        return code

    async def kill_bot(self) -> None:
        """Sends SIGKILL, which no process can handle, and waits for the end."""
        await self.bot.end(signal.SIGKILL)
        await self.until(lambda: not self.server.gateway.online, "offline")

    async def replace_bot(self) -> None:
        """Kills the bot, and starts it again."""
        await self.kill_bot()
        await self.start_bot()

    async def until(self, come_true: Callable[[], bool], what: str) -> None:
        """Waits until the condition is true; raises AssertionError with `what` and the log if it takes too long."""
        begun = time.monotonic()
        while not come_true():
            assert time.monotonic() - begun < PATIENCE, f"not {what}:\n{self.bot.log[-3000:]}"
            assert self.bot.running or what != "online", f"the bot has ended:\n{self.bot.log[-3000:]}"
            await asyncio.sleep(0.02)

    def _check(self, method: str, template: str, payload: object) -> None:
        if self.meddle is not None:
            self.meddle(method, template, payload)
        if DOCUMENT.is_file():
            try:
                check_payload(method, template, payload)
            except ValueError as error:
                self.strange.append(str(error))
                raise


def unresolved(house: House, after: int = 0) -> list[str]:
    """Returns the bot's messages with a mention whose name Discord would not send to a reader who knows nobody."""
    world = house.server.world
    said = (message for place in world.channels for message in world.messages(place))
    return [
        f"{message.content} (told of: {message.mentions})"
        for message in said
        if message.id > after and message.author_id == BOT_ID
        if not {int(number) for number in re.findall(r"<@(\d+)>", message.content)} & {*world.people}
        <= {*message.mentions}
    ]


def complaints(log: str) -> list[str]:
    """Returns the lines of a log that report an error, or a warning with an exception."""
    signs = ("level=error", "level=critical", "Traceback", "exception=")
    return [line for line in log.splitlines() if any(sign in line for sign in signs)]
