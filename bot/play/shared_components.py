"""The components that most subjects share: the buttons about a match."""

from __future__ import annotations

from typing import Any, NamedTuple

from discord import ButtonStyle

from bot.discordkit.components import Button, CountField, Family, IdField, KeyField
from bot.texts.i18n import Language, text


class Action(NamedTuple):
    """The state that most buttons carry."""

    match: IdField = 0
    number: CountField = 0
    """The number of changes to the board, a ply, the event that is answered, or the page of a rulebook."""
    variant: KeyField = "-"
    """The variant of the rulebook or ladder."""


ACTIONS = Family("rt", Action)
"""Makes the buttons. Each module that answers some of them has a family of its own with this prefix."""


def action_button(
    locale: Language, name: str, *, label: str | None = None, primary: bool = False, danger: bool = False, **values: Any
) -> Button:
    """Returns a button labelled in that language. `values` are the fields of its `Action`."""
    style = ButtonStyle.primary if primary else ButtonStyle.secondary
    if danger:
        style = ButtonStyle.danger
    return ACTIONS.make_button(name, Action(**values), text(locale, f"button.{label or name}"), style)
