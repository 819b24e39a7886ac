"""Buttons and menus below a message: their rows, and the pages of what is too long."""

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from discord import SelectOption

from bot.core import leaving
from bot.core.fold import replay_match
from bot.discordkit.components import Button, Menu, make_option
from bot.discordkit.paging import options_on_page, page_chosen, split_words
from bot.discordkit.reply import MAX_MESSAGE_LENGTH, MAX_ROWS, Row, RowList, arrange_rows, lay_out_rows, make_view
from bot.features import FEATURES
from bot.play.announcing.telling import vacancy_buttons
from bot.play.announcing.turn import turn_buttons
from bot.play.context import ACTIONS, Action, PersonShown, feature_notes
from bot.play.info_commands import GAMES_ON_PAGE, LIVE_SHEET, board_controls
from bot.play.move import more_buttons
from bot.play.service import Service
from bot.play.sheets import Sheet, page_buttons
from bot.thoughts.commands import PAGER, PageState, annotated_game_buttons, page_texts
from bot.thoughts.service import AnnotatedGame, Thought
from rules import VARIANTS
from tests.bot.playing import GUILD, NOW, by, existing, followed, live, play_typed, random_move, short_game


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


@pytest.mark.parametrize("key", VARIANTS)
def test_the_panels_of_a_match_fit_whatever_its_state(key: str) -> None:
    states, rng = [live(key)], Random(key)
    while len(states) < 8:
        user = existing(states[-1].to_move)
        states.append(followed(states[-1], play_typed(states[-1], user, random_move(states[-1], rng), NOW)))
    states += [followed(match, leaving.resign(match, by(existing(match.to_move), NOW))) for match in states]
    last, follow = states[-1], ACTIONS.make_button("follow", Action(1), "Follow")
    for match in states:
        looks = turn_buttons(FEATURES, "en", match, [follow])
        make_view(*looks, button(0), *(() if match.is_live else vacancy_buttons("en", match)))
        make_view(*board_controls(FEATURES, "en", match, last), button(0), menu(1))
        for user in (*match.players, 1):
            make_view(*more_buttons(FEATURES, "en", match, by(user, NOW + 10**7)))


@pytest.mark.parametrize("board", ["", "```\n.\n```"])
def test_the_annotated_game_has_every_word_in_one_of_its_messages(board: str) -> None:
    match = replay_match(1, short_game())
    words = tuple(Thought(user, board, "*" * 500) for user in range(30) for board in (0, 1))
    game = AnnotatedGame(match, words)
    state, seen = PageState(1), 0
    for _ in range(70):
        texts = page_texts("en", game, state.page, board)
        assert max(map(len, texts)) <= MAX_MESSAGE_LENGTH
        assert ["```" in words for words in texts] == [bool(board)] + [False] * (len(texts) - 1)
        seen += texts[state.part].count("\\*" * 500)
        rows = annotated_game_buttons("en", game, state, len(texts))
        assert len(make_view(*rows).to_components()) == 2
        following = rows[0][-1]
        if following.disabled:
            break
        state = existing(PAGER.parse_id(str(following.custom_id)))[1]
    assert seen == len(words)


async def test_the_list_of_games_holds_a_full_page_with_all_its_buttons(service: Service) -> None:
    rows = [Row("game", button(number), accent=number) for number in range(GAMES_ON_PAGE)]
    context: Any = SimpleNamespace(service=service, features=FEATURES)
    below = [button(98), *(await feature_notes(context, "en", PersonShown(GUILD, 1))).buttons]
    turns = page_buttons("en", Sheet(LIVE_SHEET, page=2), 5)
    assert lay_out_rows(RowList("title", rows, "page", [*turns, *below, button(99)]))
