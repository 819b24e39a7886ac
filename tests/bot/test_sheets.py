"""Sheets: their buttons carry the whole state, and the program obeys only ids that it has sent."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.listings import HistoryGame
from bot.core.results import PlayerOutcome
from bot.discordkit.components import Button, Family, parse_custom_id
from bot.discordkit.errors import NO_SUCH_BUTTON, Declined
from bot.discordkit.permissions import is_public_place
from bot.discordkit.reply import MAX_MESSAGE_LENGTH, fit_lines
from bot.ladder.sheets import LADDER_HISTORY_SHEET, LADDER_RULES_SHEET, STAIRS_SHEET, history_text
from bot.ladder.state import EXCUSED_BODY, HISTORY_ROWS, EntryKind, LadderEntry, LadderHistoryRow
from bot.play import history as _looking
from bot.play import info_commands
from bot.play.history import LinkedGame
from bot.play.service.history import GAMES_PER_PAGE
from bot.play.sheets import (
    ANY_VARIANT,
    OPEN_BUTTONS,
    SHEET_DRAWERS,
    TURN_BUTTONS,
    Sheet,
    open_sheet,
    page_buttons,
    sheet_menu,
    variant_buttons,
)
from bot.profile import commands as profile
from bot.puzzles import commands as puzzle
from bot.review import commands as review
from bot.texts.i18n import LANGUAGES, Language
from rules import VARIANTS, Cause

LARGEST = 2**63 - 1
sheets = st.builds(
    Sheet,
    st.sampled_from(sorted(SHEET_DRAWERS)),
    st.sampled_from([ANY_VARIANT, *VARIANTS]),
    st.integers(-LARGEST, LARGEST),
    st.integers(-LARGEST, LARGEST),
    st.integers(0, 999_999),
)


def test_every_list_is_a_sheet() -> None:
    wanted = {
        STAIRS_SHEET,
        LADDER_HISTORY_SHEET,
        LADDER_RULES_SHEET,
        _looking.GAMES_SHEET,
        _looking.BOARD_SHEET,
        profile.PROFILE_SHEET,
        profile.LEADERBOARD_SHEET,
        info_commands.HELP_SHEET,
        info_commands.LIVE_SHEET,
        puzzle.PUZZLE_TABLE_SHEET,
        review.REVIEW_SHEET,
    }
    assert SHEET_DRAWERS.keys() == wanted


def led_to(button: Button) -> Sheet:
    """Returns the sheet to which a button leads."""
    read = TURN_BUTTONS.parse_id(str(button.custom_id))
    assert read
    return read[1]


@given(sheets, st.sampled_from([TURN_BUTTONS, OPEN_BUTTONS]))
def test_a_button_is_read_back_as_the_sheet_that_it_leads_to(wanted: Sheet, family: Family[Sheet]) -> None:
    custom_id = family.format_id("", wanted)
    assert len(custom_id) <= 100
    assert parse_custom_id(custom_id) == (family, "", wanted)


@given(st.integers(1, 400), st.integers(0, 399))
def test_leaves_turn_back_and_forth_as_far_as_there_are_pages(pages: int, page: int) -> None:
    turns = [led_to(button).page for button in page_buttons("en", Sheet(STAIRS_SHEET, "camelot", page=page), pages)]
    assert all(0 <= turn < pages and turn != page for turn in turns)
    if page < pages:
        assert turns == [other for other in (page - 1, page + 1) if 0 <= other < pages]


def test_other_variants_begin_at_their_first_page() -> None:
    shown = variant_buttons("no", Sheet(STAIRS_SHEET, "camelot", page=7), list(VARIANTS))
    assert [led_to(button) for button in shown] == [Sheet(STAIRS_SHEET, key) for key in VARIANTS if key != "camelot"]


@pytest.mark.parametrize(
    "wanted",
    [
        Sheet("gossip"),
        Sheet(STAIRS_SHEET, "chess"),
        Sheet(_looking.GAMES_SHEET, user=2**63),
        Sheet(LADDER_HISTORY_SHEET, other=-(2**70)),
    ],
)
async def test_what_no_version_has_sent_is_refused_before_anything_is_looked_up(wanted: Sheet) -> None:
    press: Any = None
    with pytest.raises(Declined, match=NO_SUCH_BUTTON):
        await open_sheet(press, wanted)


def test_a_menu_holds_its_sheets_by_value() -> None:
    menu = sheet_menu([(Sheet(_looking.BOARD_SHEET, "camelot", 12, 0, 5), "5. F7-F9")], "Moves", opens=True)
    assert [option.value for option in menu.options] == ["board:camelot:12:0:5"]


def test_what_does_not_fit_a_message_is_left_out_line_by_line() -> None:
    assert len(fit_lines(["x" * 300] * 12)) <= MAX_MESSAGE_LENGTH
    assert fit_lines(["a", "b"]) == "a\nb"


class Place:
    """A channel, reduced to who may see it."""

    def __init__(self, *, visible: bool) -> None:
        self.guild = type("Guild", (), {"default_role": "everyone"})()
        self._seen = discord.Permissions(view_channel=visible)

    def permissions_for(self, role: object) -> discord.Permissions:
        assert role == "everyone"
        return self._seen


@pytest.mark.parametrize("visible", [False, True])
def test_a_channel_is_open_where_everybody_may_look(visible: bool) -> None:
    place: Any = Place(visible=visible)
    assert is_public_place(place) is visible


SOMEBODY, OTHER, THIRD = 1234567890123456789, 1234567890123456788, 1234567890123456787
ADDRESS = f"https://discord.com/channels/{SOMEBODY}/{OTHER}/{THIRD}"
"""As long as real ids in Discord; the short ids of a test server would hide texts that are too long."""


@pytest.mark.parametrize("locale", LANGUAGES)
def test_a_page_of_the_longest_games_omits_none_and_links_the_latest(locale: Language) -> None:
    seats = (SOMEBODY, OTHER, THIRD)
    played = [
        HistoryGame(
            10_000 + number,
            "tri-camelot",
            1_700_000_000,
            seats,
            (SOMEBODY,),
            PlayerOutcome.WON,
            Cause.TIMEOUT,
            True,
            123,
        )
        for number in range(GAMES_PER_PAGE)
    ]
    lines = _looking.played_lines(locale, SOMEBODY, [LinkedGame(one, ADDRESS) for one in played], 1500)
    assert len("\n".join(lines)) <= 1500
    assert all(f"#{one.match}" in line for one, line in zip(played, lines, strict=True))
    linked = [ADDRESS in line for line in lines]
    assert linked == sorted(linked, reverse=True)
    assert sum(linked) >= 4


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize(
    "entry",
    [
        LadderEntry(1, 1_700_000_000, EntryKind.LAPSED, (SOMEBODY, OTHER), (), EXCUSED_BODY),
        LadderEntry(1, 1_700_000_000, EntryKind.PAIRED, (SOMEBODY, OTHER, THIRD), (10_001, 10_002, 10_003)),
    ],
    ids=lambda entry: entry.kind.name,
)
def test_a_page_of_the_longest_deeds_on_a_ladder_leaves_none_out(locale: Language, entry: LadderEntry) -> None:
    said = history_text(locale, "tri-camelot", OTHER, (LadderHistoryRow(entry, 10, 11),) * HISTORY_ROWS)
    assert said.count("<t:1700000000:d>") == HISTORY_ROWS
