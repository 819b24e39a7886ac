"""What all buttons, menus and forms that outlive restarts have in common: how they are shown, found and pressed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from discord.ui import DynamicItem, View

if TYPE_CHECKING:
    import discord

    from bot.cogs._answers.reply import Press

Handler = TypeVar("Handler")


class Lasting(ABC):
    """Stands before `DynamicItem` among the bases. It cannot be one itself: each of those must have a template."""

    @abstractmethod
    async def work(self, press: Press) -> None:
        """Do what the button or the menu is for. What this raises is answered."""

    async def callback(self, interaction: discord.Interaction[Any]) -> Any:
        """Do the work; discord.py calls no error handler here, so the client's is called by hand."""
        await interaction.client.guarded(interaction, self.work(interaction))


def entered(handlers: dict[str, Handler], name: str) -> Callable[[Handler], Handler]:
    """The decorator that enters a function among those handlers; the name must be free."""

    def enter(handler: Handler) -> Handler:
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
