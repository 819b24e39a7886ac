"""The person who sent an interaction, and what their answer takes: the context, their turn, their pace."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Sequence
from functools import cached_property
from math import ceil
from typing import Any, ParamSpec, TypeVar

from discord import app_commands

from bot.core.acts import Act
from bot.core.deadlines import Actor
from bot.core.match import Match, MatchSummary
from bot.core.problems import MatchError, Problem
from bot.core.settings import UserSettings
from bot.discordkit.interactions import NAME_KEY
from bot.discordkit.reply import Interaction, now, reader_language, server_here
from bot.play.context import BotContext
from bot.play.limits import limits_of
from bot.play.service.people import user_settings
from bot.store import Fault, StoreError
from bot.texts.i18n import Language, text

P = ParamSpec("P")
HeavyResultT = TypeVar("HeavyResultT")

CALLER_KEY = "caller"
"""The key of an interaction's extras that holds its `Caller`."""
TURN_KEY = "turn"
"""The key of an interaction's extras that holds the function to end its turn for a heavy question."""


def failure_sentence(locale: Language, error: BaseException, code: str) -> str:
    """Returns the sentence for an error that people cannot cause, with the code that finds it in the log."""
    key = "failure.unknown"
    if isinstance(error, StoreError):  # something was not saved, or perhaps not
        key = "storage.unknown" if error.fault is Fault.UNKNOWN else "storage.failing"
    return text(locale, key, code=f"`{code}`")


def context_of(interaction: Interaction) -> BotContext:
    """Returns the context of the client that received the interaction."""
    context: BotContext = interaction.client.context
    return context


class Caller:
    """The person who sent an interaction, with what nearly every answer needs, and the time at which they act. There is
    one for each interaction: see `caller_of`.
    """

    def __init__(self, interaction: Interaction) -> None:
        self.context = context_of(interaction)
        self.service = self.context.service
        self.user: int = interaction.user.id
        self.locale = reader_language(interaction)
        self.guild_or_none = server_here(interaction)
        """The server; None in direct messages and in servers that the bot has not joined. Private answers work there
        too.
        """
        self._live_games: Sequence[MatchSummary] | None = None

    @cached_property
    def now(self) -> int:
        """When they act. Read once, at the first need: thus after an answer of Discord's, which may have shown that the
        clock of the machine is wrong.
        """
        return now()

    @property
    def person(self) -> Actor:
        """The person as services know them, also in direct messages."""
        return Actor(self.user, self.now, self.guild_or_none)

    @property
    def guild(self) -> int:
        """The server. Raises NoPrivateMessage if there is none: games are played in servers only."""
        if self.guild_or_none is None:
            raise app_commands.NoPrivateMessage
        return self.guild_or_none

    @property
    def actor(self) -> Actor:
        """The person as acts know them, in a server. Raises NoPrivateMessage like `guild`."""
        return self.person._replace(guild=self.guild)

    async def act(self, match_id: int, act: Act) -> Match:
        """Stores what the person does to the match, and returns the match after it."""
        return await self.service.act(self.actor, match_id, act)

    async def list_live_games(self) -> Sequence[MatchSummary]:
        """Returns the person's live games in the server. They are read once for each interaction."""
        if self._live_games is None:
            self._live_games = await self.service.reader.games_of(self.guild, self.user, live=True)
        return self._live_games

    async def load_settings(self) -> UserSettings:
        """Returns how the person likes their boards."""
        return await user_settings(self.service, self.user)


def caller_of(interaction: Interaction) -> Caller:
    """Returns the person who sent the interaction, the same for all that answers it."""
    caller: Caller = interaction.extras.get(CALLER_KEY) or Caller(interaction)
    interaction.extras[CALLER_KEY] = caller
    return caller


async def take_turn(interaction: Interaction) -> None:
    """Waits for the person's turn to ask a heavy question. The turn lasts until the question is answered.

    Raises Declined if their other questions take too long.
    """
    if TURN_KEY not in interaction.extras:
        interaction.extras[TURN_KEY] = await context_of(interaction).question_turns.wait_for_turn(interaction.user.id)


async def run_in_turn(interaction: Interaction, work: Coroutine[Any, Any, HeavyResultT]) -> HeavyResultT:
    """Returns the result of a heavy question, asked in the person's turn: see `take_turn`."""
    try:
        await take_turn(interaction)
        return await work
    finally:
        work.close()


def end_turn(interaction: Interaction) -> None:
    """Ends the interaction's turn, if it has one."""
    if end := interaction.extras.pop(TURN_KEY, None):
        end()


async def run_heavy(
    interaction: Interaction, work: Callable[P, HeavyResultT], *args: P.args, **kwargs: P.kwargs
) -> HeavyResultT:
    """Runs the function in the thread as the person's heavy question, and returns its result: see `run_in_turn`."""
    thread = context_of(interaction).pictures.thread
    return await run_in_turn(interaction, thread.run_work(work, *args, **kwargs))


async def run_heavy_in_steps(interaction: Interaction, steps: Generator[None, None, HeavyResultT]) -> HeavyResultT:
    """Runs the generator like `run_heavy` and returns its result. Other work has its turn between its steps."""
    return await run_in_turn(interaction, context_of(interaction).pictures.thread.run_steps(steps))


def public_language(interaction: Interaction) -> Language:
    """Returns the language of public posts in the server of the interaction."""
    return context_of(interaction).servers.language_of(server_here(interaction) or 0)


def check_pace(interaction: Interaction, *names: str) -> None:
    """Counts an act against those limits, by default against its own. Raises TOO_OFTEN if the person has done it too
    often lately.
    """
    limits = names or limits_of(interaction.extras[NAME_KEY])
    if wait := context_of(interaction).act_counts.count_act(interaction.user.id, *limits):
        raise MatchError(Problem.TOO_OFTEN, again=now() + ceil(wait))


async def defer_board(interaction: Interaction, *, public: bool) -> None:
    """Defers an answer with a board, in the person's turn and pace. Comes last: errors before it are private, even if
    the board is public.
    """
    await take_turn(interaction)
    if public:
        check_pace(interaction, "boards for all")
    await interaction.response.defer(ephemeral=not public, thinking=True)


def may_share(interaction: Interaction) -> bool:
    """Counts a press that posts a board. Returns False for a double click on the same button.

    Raises TOO_OFTEN if the person has shared too many boards lately.
    """
    custom_id, counts = str(dict[str, object](interaction.data or {})["custom_id"]), context_of(interaction).act_counts
    check_pace(interaction, "boards for all")
    return not counts.count_act(interaction.user.id, "a button pressed twice", of=custom_id)
