"""The buttons and menus of a private board: what may be chosen next, the steps within the move, the purpose's own.

Choices are buttons where they fit, and menus beyond that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import discord
from discord import ButtonStyle, SelectOption, ui

from bot.core.draft import Draft, format_path
from bot.discordkit.components import Button, Menu, make_view
from bot.play.composer.panel import ends_to_offer, numbered_destinations, piece_name, pieces_to_choose
from bot.play.composer.purpose import PanelContent
from bot.texts.i18n import Language, text
from bot.texts.markup import cut_plain
from rules import Move, PieceKind, Position, format_move
from rules.board import Cell, Leg, LegKind

BUTTONS_PER_ROW, MAX_ROWS = 5, 5
"""Discord's limits for one message."""
MAX_MENU_OPTIONS = 25
"""Options in one menu."""
OPTIONS_PER_PAGE = MAX_MENU_OPTIONS - 2
"""Options on one of several pages: two more lead to the previous and next page."""
MAX_OPTION_LENGTH = 100
PAGE_PREFIX = "page"


class Choice(NamedTuple):
    """One choice, as a button and as an option of a menu."""

    button: Button
    option: SelectOption


Choices = list[tuple[str, list[Choice]]]
"""What may be chosen next, by the name of the menu for it."""


def panel_items(panel: PanelContent) -> discord.ui.View:
    """Returns the buttons and menus: the choices above, in rows of their own, and everything else below."""
    own_items = [*panel.board.own_items(panel)]
    menus = [item for item in own_items if isinstance(item, ui.Select)]
    composing = panel.board.offers_moves
    buttons = [
        *(_step_buttons(panel) if composing else ()),
        *(item for item in own_items if isinstance(item, ui.Button)),
    ]
    room = MAX_ROWS - len(menus) - _rows_of(len(buttons))
    rows: list[Sequence[Button | Menu]] = _choice_rows(panel, room) if composing else []
    rows += [[menu] for menu in menus]
    rows += _in_rows(buttons)
    for number, row in enumerate(rows):
        for item in row:
            item.row = number
    return make_view(*(item for row in rows for item in row))


def question_items(panel: PanelContent) -> discord.ui.View:
    """Returns the buttons below the question if the player really wants to play the move."""
    locale, place, buttons = panel.locale, panel.place, panel.board.buttons
    return make_view(
        buttons.make_button("sure", place, text(locale, "button.sure"), ButtonStyle.success),
        buttons.make_button("look", place, text(locale, "button.back")),
    )


def _choice_rows(panel: PanelContent, room: int) -> list[Sequence[Button | Menu]]:
    """Returns the choices in at most `room` rows: as buttons, as far as they fit.

    If not all of them fit, the first kind of choices has buttons as long as one row remains for a menu of the other.
    """
    kinds = [(name, choices) for name, choices in _choices(panel) if choices]
    every_choice = [choice for _, choices in kinds for choice in choices]
    if _rows_of(len(every_choice)) <= room:
        return _in_rows([choice.button for choice in every_choice])
    rows: list[Sequence[Button | Menu]] = []
    for place, (name, choices) in enumerate(kinds):
        menus_after = len(kinds) - place - 1
        if menus_after and _rows_of(len(choices)) <= room - menus_after:
            rows += _in_rows([choice.button for choice in choices])
        else:
            rows.append([panel_menu(panel, name, [choice.option for choice in choices])])
    return rows


def _rows_of(count: int) -> int:
    return -(-count // BUTTONS_PER_ROW)


def _in_rows(buttons: Sequence[Button]) -> list[Sequence[Button | Menu]]:
    return [buttons[first : first + BUTTONS_PER_ROW] for first in range(0, len(buttons), BUTTONS_PER_ROW)]


def _choices(panel: PanelContent) -> Choices:
    """Returns what may be chosen next: a piece; a way to the chosen destination; or a next cell or a destination."""
    if panel.turn is None:
        pieces = enumerate(pieces_to_choose(panel), start=1)
        return [("piece", [_piece_choice(panel, number, cell) for number, cell in pieces])]
    numbers = numbered_destinations(panel)
    if panel.board.offered_cells(panel.turn.path) is not None:
        return [("leg", [_offered_choice(panel, number, cell) for cell, number in numbers.items()])]
    if panel.ways_to_end:
        return [("way", [_way_choice(panel, number, way) for number, way in enumerate(panel.ways_to_end)])]
    legs = [_leg_choice(panel, numbers[leg.to], leg, after) for leg, after in panel.choices.legs]
    return [("leg", legs), ("end", [_end_choice(panel, numbers[cell], cell) for cell in ends_to_offer(panel.choices)])]


def _choice_button(panel: PanelContent, name: str, label: str, cell: Cell, way: int | None = None) -> Button:
    """Returns the button for that cell, or for one of the ways to it."""
    place = panel.place._replace(end=cell, fresh="" if way is None else format_path([way]))
    return panel.board.buttons.make_button(name, place, label)


def panel_menu(panel: PanelContent, name: str, options: Sequence[SelectOption]) -> Menu:
    """Returns the menu. If the options do not fit, it has one page of them and options to turn the page."""
    hint = text(panel.locale, f"composer.menu.{name}")
    page_options, hint = options_on_page(panel.locale, options, panel.open_pages.get(name, 0), hint)
    return panel.board.menus.make_menu(name, panel.place._replace(fresh=panel.fresh), page_options, hint)


def options_on_page(
    locale: Language, options: Sequence[SelectOption], number: int, hint: str
) -> tuple[list[SelectOption], str]:
    """Returns the options of one page with options to turn the page, and the hint with the page's number. If all
    options fit into one menu, returns them, and the hint as it is.
    """
    if len(options) <= MAX_MENU_OPTIONS:
        return [*options], hint
    pages = -(-len(options) // OPTIONS_PER_PAGE)
    number = min(number, pages - 1)
    page_options = [*options[number * OPTIONS_PER_PAGE : (number + 1) * OPTIONS_PER_PAGE]]
    if number > 0:
        turn_back = SelectOption(label=text(locale, "composer.page-before"), value=f"{PAGE_PREFIX}{number - 1}")
        page_options.insert(0, turn_back)
    if number + 1 < pages:
        page_options.append(SelectOption(label=text(locale, "composer.page-after"), value=f"{PAGE_PREFIX}{number + 1}"))
    return page_options, f"{hint} {text(locale, 'composer.page', page=number + 1, pages=pages)}"


def make_option(label: str, value: str, description: str = "", *, chosen: bool = False) -> SelectOption:
    """Returns a menu option, its words cut to Discord's limit."""
    return SelectOption(
        label=cut_to_option(label),
        value=value,
        description=cut_to_option(description) if description else None,
        default=chosen,
    )


def cut_to_option(words: str) -> str:
    """Returns the words cut to the length of an option."""
    return cut_plain(words, MAX_OPTION_LENGTH)


def _piece_choice(panel: PanelContent, number: int, cell: Cell) -> Choice:
    locale, side = panel.locale, panel.choices.draft.side
    duty_text = ""
    if panel.board.offered_cells(()) is not None:
        pass  # a hint would give the answer away
    elif side.in_own_castle:
        duty_text = text(locale, "composer.piece-home")
    elif side.capture_due:
        duty_text = text(locale, "composer.piece-due")
    is_knight = panel.position.pieces[cell].kind is PieceKind.KNIGHT
    label = _short_label(panel, number, cell, text(locale, "composer.short.knight") if is_knight else "")
    option = make_option(f"{number}. {piece_name(locale, panel.position, cell)}", format_path([cell]), duty_text)
    return Choice(_choice_button(panel, "cell", label, cell), option)


def _offered_choice(panel: PanelContent, number: int, cell: Cell) -> Choice:
    """Returns a choice that says nothing of the move: it may be illegal."""
    option = make_option(f"{number}. {panel.position.names([cell])[0]}", format_path([cell]))
    return Choice(_choice_button(panel, "cell", _short_label(panel, number, cell), cell), option)


def _leg_choice(panel: PanelContent, number: int, leg: Leg, after: Draft) -> Choice:
    """Returns a next leg: where it goes and how, and whether the move may stop there."""
    signs = text(panel.locale, "composer.short.captures") if leg.kind is LegKind.JUMP else ""
    if not after.is_complete:
        signs += text(panel.locale, "composer.short.goes-on")
    label = _short_label(panel, number, leg.to, signs)
    return Choice(
        _choice_button(panel, "cell", label, leg.to), _leg_option(panel.locale, panel.position, number, leg, after)
    )


def _leg_option(locale: Language, position: Position, number: int, leg: Leg, after: Draft) -> SelectOption:
    kind = leg.kind.value
    if leg.kind is LegKind.STEP and leg.start in position.variant.armies[position.turn].goal:
        kind = "castle"
    (to,) = position.names([leg.to])
    over = position.names([leg.over])[0] if leg.over is not None else ""
    if not after.is_complete:
        follow_up = "must-go-on"
    else:
        follow_up = "may-stop" if after.next_legs else "ends"
    label = f"{number}. {text(locale, f'composer.leg.{kind}', to=to, over=over)}"
    return make_option(label, format_path([leg.to]), text(locale, f"composer.then.{follow_up}"))


def _end_choice(panel: PanelContent, number: int, cell: Cell) -> Choice:
    """Returns a destination: the way if there is only one, else the number of ways."""
    locale, ends = panel.locale, panel.choices.ends
    (name,) = panel.position.names([cell])
    only_way = ends.only_way(cell)
    if only_way is None:
        way_count = f"{len(ends.by_cell[cell])}{'' if ends.whole else '+'}"
        signs = text(locale, "composer.short.ways", ways=way_count)
        words = text(locale, "composer.ways", count=way_count)
    else:
        captures = len(only_way.captures) > _captured_count(panel)
        signs = text(locale, "composer.short.captures") if captures else ""
        route = format_move(only_way, panel.position.variant.board)
        words = f"{_way_words(panel, only_way)} · {route}" if captures else route
    label = _short_label(panel, number, cell, signs)
    return Choice(
        _choice_button(panel, "goal", label, cell), make_option(f"{number}. {name}", format_path([cell]), words)
    )


def _way_choice(panel: PanelContent, number: int, way: Move) -> Choice:
    """Returns one of several ways to a destination: its captures and its notation."""
    words = _way_words(panel, way)
    option = make_option(words, str(number), format_move(way, panel.position.variant.board))
    return Choice(_choice_button(panel, "route", words, way.end, number), option)


def _way_words(panel: PanelContent, way: Move) -> str:
    """Returns what distinguishes a way to a destination: the pieces that it captures from here on."""
    names = panel.position.names(way.captures[_captured_count(panel) :])
    if not names:
        return text(panel.locale, "composer.takes-nothing")
    return text(panel.locale, "composer.takes", cells=", ".join(names))


def _captured_count(panel: PanelContent) -> int:
    """Returns the number of pieces that the move has captured so far."""
    return len(panel.turn.captures) if panel.turn else 0


def _short_label(panel: PanelContent, number: int, cell: Cell, signs: str = "") -> str:
    """Returns the label of a button: the number on the board, the cell, and signs for what the words of a menu say."""
    label = text(panel.locale, "composer.short.cell", number=number, cell=panel.position.names([cell])[0])
    return f"{label}{signs}"


def _step_buttons(panel: PanelContent) -> Iterator[Button]:
    """Yields the buttons of every board: the last one and those that step back, once a piece is chosen; and typing."""
    board, locale, place = panel.board, panel.locale, panel.place
    if panel.turn is not None:
        name = text(locale, f"button.{board.commit_label}")
        commit = board.buttons.make_button("commit", place, name, ButtonStyle.success)
        commit.disabled = not panel.choices.draft.is_complete
        yield commit
        yield board.buttons.make_button("back", place, text(locale, "button.back"))
        if len(panel.turn.path) > 1:  # before that, it would do the same as the button before it
            yield board.buttons.make_button("restart", place, text(locale, "button.restart"))
    yield board.buttons.make_button("type", place, text(locale, "button.type"))
