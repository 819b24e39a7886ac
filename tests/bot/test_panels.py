"""Buttons and menus below a message: their rows, and the pages of what is too long."""

import pytest
from discord import SelectOption

from bot.discordkit.components import Button, Menu, make_option
from bot.discordkit.paging import options_on_page, page_chosen, split_words
from bot.discordkit.reply import MAX_ROWS, arrange_rows, make_view
from bot.play.shared_components import ACTIONS, Action


def button(number: int) -> Button:
    return ACTIONS.make_button("more", Action(number), str(number))


def menu(number: int) -> Menu:
    return ACTIONS.make_menu("page", Action(number), [SelectOption(label="a")])


def test_a_row_takes_five_buttons_or_one_menu_and_their_order_stays() -> None:
    controls = [*map(button, range(7)), menu(1), menu(2), button(7)]
    rows = arrange_rows(controls)
    assert [item for row in rows for item in row] == controls
    assert list(map(len, rows)) == [5, 2, 1, 1, 1]
    assert list(map(len, arrange_rows([controls[:2], button(8), controls[:7], [], button(9)]))) == [2, 1, 5, 2, 1]


def test_what_does_not_fit_below_a_message_is_told_at_once() -> None:
    full = [*map(menu, range(MAX_ROWS))]
    for controls in ([*full, button(1)], [button(1), menu(1), button(1)]):
        with pytest.raises(ValueError, match="does not fit"):
            make_view(*controls)


def test_every_option_of_a_long_menu_stands_on_one_of_its_pages() -> None:
    options = [make_option(str(number), str(number)) for number in range(60)]
    pages = [options_on_page("en", options, page, "Which?")[0] for page in range(3)]
    turns = [[page_chosen(option.value) for option in page if page_chosen(option.value) is not None] for page in pages]
    assert turns == [[1], [0, 2], [1]]
    assert [option for page in pages for option in page if page_chosen(option.value) is None] == options
    assert options_on_page("en", options[:25], 0, "Which?") == (options[:25], "Which?")


def test_long_words_are_split_and_none_is_lost() -> None:
    parts = [letter * 900 for letter in "abcde"]
    messages = split_words("head", parts)
    assert all(message.startswith("head\n") and len(message) < 2000 for message in messages)
    assert [line for message in messages for line in message.split("\n")[1:]] == parts
