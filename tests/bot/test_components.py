"""The ids of buttons, menus and forms, the limits of acts, and sheets."""

from __future__ import annotations

from collections.abc import Iterator
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
from bot.ladder.state import EXCUSED_BODY, HISTORY_ROWS, EntryKind, LadderEntry, LadderHistoryRow
from bot.leagues.league import LeagueTerms
from bot.leagues.panels import ManageState, PanelState, PersonState
from bot.leagues.posts import LeagueRef
from bot.learn.lessons import LessonState
from bot.plans.commands import PlanState
from bot.play import info_commands as _looking
from bot.play.composer.purpose import ComposerState
from bot.play.context import Action, GameMenuState, declared
from bot.play.context import action_button as a_button
from bot.play.limits import ANYTHING_ELSE, LIMITS, MAX_COUNTS, ActCounts, limits_of
from bot.play.move import SnoozeState
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

PRESSES = ("back", "restart", "look", "commit", "type", "cell")
"""The buttons of the move board, for all its purposes."""

THOUGHT_PRESSES = (
    *("say", "said", "noted", "open", "look", "read"),
    *("share", "share-lines", "keep", "delete", "delete-sure"),
)
PAGE_PRESSES = (*("page", "back", "on", "words", "turning-1", "turning-2", "turning-3"), *("record", "take-out"))
LINE_PRESSES = (
    *("start", "earlier", "later", "name", "note", "noted", "typed", "outline", "plan"),
    *("tools", "delete", "delete-sure", "share", "share-film", "count", "games", "play"),
)

LEAGUE_PRESSES = (
    *("join", "leave", "leave-sure", "table", "games", "rules", "history"),
    *("close", "close-sure", "keep", "sign-off", "start", "start-sure", "people", "panel", "rename"),
)
LEAGUE_QUESTIONS = ("variant", "pace", "weeks", "size", "rounds", "sign-up", "movers", "vacation", "length", "open")

OF_A_GAME = (
    *("join", "sit", "leave", "decline", "cancel", "house", "resign", "play-on", "replay", "follow", "more"),
    *("draw-offer", "takeback-ask", "pause-ask", "substitute-ask", "export", "resign-ask", "follow-every"),
    *("rematch", "nudge", "notes"),
)
OF_NOTHING = (
    "new-table",
    "seek",
    "seek-no-more",
    "house-rules",
    "vacation-stop",
    "data-export",
    "data-delete",
    "forget-me",
)
OF_A_VARIANT = ("first-game", "ladder-leave")
OF_A_BOARD = ("snooze", "claim", "give-time", "explore")
OF_A_REQUEST = (
    *("draw-accept", "draw-decline", "takeback-accept", "takeback-decline", "pause-accept", "pause-decline"),
    *("substitute-accept", "substitute-decline", "take-over", "vote-play-on", "vote-house", "vote-draw"),
    *("vote-abandon", "vote-now", "vote-later"),
)
WRITTEN: dict[str, tuple[str, Any]] = {
    **{f"rt:{name}:12:9:-": (name, Action(12, 9)) for name in OF_A_REQUEST},
    **{f"rt:{name}:12:7:-": (name, Action(12, 7)) for name in OF_A_BOARD},
    **{f"rt:{name}:0:0:camelot": (name, Action(variant="camelot")) for name in OF_A_VARIANT},
    **{f"rt:{name}:0:0:-": (name, Action()) for name in OF_NOTHING},
    **{f"rt:{name}:12:0:-": (name, Action(12)) for name in OF_A_GAME},
    **{f"rt-league:{name}:3": (name, LeagueRef(3)) for name in LEAGUE_PRESSES},
    **{
        f"rt-league-honours:{name}:3:0:0a": (name, ManageState(3, 0, "0a"))
        for name in ("role", "called-role", "channel")
    },
    "rt-league-honours:week-more:3:1772476800": ("week-more", ManageState(3, 1772476800)),
    "rt-league-people:who:3:0:0:0a": ("who", PersonState(3, fresh="0a")),
    **{f"rt-league-people:{name}:3:7:1": (name, PersonState(3, 7, 1)) for name in ("move", "put-in", "sure")},
    "rt-league-name:3": ("", LeagueRef(3)),
    "rt-league-new:length:camette:fast:4:3-4:1:1:0:7:10-days:14": (
        "length",
        PanelState(LeagueTerms("camette", Pace.FAST, 4, 3, 4, 1, True, False, 7, 10), "14"),
    ),
    **{
        f"rt-league-new:{name}:camette:fast:4:3-4:1:1:0:7": (
            name,
            PanelState(LeagueTerms("camette", Pace.FAST, 4, 3, 4, 1, True, False, 7)),
        )
        for name in LEAGUE_QUESTIONS
    },
    **{f"rt-house:{name}:12:0a": (name, GameMenuState(12, "0a")) for name in ("sit", "later")},
    "rt:rules:0:0:tri-camelot": ("rules", Action(variant="tri-camelot")),
    "rt-block:off:7": ("off", BlockState(7)),
    "rt-pause:12:0a": ("", GameMenuState(12, "0a")),
    "rt-substitute:12:0a": ("", GameMenuState(12, "0a")),
    **{f"rt:{name}:0:31:camelot": (name, Action(0, 31, "camelot")) for name in ("ladder-accept", "ladder-refuse")},
    **{f"rt-press:{name}:12:7:-:": (name, ComposerState(12, 7)) for name in ("open", "type", "hint")},
    **{
        f"rt-press:{name}:12:7:-:0a1b": (name, ComposerState(12, 7, None, "0a1b"))
        for name in ("back", "restart", "look", "sure")
    },
    **{f"rt-press:{name}:12:7:1c:0a1b": (name, ComposerState(12, 7, 48, "0a1b")) for name in ("cell", "goal")},
    "rt-press:route:12:7:1c:0a1b:05": ("route", ComposerState(12, 7, 48, "0a1b", "05")),
    "rt-pick:piece:12:7:-:": ("piece", ComposerState(12, 7)),
    "rt-pick:leg:12:7:-:0a": ("leg", ComposerState(12, 7, None, "0a")),
    "rt-pick:end:12:7:-:0a": ("end", ComposerState(12, 7, None, "0a")),
    "rt-pick:way:12:7:1c:0a": ("way", ComposerState(12, 7, 48, "0a")),
    "rt-form:12:7:-:0a1b": ("", ComposerState(12, 7, None, "0a1b")),
    **{f"rt-plan:{name}:12:0": (name, PlanState(12)) for name in ("confirm", "edit", "delete", "view", "earlier")},
    "rt-plan:away:12:1": ("away", PlanState(12, 1)),
    **{f"rt-plan:{name}:0:0": (name, PlanState()) for name in ("list", "clear", "clear-sure")},
    "rt-plan:later:0:1": ("later", PlanState(number=1)),
    "rt-plans:which:0:0:0a": ("which", PlanState(fresh="0a")),
    "rt-plans:reply:12:0:0a": ("reply", PlanState(12, 0, "0a")),
    "rt-plans:guards:12:1:0a": ("guards", PlanState(12, 1, "0a")),
    "rt-plans:free:12:0:0a": ("free", PlanState(12, 0, "0a")),
    "rt-snooze:12:7": ("", SnoozeState(12, 7)),
    "rt-riddle:open:0123456789:739943:-:": ("open", PuzzleState("0123456789", 739943)),
    **{
        f"rt-riddle:{name}:abcdef0123:0:-:0a1b": (name, PuzzleState("abcdef0123", 0, None, "0a1b"))
        for name in (*PRESSES, "hint", "solution", "another", "typed")
    },
    **{
        f"rt-riddle:{name}:abcdef0123:0:1c:0a1b:zz": (name, PuzzleState("abcdef0123", 0, 48, "0a1b", "zz"))
        for name in ("piece", "leg", "end", "way", "goal", "route")
    },
    "rt:share-review:12:3:-": ("share-review", Action(12, 3)),
    "rt-task:piece:chivalry:1:-:": ("piece", LessonState("chivalry", 1)),
    "rt-task:leg:chivalry:1:-:0a:1c": ("leg", LessonState("chivalry", 1, None, "0a", "1c")),
    **{
        f"rt-task:{name}:cam-3d:5:-:0a1b": (name, LessonState("cam-3d", 5, None, "0a1b"))
        for name in (*PRESSES, "hint", "typed")
    },
    **{
        f"rt-task:{name}:cam-3d:5:1c:0a1b:zz:H2": (name, LessonState("cam-3d", 5, 48, "0a1b", "zz", 2))
        for name in ("end", "way", "goal", "route")
    },
    "rt-notes:12": ("", NoteState(12)),
    **{f"rt-thought:{name}:12:7": (name, ThoughtState(12, 7)) for name in THOUGHT_PRESSES},
    **{
        f"rt-op:{name}:camette:0a1b:000:0": (name, OldOpeningsState("camette", "0a1b"))
        for name in ("open", "look", "home", "go", "what", "who", "list")
    },
    "rt-annotated:whose:12:7": ("whose", PageState(12, 7)),
    "rt-thought:which:12:0:0a": ("which", ThoughtState(12, 0, "0a")),
    **{f"rt-annotated:{name}:12:7": (name, PageState(12, 7)) for name in PAGE_PRESSES},
    **{f"rt-line:{name}:7:p17:-:0a1b": (name, TreeSpot("7", "p17", None, "0a1b")) for name in PRESSES},
    **{
        f"rt-line:{name}:7:n5:-::1c": (name, TreeSpot("7", "n5", fresh="1c"))
        for name in ("piece", "go", "tree", "level")
    },
    **{
        f"rt-line:{name}:7:n5:1c:0a": (name, TreeSpot("7", "n5", 48, "0a"))
        for name in ("leg", "end", "way", "goal", "route")
    },
    **{f"rt-line:{name}:7:n5:-:": (name, TreeSpot("7", "n5")) for name in LINE_PRESSES},
    "rt-annotated:words:12:7:2": ("words", PageState(12, 7, 2)),
    "rt-line:list:m12:p3:-::e:P2": ("list", TreeSpot("m12", "p3", every=True, page=2)),
    "rt-line:count:m12:p3~0a1b:-::e": ("count", TreeSpot("m12", "p3~0a1b", every=True)),
    "rt-line:piece:tri-camelot:p0:-:0a:1c:e": ("piece", TreeSpot("tri-camelot", "p0", None, "0a", "1c", every=True)),
    "rt-sheet:stairs:camelot:0:0:2": ("", Sheet("stairs", "camelot", page=2)),
    "rt-open:games:-:1234567890123456789:-4:0": ("", Sheet("games", "-", 1234567890123456789, -4)),
    "rt-sheets:turn": ("turn", SheetMenuState()),
    "rt-sheets:turn:zz": ("turn", SheetMenuState("zz")),
    "rt-press:commit:12:7:1c:0a0b": ("commit", ComposerState(12, 7, 48, "0a0b")),
    **{f"{prefix}:group:-": ("group", SettingState()) for prefix in ("rt-server", "rt-mine")},
    **{f"{prefix}:type:zone": ("type", SettingState("zone")) for prefix in ("rt-server", "rt-mine")},
    "rt-server:value:language:0a": ("value", SettingState("language", "0a")),
    "rt-server:channels:channels": ("channels", SettingState("channels")),
    "rt-server-form:zone": ("", SettingState("zone")),
    "rt-mine:value:board": ("value", SettingState("board")),
    "rt-mine-form:sleep": ("", SettingState("sleep")),
    "rt-table": ("", NoState()),
    "rt-typed:forget-me": ("forget-me", NoState()),
}
"""One id of every kind that is answered, as this and earlier versions wrote them, and what each means."""


@pytest.mark.parametrize("custom_id", WRITTEN)
def test_an_old_id_is_understood_and_written_as_it_was(custom_id: str) -> None:
    found = parse_custom_id(custom_id)
    assert found is not None
    assert (found.name, found.state) == WRITTEN[custom_id]
    assert found.family.format_id(found.name, found.state) == custom_id


def test_whatever_is_answered_stands_in_the_table() -> None:
    there = {(family.prefix, name) for family in FAMILIES for name in family.handlers}
    assert {(custom_id.partition(":")[0], name) for custom_id, (name, _) in WRITTEN.items()} == there


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
    assert ROWS.keys() == ACTS, "a row of tests/e2e/permissions.py says who may do it"
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
    custom_id = family.format_id("", wanted)
    assert len(custom_id) <= 100
    assert parse_custom_id(custom_id) == (family, "", wanted)


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
        Sheet(_looking.GAMES_SHEET, user=2**63),
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
    said = history_text(locale, "tri-camelot", OTHER, (LadderHistoryRow(entry, 10, 11),) * HISTORY_ROWS)
    assert said.count("<t:1700000000:d>") == HISTORY_ROWS
