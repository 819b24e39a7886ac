"""Buttons that outlive restarts: everything they need stands in their `custom_id`.

A cog names what a button does with `@on("join")`; the message shows it with `button("join", …)`. Who may press it, and
whether the board has moved on since, is for the service to say at the time of the press.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, NamedTuple

import discord
from discord.ui import Button, DynamicItem, View

from bot.cogs._answers.lasting import Lasting, entered, row
from bot.cogs._answers.outdated import outdated
from bot.cogs._answers.reply import Press
from bot.cogs._composer.items import ComposerButton, Place
from bot.events import Ballot
from bot.i18n import Language, text

if TYPE_CHECKING:
    from bot.match import Match


class Action(NamedTuple):
    """What a press asks for."""

    name: str
    match: int = 0
    number: int = 0
    """How often the board had changed, a ply, the event that is answered, or the page of a book."""
    book: str = "-"
    """The variant whose rulebook is open."""


Handler = Callable[[Press, Action], Coroutine[Any, Any, None]]

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
    async def from_custom_id(cls, press: discord.Interaction[Any], item: Any, match: re.Match[str], /) -> ActionButton:
        """The button that a press on `custom_id` means."""
        return cls(Action(match["name"], int(match["match"]), int(match["number"]), match["book"]))

    async def work(self, press: Press) -> None:
        """Do what the action says."""
        await HANDLERS.get(self.action.name, outdated)(press, self.action)


def button(
    locale: Language, name: str, *, label: str | None = None, primary: bool = False, danger: bool = False, **values: Any
) -> ActionButton:
    """A button with its label in that language. `values` are the fields of its `Action`."""
    style = discord.ButtonStyle.primary if primary else discord.ButtonStyle.secondary
    if danger:
        style = discord.ButtonStyle.danger
    return ActionButton(Action(name, **values), text(locale, f"button.{label or name}"), style)


def move_button(locale: Language, match: Match) -> ComposerButton:
    """The button that opens the composer for the player to move."""
    return ComposerButton(
        "open", Place(match.id, match.changes), text(locale, "button.compose"), discord.ButtonStyle.primary
    )


def vacancy_buttons(locale: Language, match: Match) -> tuple[ActionButton, ...]:
    """What the vacant seat of a match waits for: somebody to take it over, or else the votes; nothing without one."""
    vacancy = match.vacancy
    if vacancy is None:
        return ()
    if not vacancy.voting:
        colour = text(locale, f"colour.{match.variant.armies[vacancy.seat].colour}")
        label = text(locale, "button.take-over", colour=colour)
        return (ActionButton(Action("take-over", match.id, vacancy.seq), label, discord.ButtonStyle.primary),)
    return tuple(button(locale, f"vote-{ballot.value}", match=match.id, number=vacancy.seq) for ballot in Ballot)


def table_buttons(locale: Language, match: Match) -> View:
    """The buttons of an open table."""
    shown = [button(locale, "join", primary=True, match=match.id), button(locale, "leave", match=match.id)]
    if match.invited:
        shown.append(button(locale, "decline", match=match.id))
    return row(*shown, button(locale, "cancel", danger=True, match=match.id))


def turn_buttons(locale: Language, match: Match) -> tuple[ActionButton | ComposerButton, ...]:
    """The buttons below a board: for whoever is to move, or what is waited for where the seat to move is vacant.

    At the end, the game as a moving picture if anybody moved.
    """
    if match.is_live and match.to_move is None:
        return (*vacancy_buttons(locale, match), button(locale, "rules", book=match.variant.key))
    if match.is_live:
        return (
            move_button(locale, match),
            button(locale, "moves", match=match.id, number=match.changes),
            button(locale, "rules", book=match.variant.key),
            button(locale, "snooze", match=match.id, number=match.changes),
        )
    return (button(locale, "replay", match=match.id),) if match.ply else ()
