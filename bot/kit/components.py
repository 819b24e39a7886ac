"""What all buttons, menus and forms that outlive restarts have in common: how they are shown, found and pressed."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

import discord
from discord.ext import commands
from discord.ui import Button, DynamicItem, Label, Modal, TextInput, View

from bot.kit.reply import Interaction
from bot.people.problems import MatchError, Problem
from bot.texts.i18n import Language, text

AnyHandler = TypeVar("AnyHandler")


class Lasting(ABC):
    """Stands before `DynamicItem` among the bases. It cannot be one itself: each of those must have a template."""

    @abstractmethod
    async def work(self, interaction: Interaction) -> None:
        """Do what the button or the menu is for. What this raises is answered."""

    async def callback(self, interaction: discord.Interaction[Any]) -> Any:
        """Do the work; discord.py calls no error handler here, so the client's is called by hand."""
        await interaction.client.guarded(interaction, self.work(interaction))


def entered(handlers: dict[str, AnyHandler], name: str) -> Callable[[AnyHandler], AnyHandler]:
    """The decorator that enters a function among those handlers; the name must be free."""

    def enter(handler: AnyHandler) -> AnyHandler:
        assert name not in handlers, name
        handlers[name] = handler
        return handler

    return enter


def row(*items: DynamicItem[Any]) -> View:
    """A message's buttons and menus. Nothing of it stays in memory: presses are matched by their `custom_id`."""
    view = View(timeout=None)
    for item in items:
        view.add_item(item)
    return view


async def outdated(*_: object) -> None:
    """The handler of whatever has none. Raises NO_SUCH_BUTTON."""
    raise MatchError(Problem.NO_SUCH_BUTTON)


class Action(NamedTuple):
    """What a press asks for."""

    name: str
    match: int = 0
    number: int = 0
    """How often the board had changed, a ply, the event that is answered, or the page of a book."""
    book: str = "-"
    """The variant whose rulebook is open."""


Handler = Callable[[Interaction, Action], Coroutine[Any, Any, None]]

HANDLERS: dict[str, Handler] = {}
"""What each action does, filled by the cogs at import."""


def on(name: str) -> Callable[[Handler], Handler]:
    """Register the function as what pressing a button of that action does."""
    return entered(HANDLERS, name)


class ActionButton(
    Lasting,
    DynamicItem[Button[View]],
    template=r"rt:(?P<name>[a-z-]{1,20}):(?P<match>\d{1,15}):(?P<number>\d{1,6}):(?P<book>[a-z0-9-]{1,20})",
):
    """The one class of all our buttons."""

    def __init__(self, action: Action, label: str = "…", style: discord.ButtonStyle = discord.ButtonStyle.secondary):
        self.action = action
        custom_id = f"rt:{action.name}:{action.match}:{action.number}:{action.book}"
        super().__init__(Button(label=label, style=style, custom_id=custom_id))

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: Any, match: re.Match[str], /
    ) -> ActionButton:
        """The button that a press on `custom_id` means."""
        return cls(Action(match["name"], int(match["match"]), int(match["number"]), match["book"]))

    async def work(self, interaction: Interaction) -> None:
        """Do what the action says."""
        await HANDLERS.get(self.action.name, outdated)(interaction, self.action)


def button(
    locale: Language, name: str, *, label: str | None = None, primary: bool = False, danger: bool = False, **values: Any
) -> ActionButton:
    """A button with its label in that language. `values` are the fields of its `Action`."""
    style = discord.ButtonStyle.primary if primary else discord.ButtonStyle.secondary
    if danger:
        style = discord.ButtonStyle.danger
    return ActionButton(Action(name, **values), text(locale, f"button.{label or name}"), style)


FormHandler = Callable[[Interaction, str], Coroutine[Any, Any, None]]
"""Takes what was typed into the form's only field."""

FORM_HANDLERS: dict[str, FormHandler] = {}
"""What each form does, filled by the cogs at import."""

FORM = re.compile(r"rt-typed:([a-z-]{1,20})")

REMEMBERED = 900.0
"""Seconds for which discord.py keeps a form that it has opened. Later ones are answered all the same."""


def on_form(name: str) -> Callable[[FormHandler], FormHandler]:
    """Register the function as what submitting the form of that name does."""
    return entered(FORM_HANDLERS, name)


def form(name: str, title: str, label: str, hint: str, field: TextInput[Any]) -> Modal:
    """The form with that one field. Nothing listens to this object: what is submitted is found by the `custom_id`."""
    modal = Modal(title=title[:45], custom_id=f"rt-typed:{name}", timeout=REMEMBERED)
    modal.add_item(Label(text=label[:45], description=hint[:100], component=field))
    return modal


class Forms(commands.Cog):
    """Hears every form that was opened by `form`."""

    @commands.Cog.listener()
    async def on_interaction(self, interaction: Interaction) -> None:
        """Answer a form by its `custom_id`: discord.py knows only those that it has opened since the start."""
        if interaction.type is not discord.InteractionType.modal_submit or interaction.data is None:
            return
        found = FORM.fullmatch(str(interaction.data.get("custom_id")))
        if found:
            handler = FORM_HANDLERS.get(found[1], outdated)
            await interaction.client.guarded(interaction, handler(interaction, typed_in(interaction.data)))


def typed_in(submitted: Mapping[str, Any]) -> str:
    """What was typed into the only field of the form."""
    return next((str(part["value"]) for part in _walk(submitted) if "value" in part), "")


def _walk(part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield part
    inner = [*part.get("components", ()), *([part["component"]] if "component" in part else ())]
    for child in inner:
        yield from _walk(child)
