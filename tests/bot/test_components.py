"""The ids of buttons, menus and forms: every id ever sent keeps its meaning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bot.discordkit.components import (
    FAMILIES,
    NoState,
    chosen_numbers,
    given_number,
    make_view,
    parse_custom_id,
    submitted_value,
)
from bot.discordkit.errors import NO_SUCH_BUTTON, Declined
from bot.explore.panel import ExploreState as TreeSpot
from bot.explore.panel import OldOpeningsState
from bot.explore.tools import NoteState
from bot.features import FEATURES
from bot.house.commands import HouseTableState
from bot.leagues.buttons import LeagueRef, ManageState, PanelState, RemovalState
from bot.learn.lessons import LessonState
from bot.plans.commands import PlanState
from bot.play import every_cog
from bot.play.clocks import SnoozeState
from bot.play.composer.state import ComposerState
from bot.play.more import WhyState
from bot.play.play import ChallengeState
from bot.play.shared_components import Action, Setting
from bot.play.shared_components import action_button as a_button
from bot.play.sheets import Sheet, SheetMenuState
from bot.play.substitutes import SubstituteState
from bot.puzzles.posts import PuzzleState
from bot.thoughts.commands import ThoughtState
from bot.thoughts.pager import PageState

COGS = [*every_cog(FEATURES)]
"""Made so that every handler of a component is registered."""

PRESSES = ("back", "restart", "look", "commit", "type", "cell")
"""The buttons of the move board, for all its purposes."""

THOUGHT_PRESSES = (
    *("say", "said", "noted", "open", "look", "read"),
    *("share", "share-lines", "keep", "delete", "delete-sure"),
)
PAGE_PRESSES = (
    "back",
    "on",
    "words",
    "turning-1",
    "turning-2",
    "turning-3",
    "animation",
    "record",
    "print",
    "take-out",
)
LINE_PRESSES = (
    *("start", "earlier", "later", "name", "named", "note", "noted", "typed", "outline", "picture", "film", "plan"),
    *("tools", "delete", "delete-sure", "share", "share-film", "count", "games"),
)

LEAGUE_PRESSES = (
    "join",
    "leave",
    "leave-sure",
    "table",
    "games",
    "rules",
    "history",
    "export",
    "close",
    "close-sure",
    "keep",
    "sign-off",
)
LEAGUE_QUESTIONS = ("variant", "pace", "weeks", "size", "rounds", "sign-up", "movers", "vacation", "open")

WRITTEN: dict[str, tuple[str, Any]] = {
    **{f"rt-league:{name}:3": (name, LeagueRef(3)) for name in LEAGUE_PRESSES},
    "rt-league-honours:role:3:0:0a": ("role", ManageState(3, 0, "0a")),
    "rt-league-remove:sure:3:7": ("sure", RemovalState(3, 7)),
    "rt-league-honours:channel:3:0:0a": ("channel", ManageState(3, 0, "0a")),
    **{
        f"rt-league-new:{name}:camette:fast:4:3-4:1:1:0:7": (name, PanelState("camette", "fast", 4, "3-4", 1, 1, 0, 7))
        for name in LEAGUE_QUESTIONS
    },
    "rt:join:12:0:-": ("join", Action(12)),
    "rt:leave:12:0:-": ("leave", Action(12)),
    "rt:decline:12:0:-": ("decline", Action(12)),
    "rt:cancel:12:0:-": ("cancel", Action(12)),
    "rt:seek:0:0:-": ("seek", Action()),
    "rt:seek-no-more:0:0:-": ("seek-no-more", Action()),
    "rt:house:12:0:-": ("house", Action(12)),
    "rt:first-game:0:0:camelot": ("first-game", Action(variant="camelot")),
    "rt-house:sit:12:0a": ("sit", HouseTableState(12, "0a")),
    "rt-house:later:12:0a": ("later", HouseTableState(12, "0a")),
    "rt:moves:12:7:-": ("moves", Action(12, 7)),
    "rt:resign:12:0:-": ("resign", Action(12)),
    "rt:play-on:12:0:-": ("play-on", Action(12)),
    "rt:rules:0:0:tri-camelot": ("rules", Action(variant="tri-camelot")),
    "rt:page:0:3:cam-3d": ("page", Action(number=3, variant="cam-3d")),
    "rt:house-rules:0:0:-": ("house-rules", Action()),
    "rt:share:12:7:-": ("share", Action(12, 7)),
    "rt:replay:12:0:-": ("replay", Action(12)),
    "rt:follow:12:0:-": ("follow", Action(12)),
    "rt:more:12:0:-": ("more", Action(12)),
    "rt:why:12:0:-": ("why", Action(12)),
    "rt-why:12": ("", WhyState(12)),
    "rt:draw-offer:12:0:-": ("draw-offer", Action(12)),
    "rt:draw-claim:12:0:-": ("draw-claim", Action(12)),
    "rt:takeback-ask:12:0:-": ("takeback-ask", Action(12)),
    "rt:substitute-ask:12:0:-": ("substitute-ask", Action(12)),
    "rt-substitute:12": ("", SubstituteState(12)),
    "rt-substitute:12:0a": ("", SubstituteState(12, "0a")),
    "rt:export:12:0:-": ("export", Action(12)),
    "rt:resign-ask:12:0:-": ("resign-ask", Action(12)),
    "rt:follow-every:12:0:-": ("follow-every", Action(12)),
    "rt:rematch:12:0:-": ("rematch", Action(12)),
    "rt:snooze:12:7:-": ("snooze", Action(12, 7)),
    "rt:claim:12:7:-": ("claim", Action(12, 7)),
    "rt:give-time:12:7:-": ("give-time", Action(12, 7)),
    "rt:more-time:12:0:-": ("more-time", Action(12)),
    "rt:nudge:12:0:-": ("nudge", Action(12)),
    "rt:vacation-stop:0:0:-": ("vacation-stop", Action()),
    "rt:data-export:0:0:-": ("data-export", Action()),
    "rt:data-delete:0:0:-": ("data-delete", Action()),
    "rt:draw-accept:12:9:-": ("draw-accept", Action(12, 9)),
    "rt:draw-decline:12:9:-": ("draw-decline", Action(12, 9)),
    "rt:takeback-accept:12:9:-": ("takeback-accept", Action(12, 9)),
    "rt:takeback-decline:12:9:-": ("takeback-decline", Action(12, 9)),
    "rt:vote-now:12:9:-": ("vote-now", Action(12, 9)),
    "rt:vote-later:12:9:-": ("vote-later", Action(12, 9)),
    "rt:substitute-accept:12:9:-": ("substitute-accept", Action(12, 9)),
    "rt:substitute-decline:12:9:-": ("substitute-decline", Action(12, 9)),
    "rt:take-over:12:9:-": ("take-over", Action(12, 9)),
    "rt:vote-play-on:12:9:-": ("vote-play-on", Action(12, 9)),
    "rt:vote-house:12:9:-": ("vote-house", Action(12, 9)),
    "rt:vote-draw:12:9:-": ("vote-draw", Action(12, 9)),
    "rt:vote-abandon:12:9:-": ("vote-abandon", Action(12, 9)),
    "rt:ladder-accept:0:31:camelot": ("ladder-accept", Action(0, 31, "camelot")),
    "rt:ladder-refuse:0:31:camelot": ("ladder-refuse", Action(0, 31, "camelot")),
    "rt:ladder-leave:0:0:camelot": ("ladder-leave", Action(variant="camelot")),
    "rt:ladder-stay:0:0:camelot": ("ladder-stay", Action(variant="camelot")),
    "rt:forget-me:0:0:-": ("forget-me", Action()),
    "rt-press:open:12:7:-:": ("open", ComposerState(12, 7)),
    "rt-press:back:12:7:-:0a1b": ("back", ComposerState(12, 7, None, "0a1b")),
    "rt-press:restart:12:7:-:0a1b": ("restart", ComposerState(12, 7, None, "0a1b")),
    "rt-press:look:12:7:-:0a1b": ("look", ComposerState(12, 7, None, "0a1b")),
    "rt-press:commit:12:7:1c:~0123abcd": ("commit", ComposerState(12, 7, 48, "~0123abcd")),
    "rt-press:sure:12:7:-:0a1b": ("sure", ComposerState(12, 7, None, "0a1b")),
    "rt-press:type:12:7:-:": ("type", ComposerState(12, 7)),
    "rt-press:cell:12:7:1c:0a1b": ("cell", ComposerState(12, 7, 48, "0a1b")),
    "rt-press:goal:12:7:1c:0a1b": ("goal", ComposerState(12, 7, 48, "0a1b")),
    "rt-press:route:12:7:1c:0a1b:05": ("route", ComposerState(12, 7, 48, "0a1b", "05")),
    "rt-pick:piece:12:7:-:": ("piece", ComposerState(12, 7)),
    "rt-pick:leg:12:7:-:0a": ("leg", ComposerState(12, 7, None, "0a")),
    "rt-pick:end:12:7:-:0a": ("end", ComposerState(12, 7, None, "0a")),
    "rt-pick:way:12:7:1c:0a": ("way", ComposerState(12, 7, 48, "0a")),
    "rt-form:12:7:-:0a1b": ("", ComposerState(12, 7, None, "0a1b")),
    "rt-plan:confirm:12:0": ("confirm", PlanState(12)),
    "rt-plan:away:12:1": ("away", PlanState(12, 1)),
    "rt-plan:edit:12:0": ("edit", PlanState(12)),
    "rt-plan:delete:12:0": ("delete", PlanState(12)),
    "rt-plan:view:12:0": ("view", PlanState(12)),
    "rt-plan:list:0:0": ("list", PlanState()),
    "rt-plan:earlier:12:0": ("earlier", PlanState(12)),
    "rt-plan:later:0:1": ("later", PlanState(number=1)),
    "rt-plan:clear:0:0": ("clear", PlanState()),
    "rt-plan:clear-sure:0:0": ("clear-sure", PlanState()),
    "rt-plans:which:0:0:0a": ("which", PlanState(fresh="0a")),
    "rt-plans:reply:12:0:0a": ("reply", PlanState(12, 0, "0a")),
    "rt-plans:guards:12:1:0a": ("guards", PlanState(12, 1, "0a")),
    "rt-snooze:12:7": ("", SnoozeState(12, 7)),
    "rt-riddle:open:0123456789:739943:-:": ("open", PuzzleState("0123456789", 739943)),
    **{f"rt-riddle:{name}:abcdef0123:0:-:0a1b": (name, PuzzleState("abcdef0123", 0, None, "0a1b")) for name in PRESSES},
    **{
        f"rt-riddle:{name}:abcdef0123:0:1c:0a1b:zz": (name, PuzzleState("abcdef0123", 0, 48, "0a1b", "zz"))
        for name in ("piece", "leg", "end", "way", "goal", "route")
    },
    **{
        f"rt-riddle:{name}:abcdef0123:0:-:": (name, PuzzleState("abcdef0123"))
        for name in ("hint", "solution", "another", "typed")
    },
    "rt:share-review:12:3:-": ("share-review", Action(12, 3)),
    "rt-task:piece:chivalry:1:-:": ("piece", LessonState("chivalry", 1)),
    "rt-task:leg:chivalry:1:-:0a:1c": ("leg", LessonState("chivalry", 1, None, "0a", "1c")),
    **{f"rt-task:{name}:cam:5:-:0a1b": (name, LessonState("cam", 5, None, "0a1b")) for name in PRESSES},
    "rt-task:hint:cam:5:-:0a": ("hint", LessonState("cam", 5, None, "0a")),
    "rt-task:typed:cam-3d:0:-:": ("typed", LessonState("cam-3d")),
    "rt:explore:12:7:-": ("explore", Action(12, 7)),
    "rt:notes:12:0:-": ("notes", Action(12)),
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
    **{f"rt-line:{name}:7:n5:-::1c": (name, TreeSpot("7", "n5", fresh="1c")) for name in ("piece", "go", "tree")},
    **{
        f"rt-line:{name}:7:n5:1c:0a": (name, TreeSpot("7", "n5", 48, "0a"))
        for name in ("leg", "end", "way", "goal", "route")
    },
    **{f"rt-line:{name}:7:n5:-:": (name, TreeSpot("7", "n5")) for name in LINE_PRESSES},
    "rt-line:count:m12:p3~0a1b:-::e": ("count", TreeSpot("m12", "p3~0a1b", every=True)),
    "rt-line:piece:tri-camelot:p0:-:0a:1c:e": ("piece", TreeSpot("tri-camelot", "p0", None, "0a", "1c", every=True)),
    "rt-sheet:stairs:camelot:0:0:2": ("", Sheet("stairs", "camelot", page=2)),
    "rt-open:games:-:1234567890123456789:-4:0": ("", Sheet("games", "-", 1234567890123456789, -4)),
    "rt-sheets:turn": ("turn", SheetMenuState()),
    "rt-sheets:open": ("open", SheetMenuState()),
    "rt-sheets:turn:0a": ("turn", SheetMenuState("0a")),
    "rt-sheets:open:zz": ("open", SheetMenuState("zz")),
    "rt-pick:leg:12:7:-:0a:1c": ("leg", ComposerState(12, 7, None, "0a", "1c")),
    "rt-challenge:1234567890123456789": ("", ChallengeState(1234567890123456789)),
    "rt-challenge:1234567890123456789:0a": ("", ChallengeState(1234567890123456789, "0a")),
    "rt-server:which:-": ("which", Setting()),
    "rt-server:value:pace": ("value", Setting("pace")),
    "rt-server:value:language:0a": ("value", Setting("language", "0a")),
    "rt-server:channels:channels": ("channels", Setting("channels")),
    "rt-server:channels:audit": ("channels", Setting("audit")),
    "rt-server-form:zone": ("", Setting("zone")),
    "rt-mine:which:-": ("which", Setting()),
    "rt-mine:which:-:0a": ("which", Setting(fresh="0a")),
    "rt-mine:value:board": ("value", Setting("board")),
    "rt-mine-form:sleep": ("", Setting("sleep")),
    "rt-table": ("", NoState()),
    "rt-typed:house-rules": ("house-rules", NoState()),
    "rt-typed:forget-me": ("forget-me", NoState()),
}
"""One id of every kind, as the program at bd5f691 wrote them, and what each means."""


@pytest.mark.parametrize("custom_id", WRITTEN)
def test_an_old_id_is_understood_and_written_as_it_was(custom_id: str) -> None:
    found = parse_custom_id(custom_id)
    assert found is not None
    assert (found.name, found.state) == WRITTEN[custom_id]
    assert found.family.format_id(found.name, found.state) == custom_id


def test_whatever_is_answered_stands_in_the_table() -> None:
    there = {(prefix, name) for prefix, family in FAMILIES.items() for name in family.handlers}
    assert {(custom_id.partition(":")[0], name) for custom_id, (name, _) in WRITTEN.items()} == there


@pytest.mark.parametrize(
    "custom_id",
    [
        "",
        "rt",
        "rt:",
        "rt:join",
        "rt:older:1:0:-",
        "rt:join:1:0:-:",
        "rt-press:open:1:2:-",
        "rt-pick:leg:1:2:-:0a:",
        "rt-sheets:open:0",
        "rt-older:1",
        "moves",
        "rt-typed",
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
    sent: Any = Sent({"custom_id": "rt-snooze:12:7", "values": ["morning"]})
    assert submitted_value(sent) == "morning"
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
