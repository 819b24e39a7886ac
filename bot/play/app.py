"""What commands are handed: the services, the pictures, and what posts by itself. None of them asks the client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, ParamSpec, TypeVar

import discord
from cachetools import LRUCache
from discord import app_commands
from discord.ext.commands import Cooldown, CooldownMapping

from bot.core.events import Event
from bot.core.match import Match
from bot.core.preferences import Preferences
from bot.core.problems import MatchError, Problem
from bot.discordkit import wall_clock
from bot.discordkit.errors import Declined
from bot.discordkit.fair_thread import Priority, QuestionTurns
from bot.discordkit.metrics import Metrics
from bot.discordkit.pictures import Pictures
from bot.discordkit.reply import Interaction, defer_if_slow, now, picture_file, reader_language, server_here
from bot.ladder.posts import LadderAnnouncer
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.audit import Auditor
from bot.play.announcing.context import BackgroundTasks, BotContext
from bot.play.announcing.people import LANGUAGE_CACHE_SIZE, DisplayNames, ServerSettings
from bot.play.engine import Engine
from bot.play.service import Service
from bot.texts.i18n import Language
from render import THEMES, View

P = ParamSpec("P")
HeavyResultT = TypeVar("HeavyResultT")

TURN_KEY = "turn"
"""Under which an interaction has what ends its turn to ask a heavy question."""

RateLimitKey = tuple[int, str]
"""Somebody, and what they do."""

MatchDecision = Callable[[Match, int, int], tuple[Event, ...]]
"""A decision of one person: match, user, time."""

POST_LIMIT = Cooldown(6, 60)
"""Posts of each kind that one person may make the bot write, and in how many seconds. Moves are limited by turns."""
DOUBLE_CLICK_LIMIT = Cooldown(1, 10)
"""The same of one press that posts something: whatever comes within so many seconds more is a slip of the thumb."""
SEARCH_LIMIT = Cooldown(4, 600)
"""The same of searches through all that was ever played: everybody else waits for them."""


@dataclass(frozen=True, eq=False)
class App(BotContext):
    """The parts of the running program."""

    announcer: Announcer
    ladder_announcer: LadderAnnouncer
    auditor: Auditor
    post_limits: CooldownMapping[RateLimitKey] = field(default_factory=lambda: make_rate_limits(POST_LIMIT))
    double_click_limits: CooldownMapping[RateLimitKey] = field(
        default_factory=lambda: make_rate_limits(DOUBLE_CLICK_LIMIT)
    )
    search_limits: CooldownMapping[RateLimitKey] = field(default_factory=lambda: make_rate_limits(SEARCH_LIMIT))
    question_turns: QuestionTurns = field(default_factory=QuestionTurns)
    review_turns: QuestionTurns = field(default_factory=QuestionTurns)
    """Those that are thought about for a minute, by the engine; meanwhile one may ask something else."""


def build_app(client: discord.Client, service: Service, pictures: Pictures, metrics: Metrics) -> App:
    """The parts, put together for that client."""
    servers = ServerSettings(client, service)
    names, languages = DisplayNames(client, servers), LRUCache[int, Language](LANGUAGE_CACHE_SIZE)
    context = BotContext(
        client, service, pictures, metrics, Engine(), servers, names, languages, BackgroundTasks(), asyncio.Event()
    )
    auditor, ladder_announcer = Auditor(context), LadderAnnouncer(context)
    announcer = Announcer(context, auditor, ladder_announcer)
    return App(**vars(context), announcer=announcer, ladder_announcer=ladder_announcer, auditor=auditor)


def app_of(interaction: Interaction) -> App:
    """The parts of the program that answers the interaction."""
    parts: App = interaction.client.app
    return parts


class Caller:
    """Whoever has sent an interaction: what nearly every answer to it has to know."""

    def __init__(self, interaction: Interaction) -> None:
        self.service = app_of(interaction).service
        self.user: int = interaction.user.id
        self.locale = reader_language(interaction)
        self.guild_or_none = server_here(interaction)
        """The server, or None in direct messages and where the bot is not: what is private works there as well."""

    @property
    def guild(self) -> int:
        """The server. Raises NoPrivateMessage where the bot is in none: games are played in servers only."""
        if self.guild_or_none is None:
            raise app_commands.NoPrivateMessage
        return self.guild_or_none

    async def act_on_match(self, match_id: int, decide: MatchDecision) -> Match:
        """The match after what they decide about it now, which is stored."""
        return await self.service.act_on_match(match_id, self.guild, lambda match, _: decide(match, self.user, now()))

    async def load_preferences(self) -> Preferences:
        """How they like their boards."""
        return await self.service.people.preferences_of(self.user)


async def take_turn(interaction: Interaction) -> None:
    """Wait until it is the person's turn to ask a heavy question; the turn lasts until they are answered.

    Raises Declined where others of theirs take too long.
    """
    if TURN_KEY not in interaction.extras:
        interaction.extras[TURN_KEY] = await app_of(interaction).question_turns.wait_for_turn(interaction.user.id)


async def run_in_turn(interaction: Interaction, work: Coroutine[Any, Any, HeavyResultT]) -> HeavyResultT:
    """What a heavy question brings, in the person's turn: see `take_turn`, and `defer_if_slow`."""

    async def work_in_turn() -> HeavyResultT:
        try:
            await take_turn(interaction)
            return await work
        finally:
            work.close()

    return await defer_if_slow(interaction, work_in_turn())


def end_turn(interaction: Interaction) -> None:
    """End the turn that the interaction had, if it had one."""
    if end := interaction.extras.pop(TURN_KEY, None):
        end()


async def run_heavy(
    interaction: Interaction, work: Callable[P, HeavyResultT], *args: P.args, **kwargs: P.kwargs
) -> HeavyResultT:
    """What the function returns, which runs in the thread as that person's heavy question: see `run_in_turn`."""
    thread = app_of(interaction).pictures.thread
    return await run_in_turn(interaction, thread.run_work(Priority.PERSON, work, *args, **kwargs))


async def run_heavy_in_steps(interaction: Interaction, steps: Generator[None, None, HeavyResultT]) -> HeavyResultT:
    """What the generator returns, as `run_heavy`; between its steps others go first."""
    thread = app_of(interaction).pictures.thread
    return await run_in_turn(interaction, thread.run_steps(Priority.PERSON, steps))


async def open_form(interaction: Interaction, form: discord.ui.Modal) -> None:
    """Open a form. Raises Declined where it took too long to find what stands in it: then Discord takes none."""
    if interaction.response.is_done():
        raise Declined("failure.busy")
    await interaction.response.send_modal(form)


async def draw_picture(
    interaction: Interaction, view: View, preferences: Preferences, name: str, words: str
) -> discord.File:
    """The picture of that view, for somebody who likes their boards so; `words` is its alt text."""
    view = replace(view, theme=THEMES[preferences.theme], coordinates=preferences.coordinates)
    return picture_file(await run_in_turn(interaction, app_of(interaction).pictures.draw_board(view)), name, words)


def public_language(interaction: Interaction) -> Language:
    """The language of public posts in the server where this happened."""
    return app_of(interaction).servers.language_of(server_here(interaction) or 0)


def check_post_rate(interaction: Interaction, kind: str) -> None:
    """Note a post of that kind. Raises TOO_OFTEN where the person has made too many of them lately."""
    _count_against(app_of(interaction).post_limits, interaction, kind)


def may_share(interaction: Interaction) -> bool:
    """Note a press that posts a board. False for the second one of the same button, before that was gone.

    Raises TOO_OFTEN where the person has shared too many of them lately.
    """
    data: dict[str, Any] = dict(interaction.data or {})
    limit_bucket = app_of(interaction).double_click_limits.get_bucket(
        (interaction.user.id, str(data["custom_id"])), wall_clock.steady_seconds()
    )
    if limit_bucket is None or limit_bucket.get_retry_after(wall_clock.steady_seconds()):
        return False
    check_post_rate(interaction, "board")
    limit_bucket.update_rate_limit(wall_clock.steady_seconds())
    return True


def check_search_rate(interaction: Interaction, kind: str) -> None:
    """Note a search of that kind. Raises TOO_OFTEN where the person has asked for too many of them lately."""
    _count_against(app_of(interaction).search_limits, interaction, kind)


def _count_against(acts: CooldownMapping[RateLimitKey], interaction: Interaction, kind: str) -> None:
    wait = acts.update_rate_limit((interaction.user.id, kind), wall_clock.steady_seconds())
    if wait:
        raise MatchError(Problem.TOO_OFTEN, again=now() + ceil(wait))


def make_rate_limits(cooldown: Cooldown) -> CooldownMapping[RateLimitKey]:
    """Counts what each person does of each kind, up to that."""
    return CooldownMapping(cooldown, lambda act: act)
