"""The ids of buttons, menus and forms, the limits of acts, and sheets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from discord import app_commands
from hypothesis import given
from hypothesis import strategies as st

from bot.core.clock import Pace
from bot.core.results import HistoryGame, PlayerOutcome
from bot.discordkit.components import Button, Components, Family, NoState, chosen_numbers, given_number, submitted_value
from bot.discordkit.errors import NO_SUCH_BUTTON, Declined
from bot.discordkit.permissions import is_public_place
from bot.discordkit.reply import MAX_MESSAGE_LENGTH, fit_lines, make_view
from bot.discordkit.slash import PATH_KEY
from bot.explore.panel import ExploreState as TreeSpot
from bot.explore.tools import NoteState, OldOpeningsState
from bot.features import FEATURES, PLAY
from bot.ladder.sheets import LADDER_HISTORY_SHEET, STAIRS_SHEET, history_text
from bot.ladder.state import EXCUSED_BODY, HISTORY_ROWS, EntryKind, LadderEntry
from bot.leagues.league import LeagueTerms
from bot.leagues.panels import ManageState, PanelState, PersonState
from bot.leagues.posts import LeagueRef
from bot.learn.lessons import LessonState
from bot.plans.commands import PlanState
from bot.play import info_commands as _looking
from bot.play.context import Action, ComposerState, GameMenuState, declared
from bot.play.context import action_button as a_button
from bot.play.limits import ANYTHING_ELSE, LIMITS, MAX_COUNTS, ActCounts, limits_of
from bot.play.move import SnoozeState
from bot.play.options import MeantGame
from bot.play.play import FilledForm
from bot.play.service import games
from bot.play.settings import BlockState, SettingState
from bot.play.sheets import (
    ANY_VARIANT,
    OPEN_BUTTONS,
    TURN_BUTTONS,
    Sheet,
    SheetDrawer,
    SheetMenuState,
    draw_sheet,
    page_buttons,
    variant_buttons,
)
from bot.puzzles.commands import PuzzleState
from bot.texts.i18n import Language
from bot.thoughts.commands import PageState, ThoughtState
from rules import VARIANTS
from tests.bot.playing import ADA, BO
from tests.e2e.permissions import ROWS

DECLARING = (PLAY, *FEATURES)
FAMILIES = declared(DECLARING, Family)
SHEETS = [drawer.name for drawer in declared(DECLARING, SheetDrawer)]

parse_custom_id = Components(FAMILIES).parse_id

ASKED = LeagueTerms("camette", Pace.FAST, 4, 3, 4, 1, True, False, 7)
WRITTEN: dict[str, dict[str, Any]] = {
    "rt": {"12:9:-": Action(12, 9), "0:31:camelot": Action(0, 31, "camelot"), "0:0:-": Action()},
    "rt-again": {"cam:fast:here:easy:7:0": FilledForm("cam", "fast", "here", "easy", 7)},
    "rt-annotated": {"12:7": PageState(12, 7), "12:7:2": PageState(12, 7, 2)},
    "rt-block": {"7": BlockState(7)},
    "rt-form": {"12:7:-:0a1b": ComposerState(12, 7, None, "0a1b")},
    "rt-house": {"12:0a": GameMenuState(12, "0a")},
    "rt-league": {"3": LeagueRef(3)},
    "rt-league-honours": {"3:0:0a": ManageState(3, 0, "0a"), "3:1772476800": ManageState(3, 1772476800)},
    "rt-league-name": {"3": LeagueRef(3)},
    "rt-league-new": {
        "camette:fast:4:3-4:1:1:0:7": PanelState(ASKED),
        "camette:fast:4:3-4:1:1:0:7:10-days:14": PanelState(ASKED._replace(sign_up_days=10), "14"),
    },
    "rt-league-people": {"3:0:0:0a": PersonState(3, fresh="0a"), "3:7:1": PersonState(3, 7, 1)},
    "rt-line": {
        "7:p17:-:0a1b": TreeSpot("7", "p17", None, "0a1b"),
        "7:n5:1c:0a": TreeSpot("7", "n5", 48, "0a"),
        "7:n5:-::1c": TreeSpot("7", "n5", fresh="1c"),
        "m12:p3:-::e:P2": TreeSpot("m12", "p3", every=True, page=2),
        "m12:p3~0a1b:-::e": TreeSpot("m12", "p3~0a1b", every=True),
        "tri-camelot:p0:-:0a:1c:e": TreeSpot("tri-camelot", "p0", None, "0a", "1c", every=True),
    },
    "rt-mine": {"-": SettingState(), "zone": SettingState("zone")},
    "rt-mine-form": {"sleep": SettingState("sleep")},
    "rt-notes": {"12": NoteState(12)},
    "rt-op": {"camette:0a1b:000:0": OldOpeningsState("camette", "0a1b")},
    "rt-open": {"games:-:1234567890123456789:-4:0": Sheet("games", "-", 1234567890123456789, -4)},
    "rt-pause": {"12:0a": GameMenuState(12, "0a")},
    "rt-pick": {"12:7:-:": ComposerState(12, 7), "12:7:1c:0a": ComposerState(12, 7, 48, "0a")},
    "rt-plan": {"12:1": PlanState(12, 1), "0:0": PlanState()},
    "rt-plans": {"12:1:0a": PlanState(12, 1, "0a")},
    "rt-press": {
        "12:7:-:": ComposerState(12, 7),
        "12:7:1c:0a1b": ComposerState(12, 7, 48, "0a1b"),
        "12:7:1c:0a1b:05": ComposerState(12, 7, 48, "0a1b", "05"),
    },
    "rt-riddle": {
        "0123456789:739943:-:": PuzzleState("0123456789", 739943),
        "abcdef0123:0:1c:0a1b:zz": PuzzleState("abcdef0123", 0, 48, "0a1b", "zz"),
    },
    "rt-server": {"zone": SettingState("zone"), "language:0a": SettingState("language", "0a")},
    "rt-server-form": {"zone": SettingState("zone")},
    "rt-sheet": {"stairs:camelot:0:0:2": Sheet("stairs", "camelot", page=2)},
    "rt-sheets": {"": SheetMenuState(), "zz": SheetMenuState("zz")},
    "rt-snooze": {"12:7": SnoozeState(12, 7)},
    "rt-substitute": {"12:0a": GameMenuState(12, "0a")},
    "rt-table": {"": NoState()},
    "rt-task": {
        "chivalry:1:-:0a:1c": LessonState("chivalry", 1, None, "0a", "1c"),
        "cam-3d:5:1c:0a1b:zz:H2": LessonState("cam-3d", 5, 48, "0a1b", "zz", 2),
    },
    "rt-thought": {"12:7": ThoughtState(12, 7), "12:0:0a": ThoughtState(12, 0, "0a")},
    "rt-typed": {"": NoState()},
    "rt-which": {"12:game replay:turn=1%2C+Red": MeantGame(12, "game replay", "turn=1%2C+Red")},
}
"""By the prefix of an id, what follows the component's name in it, as this and earlier versions wrote it, and what it
means. The names stand in `ROWS`.
"""


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.prefix)
def test_an_old_id_is_understood_and_written_as_it_was(family: Family[Any]) -> None:
    for name, (written, state) in product(family.handlers, WRITTEN[family.prefix].items()):
        custom_id = ":".join(filter(None, (family.prefix, name, written)))
        assert parse_custom_id(custom_id) == (family, name, state)
        assert family.format_id(name, state) == custom_id
        assert family.checked_number(state) == getattr(state, "match", 0)


@pytest.mark.parametrize(
    "custom_id",
    [
        *("", "rt", "rt:", "rt:join", "rt:older:1:0:-", "rt:join:1:0:-:", "rt-press:open:1:2:-"),
        *("rt-pick:leg:1:2:-:0a:", "rt-sheets:open:0", "rt-older:1", "moves", "rt-typed"),
    ],
)
def test_an_id_that_no_version_has_written_means_nothing(custom_id: str) -> None:
    assert parse_custom_id(custom_id) is None


async def test_discord_py_keeps_nothing_of_what_is_sent() -> None:
    assert make_view(a_button("en", "join", match=12)).is_finished()


class Sent:
    """An interaction reduced to the component's data."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data


def forms(typed: str) -> Iterator[dict[str, Any]]:
    """The data that Discord sends for a form, with its field in a label or, as earlier, in a row."""
    field = {"type": 4, "custom_id": "x", "value": typed}
    yield {"custom_id": "rt-typed:forget-me", "components": [{"type": 18, "component": field}]}
    yield {"custom_id": "rt-typed:forget-me", "components": [{"type": 1, "components": [field]}]}


def test_what_is_chosen_or_typed_is_found_and_a_button_brings_neither() -> None:
    sent: Any = Sent({"custom_id": "rt-snooze:12:7", "values": ["24"]})
    assert submitted_value(sent) == "24"
    for typed in ("", "delete"):
        assert [submitted_value(form) for form in map(Sent, forms(typed))] == [typed, typed]  # type: ignore[arg-type]  # all it takes


@pytest.mark.parametrize(
    "forged",
    [
        {"custom_id": "rt-typed:forget-me"},
        {"values": []},
        {"components": None},
        {"components": ["x", None, {"component": None}, {"components": None}]},
        {"components": [{"component": {"value": None}}, {"component": {"value": 7}}]},
    ],
)
def test_what_brings_no_choice_and_no_words_means_nothing(forged: Any) -> None:
    with pytest.raises(Declined, match=NO_SUCH_BUTTON):
        submitted_value(Sent(forged))  # type: ignore[arg-type]  # all it takes


@pytest.mark.parametrize("value", ["-1", "", "x", "٣", "²", "9" * 19, "9" * 5000, None])
def test_only_numbers_that_can_be_stored_are_numbers_of_a_menu(value: Any) -> None:
    sent: Any = Sent({"values": [value]})
    for read in (given_number, chosen_numbers):
        with pytest.raises(Declined, match=NO_SUCH_BUTTON):
            read(sent)
    assert given_number(Sent({"values": ["17"]})) == 17  # type: ignore[arg-type]  # all it takes


# Limits


ACTS = {f"/{command.extras[PATH_KEY]}" for command in declared(DECLARING, app_commands.Command)}
ACTS |= {f"{family.prefix}:{name}".removesuffix(":") for family in FAMILIES for name in family.handlers}


def test_every_act_has_a_row_of_permissions_and_a_limit() -> None:
    assert ROWS.keys() == ACTS, "a row of tests/e2e/permissions.py says who may do it; what was sent once is answered"
    assert all(limits_of(act) for act in ACTS)
    assert limits_of("/games") == [ANYTHING_ELSE]


def test_the_table_names_only_acts_that_there_are() -> None:
    for limit in LIMITS.values():
        assert set(limit.acts) <= ACTS
        assert len(set(limit.acts)) == len(limit.acts)


def test_a_person_waits_once_the_limit_is_reached_and_nobody_else_does() -> None:
    counts, limit = ActCounts(), LIMITS["ladders and leagues"]
    assert [counts.count_act(ADA, "ladders and leagues") for _ in range(limit.times)] == [0.0] * limit.times
    assert limit.seconds - 60 < counts.count_act(ADA, "ladders and leagues") <= limit.seconds
    assert counts.count_act(BO, "ladders and leagues") == 0.0
    assert counts.count_act(ADA, "hints") == 0.0


def test_an_act_with_two_limits_counts_against_neither_if_one_is_reached() -> None:
    counts = ActCounts()
    for _ in range(LIMITS["boards for all"].times):
        counts.count_act(ADA, "boards for all")
    for _ in range(LIMITS["hints"].times):
        assert counts.count_act(ADA, "boards for all", "hints") > 0
    assert counts.count_act(ADA, "hints") == 0.0


def test_the_counts_of_people_are_bounded() -> None:
    counts = ActCounts()
    for user in range(MAX_COUNTS + 10):
        counts.count_act(user, "hints")
    assert len(counts._counts) == MAX_COUNTS


# Sheets


LARGEST = 9 * 10**18 - 1
sheets = st.builds(
    Sheet,
    st.sampled_from(sorted(SHEETS)),
    st.sampled_from([ANY_VARIANT, *VARIANTS]),
    st.integers(-LARGEST, LARGEST),
    st.integers(-LARGEST, LARGEST),
    st.integers(0, 999_999),
)


def led_to(button: Button) -> Sheet:
    """Returns the sheet to which a button leads."""
    read = TURN_BUTTONS.parse_id(str(button.custom_id))
    assert read
    return read[1]


@given(sheets, st.sampled_from([TURN_BUTTONS, OPEN_BUTTONS]))
def test_a_button_is_read_back_as_the_sheet_that_it_leads_to(wanted: Sheet, family: Family[Sheet]) -> None:
    assert parse_custom_id(family.format_id("", wanted)) == (family, "", wanted)


@given(st.integers(1, 400), st.integers(0, 399))
def test_leaves_turn_back_and_forth_as_far_as_there_are_pages(pages: int, page: int) -> None:
    turns = [led_to(button).page for button in page_buttons("en", Sheet(STAIRS_SHEET, "camelot", page=page), pages)]
    assert all(0 <= turn < pages and turn != page for turn in turns)
    if page < pages:
        assert turns == sorted({0, page - 1, page + 1, pages - 1} & {*range(pages)} - {page})


def test_other_variants_begin_at_their_first_page() -> None:
    shown = variant_buttons("no", Sheet(STAIRS_SHEET, "camelot", page=7), list(VARIANTS))
    assert [led_to(button) for button in shown] == [Sheet(STAIRS_SHEET, key) for key in VARIANTS if key != "camelot"]


@pytest.mark.parametrize(
    "wanted",
    [
        Sheet("gossip"),
        Sheet(STAIRS_SHEET, "chess"),
        Sheet(_looking.GAMES_SHEET, subject=2**63),
        Sheet(LADDER_HISTORY_SHEET, other=-(2**70)),
    ],
)
async def test_what_no_version_has_sent_is_refused_before_anything_is_looked_up(wanted: Sheet) -> None:
    context = SimpleNamespace(features=DECLARING)
    press: Any = SimpleNamespace(client=SimpleNamespace(context=context))
    with pytest.raises(Declined, match=NO_SUCH_BUTTON):
        await draw_sheet(press, wanted)


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
"""As long as real ids in Discord; the short ids of a test server would hide texts that are too long."""


def test_there_is_room_for_a_page_of_the_longest_games(locale: Language) -> None:
    seats = (SOMEBODY, OTHER, THIRD)
    played = [
        HistoryGame(10_000 + number, "tri-camelot", 17 * 10**8, seats, PlayerOutcome.WON, True, 99)
        for number in range(games.GAMES_PER_PAGE)
    ]
    lines = [_looking.played_line(locale, SOMEBODY, one) for one in played]
    assert len("\n".join(lines)) <= 1500


@pytest.mark.parametrize(
    "entry",
    [
        LadderEntry(1, 1_700_000_000, EntryKind.LAPSED, (SOMEBODY, OTHER), (), EXCUSED_BODY),
        LadderEntry(1, 1_700_000_000, EntryKind.PAIRED, (SOMEBODY, OTHER, THIRD), (10_001, 10_002, 10_003)),
    ],
    ids=lambda entry: entry.kind.name,
)
def test_a_page_of_the_longest_deeds_on_a_ladder_leaves_none_out(locale: Language, entry: LadderEntry) -> None:
    said = history_text(locale, "tri-camelot", OTHER, [(entry, {OTHER: (10, 11)})] * HISTORY_ROWS)
    assert said.count("<t:1700000000:d>") == HISTORY_ROWS
