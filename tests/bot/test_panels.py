"""Buttons and menus below a message: their rows, and that each panel fits at its fullest."""

from __future__ import annotations

import pytest
from discord import SelectOption, ui

from bot.discordkit.components import Button, Menu
from bot.discordkit.reply import MAX_ROWS, Row, RowList, arrange_rows, lay_out, lay_out_rows, make_view
from bot.play.shared_components import ACTIONS, Action


def button(number: int) -> Button:
    return ACTIONS.make_button("more", Action(number), str(number))


def menu(number: int) -> Menu:
    return ACTIONS.make_menu("page", Action(number), [SelectOption(label="a")])


def test_a_row_takes_five_buttons_or_one_menu_and_their_order_stays() -> None:
    buttons, menus = [button(number) for number in range(9)], [menu(1), menu(2)]
    assert arrange_rows([*buttons[:7], *menus, buttons[7]]) == [
        buttons[:5],
        buttons[5:7],
        [menus[0]],
        [menus[1]],
        [buttons[7]],
    ]
    assert arrange_rows([buttons[:2], buttons[2], menus[0], buttons[3:9], buttons[0]]) == [
        buttons[:2],
        [buttons[2]],
        [menus[0]],
        buttons[3:8],
        [buttons[8]],
        [buttons[0]],
    ]
    assert arrange_rows([[], []]) == []


def test_what_does_not_fit_below_a_message_is_told_at_once() -> None:
    assert len(make_view([menu(number) for number in range(MAX_ROWS)]).to_components()) == MAX_ROWS
    with pytest.raises(ValueError, match="does not fit"):
        make_view(*(menu(number) for number in range(MAX_ROWS)), button(1))
    with pytest.raises(ValueError, match="does not fit"):
        make_view(button(1), menu(1), button(1))


def test_a_message_that_becomes_a_layout_keeps_its_rows() -> None:
    view = make_view([button(1)], [button(2), button(3)], menu(4))
    rows = [part for part in lay_out("words", (), view.children).children if isinstance(part, ui.ActionRow)]
    assert [len(row.children) for row in rows] == [1, 2, 1]


def test_a_row_of_a_list_arranges_its_controls_too() -> None:
    layout = lay_out_rows(RowList("title", [Row("words", None, None, [button(1), button(2), menu(3)])]))
    rows = [part for part in layout.walk_children() if isinstance(part, ui.ActionRow)]
    assert [len(row.children) for row in rows] == [2, 1]
