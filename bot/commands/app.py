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

from bot.kit import wall_clock
from bot.kit.engine import Engine
from bot.kit.errors import Declined
from bot.kit.fair_thread import Priority, Questions
from bot.kit.metrics import Metrics
from bot.kit.pictures import Pictures
from bot.kit.reply import Interaction, here, in_time, now, picture, reader
from bot.match.events import Event
from bot.match.match import Match
from bot.people.preferences import Preferences
from bot.people.problems import MatchError, Problem
from bot.posting.announcer import Announcer
from bot.posting.audit import Auditor
from bot.posting.desk import Desk, Errands
from bot.posting.ladders import LadderAnnouncer
from bot.posting.people import REMEMBERED, Names, Servers
from bot.service import Service
from bot.texts.i18n import Language
from render import THEMES, View

P = ParamSpec("P")
T = TypeVar("T")

TURN = "turn"
"""Under which an interaction has what ends its turn to ask a heavy question."""

Act = tuple[int, str]
"""Somebody, and what they do."""

Decide = Callable[[Match, int, int], tuple[Event, ...]]
"""A decision of one person: match, user, time."""

POSTS = Cooldown(6, 60)
"""Posts of each kind that one person may make the bot write, and in how many seconds. Moves are limited by turns."""
SLIPS = Cooldown(1, 10)
"""The same of one press that posts something: whatever comes within so many seconds more is a slip of the thumb."""
SEARCHES = Cooldown(4, 600)
"""The same of searches through all that was ever played: everybody else waits for them."""


@dataclass(frozen=True, eq=False)
class App(Desk):
    """The parts of the running program."""

    announcer: Announcer
    ladder_announcer: LadderAnnouncer
    auditor: Auditor
    calm: CooldownMapping[Act] = field(default_factory=lambda: limit(POSTS))
    slips: CooldownMapping[Act] = field(default_factory=lambda: limit(SLIPS))
    searches: CooldownMapping[Act] = field(default_factory=lambda: limit(SEARCHES))
    questions: Questions = field(default_factory=Questions)
    reviews: Questions = field(default_factory=Questions)
    """Those that are thought about for a minute, by the engine; meanwhile one may ask something else."""


def build(client: discord.Client, service: Service, pictures: Pictures, metrics: Metrics) -> App:
    """The parts, put together for that client."""
    servers = Servers(client, service)
    names, languages = Names(client, servers), LRUCache[int, Language](REMEMBERED)
    desk = Desk(client, service, pictures, metrics, Engine(), servers, names, languages, Errands(), asyncio.Event())
    auditor, ladder_announcer = Auditor(desk), LadderAnnouncer(desk)
    announcer = Announcer(desk, auditor, ladder_announcer)
    return App(**vars(desk), announcer=announcer, ladder_announcer=ladder_announcer, auditor=auditor)


def app(interaction: Interaction) -> App:
    """The parts of the program that answers the interaction."""
    parts: App = interaction.client.app
    return parts


class Asker:
    """Whoever has sent an interaction: what nearly every answer to it has to know."""

    def __init__(self, interaction: Interaction) -> None:
        self.service = app(interaction).service
        self.user: int = interaction.user.id
        self.locale = reader(interaction)
        self.here = here(interaction)
        """The server, or None in direct messages and where the bot is not: what is private works there as well."""

    @property
    def guild(self) -> int:
        """The server. Raises NoPrivateMessage where the bot is in none: games are played in servers only."""
        if self.here is None:
            raise app_commands.NoPrivateMessage
        return self.here

    async def act(self, match_id: int, decide: Decide) -> Match:
        """The match after what they decide about it now, which is stored."""
        return await self.service.act(match_id, self.guild, lambda match, _: decide(match, self.user, now()))

    async def preferences(self) -> Preferences:
        """How they like their boards."""
        return await self.service.people.preferences(self.user)


async def take_turn(interaction: Interaction) -> None:
    """Wait until it is the person's turn to ask a heavy question; the turn lasts until they are answered.

    Raises Declined where others of theirs take too long.
    """
    if TURN not in interaction.extras:
        interaction.extras[TURN] = await app(interaction).questions.begin(interaction.user.id)


async def in_turn(interaction: Interaction, work: Coroutine[Any, Any, T]) -> T:
    """What a heavy question brings, in the person's turn: see `take_turn`, and `in_time`."""

    async def waited() -> T:
        try:
            await take_turn(interaction)
            return await work
        finally:
            work.close()

    return await in_time(interaction, waited())


def end_turn(interaction: Interaction) -> None:
    """End the turn that the interaction had, if it had one."""
    if end := interaction.extras.pop(TURN, None):
        end()


async def beside(interaction: Interaction, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What the function returns, which is run beside the event loop as that person's heavy question: see `in_turn`."""
    thread = app(interaction).pictures.thread
    return await in_turn(interaction, thread.run(Priority.PERSON, work, *args, **kwargs))


async def beside_in_steps(interaction: Interaction, steps: Generator[None, None, T]) -> T:
    """What the generator returns, as `beside`; between its steps others go first."""
    thread = app(interaction).pictures.thread
    return await in_turn(interaction, thread.run_steps(Priority.PERSON, steps))


async def open_form(interaction: Interaction, form: discord.ui.Modal) -> None:
    """Open a form. Raises Declined where it took too long to find what stands in it: then Discord takes none."""
    if interaction.response.is_done():
        raise Declined("failure.busy")
    await interaction.response.send_modal(form)


async def drawn(interaction: Interaction, view: View, preferences: Preferences, name: str, words: str) -> discord.File:
    """The picture of that view, for somebody who likes their boards so; `words` is its alt text."""
    view = replace(view, theme=THEMES[preferences.theme], coordinates=preferences.coordinates)
    return picture(await in_turn(interaction, app(interaction).pictures.draw(view)), name, words)


def server(interaction: Interaction) -> Language:
    """The language of public posts in the server where this happened."""
    return app(interaction).servers.language(here(interaction) or 0)


def require_calm(interaction: Interaction, kind: str) -> None:
    """Note a post of that kind. Raises TOO_OFTEN where the person has made too many of them lately."""
    _note(app(interaction).calm, interaction, kind)


def may_share(interaction: Interaction) -> bool:
    """Note a press that posts a board. False for the second one of the same button, before that was gone.

    Raises TOO_OFTEN where the person has shared too many of them lately.
    """
    pressed: dict[str, Any] = dict(interaction.data or {})
    once = app(interaction).slips.get_bucket((interaction.user.id, str(pressed["custom_id"])), wall_clock.steady())
    if once is None or once.get_retry_after(wall_clock.steady()):
        return False
    require_calm(interaction, "board")
    once.update_rate_limit(wall_clock.steady())
    return True


def require_few_searches(interaction: Interaction, kind: str) -> None:
    """Note a search of that kind. Raises TOO_OFTEN where the person has asked for too many of them lately."""
    _note(app(interaction).searches, interaction, kind)


def _note(acts: CooldownMapping[Act], interaction: Interaction, kind: str) -> None:
    wait = acts.update_rate_limit((interaction.user.id, kind), wall_clock.steady())
    if wait:
        raise MatchError(Problem.TOO_OFTEN, again=now() + ceil(wait))


def limit(most: Cooldown) -> CooldownMapping[Act]:
    """Counts what each person does of each kind, up to that."""
    return CooldownMapping(most, lambda act: act)
