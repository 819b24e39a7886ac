"""Buttons, menus and forms whose `custom_id` is older than the program, another game's, or nonsense.

Each gets one private answer at once, no error is logged, and nothing changes.
"""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.discordkit.components import FAMILIES
from bot.explore.panel import EXPLORE_FAMILY
from bot.features import FEATURES
from bot.leagues.buttons import LEAGUE_BUTTONS
from bot.learn.lessons import LESSON_FAMILY
from bot.plans.commands import PLAN_BUTTONS
from bot.play import every_cog
from bot.play.composer.handlers import MENU_HANDLERS
from bot.play.composer.move_panel import ComposerPanel
from bot.play.composer.state import COMPOSER
from bot.play.shared_components import ACTIONS, FORMS
from bot.play.sheets import SHEET_DRAWERS
from bot.puzzles.posts import PUZZLE_BUTTONS
from bot.texts.i18n import LANGUAGES, text
from engine.puzzles import shipped_puzzles
from sandbox.people import Person
from tests.e2e.hunting import check_answer, hunt
from tests.e2e.planting import Json, button, menu, plant, plant_form, use
from tests.e2e.room import Played, Room
from tests.e2e.stock import settled, stock
from tests.examples import ordinarily

COGS = [*every_cog(FEATURES)]
"""Made so that every handler of a component is registered."""

in_house = pytest.mark.asyncio(loop_scope="session")

GAME, CHANGES = "1000", "77777"
"""Placeholders for the number of a running game in the room, and the version of its board."""

OPEN = {"explore", "follow", "follow-every", "seek", "seek-no-more"}
"""What a stranger may do."""

numbers = (
    st.just(GAME)
    | st.sampled_from(["0", "1", "7", "00012", "999999", "999999999999999", "٣"])
    | st.integers(0, 10**15).map(str)
)
short = st.just(CHANGES) | st.sampled_from(["0", "1", "2", "3", "12", "999999"])
books = st.sampled_from(["-", "camelot", "cam-3d", "chess", "x" * 20])
paths = st.text("0123456789abcz", max_size=20).map(lambda code: code[: len(code) // 2 * 2]) | st.just("~0123abcd")
ends = st.sampled_from(["-", "00", "0a", "4k", "zz"])
places = st.tuples(numbers, short, ends, paths).map(":".join)
spots = st.tuples(
    numbers | numbers.map("m{}".format) | st.sampled_from(["camelot", "chess"]),
    st.sampled_from(["p0", "p999999", "n1", "n0", "x1", "p", "p0~0a", "p0~zz" + "00" * 21]),
    ends,
    paths,
).map(":".join)
tasks = st.tuples(books, st.sampled_from("0123456789"), ends, paths).map(":".join)
riddles = st.tuples(
    st.sampled_from([puzzle.id for puzzle in shipped_puzzles("camette")[:3]]) | books,
    st.just("0") | numbers,
    ends,
    paths,
).map(":".join)
users = st.integers(-(10**20), 10**20).map(str)
names = st.sampled_from(["-", "board", "sleep", "public", "pace", "channels", "audit", "zone", "older"])
sheets = st.tuples(st.sampled_from(sorted(SHEET_DRAWERS)) | st.just("older"), books, users, users, short).map(":".join)
composed = st.tuples(st.sampled_from(sorted(COMPOSER.handlers)) | st.just("older"), places).map(
    lambda parts: "rt-press:" + ":".join(parts)
)
picked = st.tuples(st.sampled_from(sorted(ComposerPanel.menus.handlers)) | st.just("older"), places).map(
    lambda parts: "rt-pick:" + ":".join(parts)
)
snoozed = st.tuples(numbers, short).map(lambda parts: "rt-snooze:" + ":".join(parts))
openings = st.tuples(
    st.sampled_from(["camelot", "camette", "chess"]),
    st.sampled_from(["", "0a1b", "zz" * 20, "x"]),
    st.sampled_from(["000", "221", "999", "00"]),
    st.sampled_from(["0", "z", "-1", "z" * 13]),
).map(":".join)
leagues = st.tuples(st.sampled_from([*sorted(LEAGUE_BUTTONS.handlers), "older"]), numbers).map(
    lambda parts: "rt-league:" + ":".join(parts)
)
league_terms = st.tuples(
    st.sampled_from(["camette", "chess"]),
    st.sampled_from(["fast", "faster"]),
    st.sampled_from(["2", "0", "999999"]),
    st.sampled_from(["3-4", "99"]),
    st.sampled_from(["1", "7"]),
    st.sampled_from(["0", "5"]),
    st.sampled_from(["1", "9"]),
).map(":".join)
honours = st.tuples(st.sampled_from(["role", "events", "older"]), numbers, st.sampled_from(["0", "1", "9"])).map(
    lambda parts: "rt-league-honours:" + ":".join(parts)
)
ids = st.one_of(
    leagues,
    honours,
    st.tuples(st.sampled_from(["sure", "older"]), numbers, numbers).map(
        lambda parts: "rt-league-remove:" + ":".join(parts)
    ),
    st.tuples(st.sampled_from(["rounds", "sign-up", "movers", "older"]), league_terms).map(
        lambda parts: "rt-league-new:" + ":".join(parts)
    ),
    st.tuples(st.sampled_from(sorted(ACTIONS.handlers.keys() - OPEN)) | st.just("older"), numbers, short, books).map(
        lambda parts: "rt:" + ":".join(parts)
    ),
    composed,
    st.tuples(st.just("rt-line"), st.sampled_from(sorted(EXPLORE_FAMILY.handlers)) | st.just("older"), spots).map(
        ":".join
    ),
    st.tuples(st.just("rt-task"), st.sampled_from(sorted(LESSON_FAMILY.handlers)) | st.just("older"), tasks).map(
        ":".join
    ),
    st.tuples(
        st.just("rt-plan"), st.sampled_from(sorted(PLAN_BUTTONS.handlers)) | st.just("older"), numbers, short
    ).map(":".join),
    st.tuples(st.just("rt-riddle"), st.sampled_from(sorted(PUZZLE_BUTTONS.handlers)) | st.just("older"), riddles).map(
        ":".join
    ),
    st.tuples(st.just("rt-house"), st.sampled_from(["sit", "later", "older"]), numbers).map(":".join),
    st.tuples(
        st.just("rt-op"), st.sampled_from(["open", "look", "home", "go", "what", "who", "list", "older"]), openings
    ).map(":".join),
    sheets.map(lambda sheet: f"rt-open:{sheet}"),
    sheets.map(lambda sheet: f"rt-sheet:{sheet}"),
    st.text(min_size=1, max_size=95).filter(lambda one: one.strip() == one),
)
menus = st.one_of(
    honours,
    st.tuples(st.sampled_from(["variant", "pace", "weeks", "size"]), league_terms).map(
        lambda parts: "rt-league-new:" + ":".join(parts)
    ),
    st.tuples(st.sampled_from(["rt-op:go", "rt-op:what", "rt-op:who"]), openings).map(":".join),
    picked,
    snoozed,
    st.tuples(st.just("rt-line"), st.sampled_from([*sorted(MENU_HANDLERS), "go", "tree"]), spots).map(":".join),
    st.tuples(st.just("rt-task"), st.sampled_from(["piece", "leg"]), tasks).map(":".join),
    st.tuples(st.just("rt-riddle"), st.sampled_from(sorted(MENU_HANDLERS)), riddles).map(":".join),
    st.tuples(st.just("rt-plans"), st.sampled_from(["which", "reply", "guards"]), numbers, short).map(":".join),
    st.sampled_from(["rt-sheets:turn", "rt-sheets:open"]),
    st.tuples(st.sampled_from(["rt-mine:which", "rt-mine:value", "rt-server:which", "rt-server:value"]), names).map(
        ":".join
    ),
    users.map(lambda user: f"rt-challenge:{user}"),
    numbers.map(lambda number: f"rt-substitute:{number}"),
)
values = st.sampled_from(
    ["0", "1", "0a", "zz", "page0", "page-1", "page", "page99999999", "morning", "9" * 60, "0a0b", "!"]
)
chosen = values | sheets | st.text(min_size=1, max_size=100)
presses = st.one_of(ids.map(button), st.builds(menu, menus, chosen))
composing = st.one_of(composed.map(button), st.builds(menu, picked | snoozed, chosen))
"""The custom ids in the composer of the player to move."""


def here(part: Json, played: Played) -> Json:
    """Returns the component with the game's number and state instead of the placeholders."""
    fields = str(part["custom_id"]).split(":")
    meant = {GAME: str(played.number), CHANGES: "0"}
    return {**part, "custom_id": ":".join(meant.get(field, field) for field in fields)}


async def game_in(room: Room) -> tuple[Played, Person]:
    """The room's only game, and a stranger to it; Ada is to move."""
    if "Eve" not in room.people:
        ada, bo, _ = await room.enter("Ada", "Bo", "Eve")
        PLAYED[room.name] = await room.start("camelot", ada, bo)
        await settled(room.house)
    return PLAYED[room.name], room.people["Eve"]


PLAYED: dict[str, Played] = {}


@in_house
@pytest.mark.parametrize("name", ordinarily(sorted(SHEET_DRAWERS), "board"))
async def test_every_sheet_bears_any_variant_and_anybody(room: Room, name: str) -> None:
    played, eve = await game_in(room)
    sheets = [
        f"{name}:{variant}:{user}:0:{page}" for variant in ("-", "camelot") for user in (0, 1) for page in (0, 9999)
    ]
    for part in (button(f"rt-open:{sheet}") for sheet in (*sheets, f"{name}:-:{played.number}:{eve.id}:0")):
        check_answer(await use(eve, plant(room.house, room.channel, part), part))


@in_house
@hunt
@given(part=presses.filter(lambda part: len(part["custom_id"]) <= 95))
async def test_any_press_of_a_stranger_is_answered_and_changes_nothing(room: Room, part: Json) -> None:
    played, eve = await game_in(room)
    part = here(part, played)
    before = stock(room.house)
    said = plant(room.house, room.channel, part)
    check_answer(await use(eve, said, part))
    assert stock(room.house) == before


@in_house
@hunt
@given(part=composing)
async def test_whatever_the_player_to_move_composes_nothing_is_played_before_they_commit(
    room: Room, part: Json
) -> None:
    played, _ = await game_in(room)
    part = here(part, played)
    assume(not part["custom_id"].startswith(("rt-press:commit", "rt-press:sure")))
    assume(not (part["custom_id"].startswith("rt-snooze") and part["options"][0]["value"] in ("1", "morning")))
    before = stock(room.house)
    said = plant(room.house, room.channel, part, only_for=played.mover)
    check_answer(await use(played.mover, said, part))
    assert stock(room.house) == before


@in_house
@hunt
@given(
    custom_id=st.one_of(
        st.sampled_from(sorted(FORMS.handlers)).map(lambda name: f"rt-typed:{name}"),
        places.map(lambda place: f"rt-form:{place}"),
        st.tuples(st.sampled_from(["typed", "named", "noted"]), spots).map(lambda parts: "rt-line:" + ":".join(parts)),
        tasks.map(lambda task: f"rt-task:typed:{task}"),
        st.just("rt-table"),
        numbers.map(lambda number: f"rt-why:{number}"),
        st.sampled_from(["rt-notes:0", "rt-notes:999999", "rt-notes:x"]),
        st.sampled_from(
            ["rt-thought:said:999999:0", "rt-thought:noted:0:7", "rt-thought:said:x", "rt-annotated:on:0:9"]
        ),
        st.sampled_from(["rt-mine-form:older", "rt-server-form:zone", "rt-server-form:older"]),
        st.text(min_size=1, max_size=95).filter(lambda one: one.strip() == one),
    ),
    typed=st.text(max_size=400) | st.sampled_from(["delete", "F7-F8", "F7", "x" * 4000]),
)
async def test_any_form_is_answered_and_changes_nothing(room: Room, custom_id: str, typed: str) -> None:
    played, _ = await game_in(room)
    words = {text(locale, "data.word").casefold() for locale in LANGUAGES}
    typed = "x" if typed.strip().casefold() in words else typed  # that would be valid input
    before = stock(room.house)
    custom_id = here({"custom_id": custom_id}, played)["custom_id"]
    form = plant_form(room.house, played.mover, room.channel, custom_id)
    check_answer(await played.mover.submit(form, {"x": typed}))
    assert stock(room.house) == before


def test_every_family_of_components_is_hunted_with() -> None:
    hunted = {"rt", "rt-press", "rt-pick", "rt-form", "rt-snooze"}
    hunted |= {"rt-sheet", "rt-open", "rt-sheets", "rt-typed", "rt-challenge"}
    hunted |= {
        "rt-line",
        "rt-task",
        "rt-notes",
        "rt-plan",
        "rt-plans",
        "rt-house",
        "rt-riddle",
        "rt-substitute",
        "rt-table",
        "rt-why",
    }
    hunted |= {
        "rt-thought",
        "rt-annotated",
        "rt-op",
        "rt-league",
        "rt-league-new",
        "rt-league-honours",
        "rt-league-remove",
    }
    hunted |= {"rt-mine", "rt-mine-form", "rt-server", "rt-server-form"}
    assert FAMILIES.keys() == hunted, "a new family: let the strategies above make ids of it"
