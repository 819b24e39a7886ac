"""Pages of what is too long for one message or one menu: buttons that turn them, or options at the ends of the menu."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from discord import ButtonStyle, SelectOption

from bot.discordkit.components import Button, Family
from bot.discordkit.reply import MAX_MESSAGE_LENGTH
from bot.texts.i18n import Language, text

MAX_MENU_OPTIONS = 25
"""Options in one menu."""
OPTIONS_PER_PAGE = MAX_MENU_OPTIONS - 2
"""Options on one of several pages: two more lead to the previous and next page."""
PAGE_PREFIX = "page"

ItemT = TypeVar("ItemT")
StateT = TypeVar("StateT", bound=Any)
"""A state with the field `page`."""


class Page(NamedTuple, Generic[ItemT]):
    """One page of a list."""

    items: Sequence[ItemT]
    number: int
    """Counted from 0."""
    pages: int
    """The number of pages."""
    first: int
    """The place of its first item in the list, counted from 0."""

    def footer(self, locale: Language) -> str:
        """Returns which page it is, in small print; empty if it is the only one."""
        return page_footer(locale, self.number, self.pages)


def page_of(items: Sequence[ItemT], number: int, size: int) -> Page[ItemT]:
    """Returns that page of the items; the last one if the list has become too short for it."""
    pages = max(-(-len(items) // size), 1)
    number = min(number, pages - 1)
    return Page(items[number * size : (number + 1) * size], number, pages, number * size)


def page_footer(locale: Language, number: int, pages: int) -> str:
    """Returns "page 2 of 3" in small print; empty if there is only one page."""
    return f"-# {text(locale, 'sheet.page', page=number + 1, pages=pages)}" if pages > 1 else ""


def pager_buttons(locale: Language, family: Family[StateT], name: str, state: StateT, pages: int) -> list[Button]:
    """Returns the buttons to the first, previous, next and last of the pages, as far as they lead elsewhere.

    They carry the state with another `page`, counted from 0.
    """
    number = state.page
    turns = {0: "first", pages - 1: "last", number - 1: "back", number + 1: "next"}
    styles = {"next": ButtonStyle.primary}
    return [
        family.make_button(
            name, state._replace(page=page), text(locale, f"pager.{turn}"), styles.get(turn, ButtonStyle.secondary)
        )
        for page, turn in sorted(turns.items())
        if 0 <= page < pages and page != number
    ]


def split_words(head: str, parts: Sequence[str], room: int = MAX_MESSAGE_LENGTH - 50) -> list[str]:
    """Returns the words of messages that each begin with the head, and together hold all parts in their order."""
    messages = [head]
    for part in parts:
        if len(messages[-1]) + 1 + len(part) > room and messages != [head]:
            messages.append(head)
        messages[-1] += f"\n{part}"
    return messages


def options_on_page(
    locale: Language, options: Sequence[SelectOption], number: int, hint: str
) -> tuple[list[SelectOption], str]:
    """Returns the options of one page with options to turn the page, and the hint with the page's number. If all
    options fit into one menu, returns them, and the hint as it is.
    """
    if len(options) <= MAX_MENU_OPTIONS:
        return [*options], hint
    page = page_of(options, number, OPTIONS_PER_PAGE)
    turns = {name: page.number + offset for name, offset in (("back", -1), ("next", 1))}
    back, following = (
        [SelectOption(label=text(locale, f"pager.{name}"), value=f"{PAGE_PREFIX}{to}")] if 0 <= to < page.pages else []
        for name, to in turns.items()
    )
    label = text(locale, "sheet.page", page=page.number + 1, pages=page.pages)
    return [*back, *page.items, *following], f"{hint} ({label})"


def page_chosen(value: str) -> int | None:
    """Returns the page to which the option of a menu with that value turns; None for any other option."""
    found = re.fullmatch(f"{PAGE_PREFIX}([0-9]{{1,4}})", value)
    return int(found[1]) if found else None
