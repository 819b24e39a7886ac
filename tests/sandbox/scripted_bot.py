"""A small real discord.py bot that does in each test what the test tells it to."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import discord
from discord import app_commands
from discord.gateway import KeepAliveHandler

from sandbox import TOKEN

Act = Callable[[discord.Interaction["ScriptedBot"]], Awaitable[Any]]
Suggest = Callable[[discord.Interaction["ScriptedBot"], str], Awaitable[list[app_commands.Choice[str]]]]


class ScriptedBot(discord.Client):
    """The bot. `act` answers its commands, `press` its buttons, menus and forms; what they raise lands in `errors`."""

    def __init__(self, http_trace: aiohttp.TraceConfig | None = None) -> None:
        super().__init__(
            intents=discord.Intents(guilds=True), max_messages=None, guild_ready_timeout=0.01, http_trace=http_trace
        )
        self.tree = app_commands.CommandTree(self)
        self.act: Act = _say_done
        self.press: Act = _say_done
        self.suggest: Suggest = _suggest_nothing
        self.errors: list[Exception] = []
        self.events: list[str] = []
        self.resumed = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        _add_commands(self)

    async def begin(self) -> None:
        """Logs in, and waits until the servers are known."""
        self._running = asyncio.create_task(self.start(TOKEN))
        # A task of its own, so that the client has begun to start: since 3.12 wait_for steps in at once.
        await asyncio.wait_for(asyncio.create_task(self.wait_until_ready()), 60)

    async def end(self) -> None:
        """Logs out."""
        await self.close()
        if self._running is not None:
            await self._running
        await still(self)

    async def setup_hook(self) -> None:
        await self.tree.sync()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Leaves out the five seconds that Discord's limit asks for before each further IDENTIFY."""

    async def on_socket_event_type(self, name: str) -> None:
        self.events.append(name)

    async def on_resumed(self) -> None:
        self.resumed.set()

    async def on_interaction(self, asked: discord.Interaction[ScriptedBot]) -> None:
        if asked.type in (discord.InteractionType.component, discord.InteractionType.modal_submit):
            await self.obey(self.press, asked)

    async def obey(self, act: Act, asked: discord.Interaction[ScriptedBot]) -> None:
        """Runs an act; its error is kept for the test to look at."""
        try:
            await act(asked)
        except Exception as error:  # noqa: BLE001 - the test looks at whatever it is
            self.errors.append(error)

    def channel(self, name: str) -> discord.TextChannel:
        """A text channel by its name."""
        found = discord.utils.get(self.get_all_channels(), name=name)
        assert isinstance(found, discord.TextChannel)
        return found


async def still(client: discord.Client) -> None:
    """Waits for the threads that keep a client's connections alive: one that outlives the loop complains of it.

    discord.py forgets the thread of a connection that broke off between HELLO and READY.
    """
    ours = [
        thread
        for thread in threading.enumerate()
        if isinstance(thread, KeepAliveHandler) and thread.ws._connection is client._connection
    ]
    for thread in ours:
        thread.stop()
        await asyncio.to_thread(thread.join, 5)


async def _say_done(asked: discord.Interaction[ScriptedBot]) -> None:
    await asked.response.send_message("done")


async def _suggest_nothing(_: discord.Interaction[ScriptedBot], __: str) -> list[app_commands.Choice[str]]:
    return []


class _Norwegian(app_commands.Translator):
    """Translates "play" and its description, to see that people get their own language."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        if locale is not discord.Locale.norwegian:
            return None
        return {"play": "spill", "Start a game": "Start et parti", "variant": "spillet"}.get(string.message)


def _add_commands(bot: ScriptedBot) -> None:
    tree = bot.tree

    @tree.command(name="play", description="Start a game")
    @app_commands.choices(
        variant=[
            app_commands.Choice(name="Camelot", value="camelot"),
            app_commands.Choice(name="Cam 3-D", value="cam-3d"),
        ]
    )
    async def play(
        asked: discord.Interaction[ScriptedBot],
        variant: str,
        opponent: discord.User | None = None,  # a Member where the person is one here
        rounds: app_commands.Range[int, 1, 9] = 1,
        thread: bool = False,
    ) -> None:
        asked.extras.update(variant=variant, opponent=opponent, rounds=rounds, thread=thread)
        await bot.obey(bot.act, asked)

    @tree.command(name="move", description="Move a piece")
    async def move(asked: discord.Interaction[ScriptedBot], move: str, game: str = "") -> None:
        asked.extras.update(move=move, game=game)
        await bot.obey(bot.act, asked)

    @move.autocomplete("move")
    async def suggest(asked: discord.Interaction[ScriptedBot], typed: str) -> list[app_commands.Choice[str]]:
        return await bot.suggest(asked, typed)

    group = app_commands.Group(name="game", description="Games")

    @group.command(name="end", description="End a game")
    async def end(asked: discord.Interaction[ScriptedBot], reason: str = "") -> None:
        asked.extras.update(reason=reason)
        await bot.obey(bot.act, asked)

    tree.add_command(group)

    @tree.command(name="rule", description="For stewards")
    @app_commands.default_permissions(manage_guild=True)
    @app_commands.guild_only()
    async def rule(asked: discord.Interaction[ScriptedBot]) -> None:
        await bot.obey(bot.act, asked)


async def translate(bot: ScriptedBot) -> None:
    """Registers the commands again, with Norwegian words."""
    await bot.tree.set_translator(_Norwegian())
    await bot.tree.sync()


async def until(probe: Callable[[], bool]) -> None:
    """Waits for something that discord.py announces by no event. Errors: TimeoutError after a minute."""
    async with asyncio.timeout(60):
        while not probe():  # noqa: ASYNC110 - as said, there is no event to wait for
            await asyncio.sleep(0.005)
