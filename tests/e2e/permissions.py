"""Who may do what: every command, button, menu and form, with its outcome for each kind of person.

To add an act, add a row to `ROWS` under the name that the test of missing rows reports. A row names the scene in which
the act is possible (`tests/e2e/scenes.py`), what is pressed or given there, and the outcomes that differ from the
defaults of `Row`. `{game}` and the scene's other words are filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any

from bot.core.problems import Problem
from bot.ladder.acts import LadderProblem
from bot.leagues.league import QUESTIONS, LeagueProblem
from bot.leagues.panels import MENUS
from bot.thoughts.commands import OLD_PRESSES
from engine.puzzles import shipped_puzzles


class Came(Enum):
    """The outcome of an act that the bot does not refuse for a reason."""

    DONE = auto()  # the act stores something
    SHOWN = auto()  # the bot answers and stores nothing
    STALE = auto()  # the bot answers that the board has changed since, and stores nothing
    UNKNOWN = auto()  # the bot answers that it does not know the button, and stores nothing
    OUT = auto()  # Discord does not pass the act to the bot


Outcome = Came | Problem | LadderProblem | LeagueProblem
DONE, SHOWN, STALE, UNKNOWN, OUT = Came
P, R, L = Problem, LadderProblem, LeagueProblem

Given = Mapping[str, object] | str
"""The options of a command, the value chosen in a menu, or the text typed into a form; empty for none."""

PROMISE = ("foreigner", "stranger", "wrong", "departed", "emigrant", "right", "again", "late")
"""The kinds of people, in the order of the columns of a row."""


@dataclass(frozen=True)
class Row:
    """One act, and its outcome for each kind of person.

    The test tries the columns in this order, the emigrant after the departed. A column left out has the default.
    """

    ident: str
    """The `custom_id` of a button, menu or form; empty for a command."""
    given: Given
    scene: str

    foreigner: Outcome = P.NO_SUCH_GAME
    """A member of another server, who knows the game's number."""
    stranger: Outcome | None = P.NOT_A_PLAYER
    """A member of the server who is not in the game; None if exactly such a member may do it."""
    wrong: Outcome | None = None
    """A player of the game who may not do this, or not now; None if every player may."""
    departed: Outcome = OUT
    """The person of `right` after being removed from the server.

    Discord lets them do nothing there and does not ask the bot. The column `emigrant` has what the bot answers them.
    """
    right: Outcome = DONE
    """The person who may do it."""
    again: Outcome = DONE
    """The same person, a second time."""
    late: Outcome = P.GAME_OVER
    """The same person, once the game is over."""

    emigrant: Outcome | None = field(default=None, kw_only=True)
    """The removed person in another server, which they manage; None if the outcome is that of `foreigner`.

    They are still a player of the game and know its number.
    """

    def promised(self, who: str) -> Outcome | None:
        """Returns the outcome in the column `who`; None if the scene has no such person."""
        came: Outcome | None = getattr(self, who)
        return came or (self.foreigner if who == "emigrant" else None)


GROUPS = {
    "everybody": ("foreigner", "stranger", "wrong", "right", "again", "late"),
    "others": ("foreigner", "stranger", "wrong"),
    "members": ("stranger", "wrong"),
    "later": ("again", "late"),
}
"""Names of several columns with one outcome; what follows prevails."""


def row(ident: str = "", given: Given = "", scene: str = "turn", **came: Outcome | None) -> Row:
    """Returns a row. `ident` is what follows the act's name in its `custom_id`; `came`: by columns and `GROUPS`."""
    columns: dict[str, Any] = {one: came[name] for name, ones in GROUPS.items() if name in came for one in ones}
    columns |= {name: outcome for name, outcome in came.items() if name not in GROUPS}
    return Row(ident, given, scene, **columns)


def open_to_all(ident: str = "", given: Given = "", scene: str = "turn") -> Row:
    """Returns the row of an act that anybody may do, because it concerns no particular game."""
    return row(ident, given, scene, everybody=SHOWN)


def look(ident: str = "", given: Given = "", scene: str = "moved") -> Row:
    """Returns the row of a look at a game, which every member of the server may take at any time."""
    return row(ident, given, scene, everybody=SHOWN, foreigner=P.NO_SUCH_GAME)


def judged(scene: str, late: Outcome, again: Outcome = DONE, **given: object) -> Row:
    """Returns the row of a referee's act, which only those who manage the server may do."""
    return row("", {"reason": "because", **GAME, **given}, scene, members=P.NOT_MANAGER, again=again, late=late)


def own_setting(ident: str = "", given: Given = "") -> Row:
    """Returns the row of a person's own setting, which holds in all servers.

    Everybody sets it for themselves. The emigrant has set it before `right` tries, who therefore changes nothing.
    """
    return row(ident, given, everybody=SHOWN, others=DONE)


def managed(ident: str = "", given: Given = "", *, changes: bool = False) -> Row:
    """Returns the row of a look at something that only those who manage the server see, or of a change to it.

    The foreigner manages the other server and changes it first; the emigrant then changes it to the same value there.
    """
    first = DONE if changes else SHOWN
    return row(ident, given, "judge", members=P.NOT_MANAGER, foreigner=first, right=first, later=SHOWN, emigrant=SHOWN)


def composed(
    path: str = "",
    given: str = "",
    *,
    end: str = "-",
    right: Outcome = SHOWN,
    again: Outcome = SHOWN,
    late: Outcome = STALE,
) -> Row:
    """Returns the row of a press or a choice in the composer, which works only for the player to move."""
    ident = f":{{game}}:{{changes}}:{end}:{path}"
    return row(ident, given, members=STALE, right=right, again=again, late=late)


def plan(scene: str, ident: str, right: Outcome, again: Outcome = SHOWN, value: str = "") -> Row:
    """Returns the row of an act on a plan.

    The plan belongs to its planner in all servers: the emigrant acts first, so `right` is the emigrant's outcome.
    """
    return row(ident, value, scene, everybody=P.NO_SUCH_PLAN, right=again, again=again, emigrant=right)


def asked(scene: str, again: Outcome, **came: Outcome | None) -> Row:
    """Returns the row of a button that answers an event."""
    return row(":{game}:{ask}:-", "", scene, **{"wrong": P.NOT_ASKED, "again": again, **came})


def seat(name: str, stranger: Outcome, wrong: Outcome, again: Outcome, late: Outcome = P.TABLE_CLOSED) -> Row:
    """Returns the row of a button of the table."""
    return row(OF_GAME, "", f"table for {name}", stranger=stranger, wrong=wrong, again=again, late=late)


def housed(ident: str, given: str, again: Outcome, right: Outcome = DONE) -> Row:
    """Returns the row of an act with which only the host seats house players at a table."""
    return row(ident, given, "table for cancel", members=P.NOT_HOST, right=right, again=again, late=P.TABLE_CLOSED)


def tried(
    given: str = "",
    right: Outcome = SHOWN,
    *,
    again: Outcome | None = None,
    late: Outcome | None = None,
    path: str = "",
    at: str = "{node}",
    end: str = "-",
) -> Row:
    """Returns the row of a press on the board of a tree, which exists only for its owner."""
    later: dict[str, Outcome] = {"again": again or right, "late": late or right, "emigrant": P.NO_SUCH_GAME}
    return row(f":{{tree}}:{at}:{end}:{path}", given, "explored", others=P.NO_SUCH_TREE, right=right, **later)


def written(right: Outcome, board: str = "{changes}", given: str = "") -> Row:
    """Returns the row of a thought about the move to make, which only the player to move may write."""
    return row(f":{{game}}:{board}", given, members=P.STALE, right=right, again=SHOWN)


def riddled(given: str = "", first: Outcome = SHOWN, chosen: str = "-:") -> Row:
    """Returns the row of a press or a choice in a puzzle; `first` is the outcome of the first try by each person."""
    return row(f":{shipped_puzzles('camelot')[0].id}:0:{chosen}", given, everybody=first, later=SHOWN)


def of_league(*acts: str, right: Outcome, later: Outcome, stranger: Outcome, scene: str = "league") -> dict[str, Row]:
    """Returns the rows of commands or buttons of a league; in the scene "league" its players have signed up.

    `stranger` is the outcome for people who have not. A game's end makes no difference.
    """
    came = {"foreigner": L.NO_LEAGUE, "stranger": stranger, "wrong": right, "right": right, "later": later}
    return {
        act: row("", {"league": "{league}"}, scene, **came)
        if act.startswith("/")
        else row(":{league}", "", scene, **came)
        for act in acts
    }


def league_panel(given: str = "", came: Outcome = SHOWN) -> Row:
    """Returns the row of a component of the panel in which managers open leagues."""
    return row(":camelot:fast:8:4-6:2:0:1:7", given, "judge", everybody=came, members=P.NOT_MANAGER)


def of_managing(ident: str = ":{league}:1", given: str = "", **came: Outcome) -> Row:
    """Returns the row of a component with which managers choose what else a league does."""
    came = {"foreigner": L.NO_LEAGUE, "members": P.NOT_MANAGER, "later": SHOWN, **came}
    return row(ident, given, "league managing", **came)


def of_closing(ident: str = ":{league}", given: str = "", right: Outcome = SHOWN, later: Outcome = SHOWN) -> Row:
    """Returns the row of a button with which managers close a league or keep it."""
    came: dict[str, Outcome] = {"foreigner": L.NO_LEAGUE, "members": P.NOT_MANAGER, "right": right, "later": later}
    return row(ident, given, "league judged", **came)


OF_NOTHING, OF_GAME, OF_BOARD = ":0:0:-", ":{game}:0:-", ":{game}:{changes}:-"
BUTTON_PATHS = {"cell": "", "goal": "01", "route": "01:00"}
GAME, CAMELOT = {"game": "{game}"}, {"variant": "camelot"}

_ROWS: Mapping[str, Row] = {
    # Tables
    "/play": row(given=CAMELOT, others=DONE, late=DONE),
    "rt-table": row(given="x", everybody=UNKNOWN),  # a form without a game
    "rt-again": open_to_all(":camelot:server:here:nobody:0:0"),
    "rt:join": seat("join", P.TABLE_FULL, P.ALREADY_JOINED, again=P.ALREADY_JOINED, late=P.ALREADY_JOINED),
    "rt:sit": seat("join", P.TABLE_FULL, P.ALREADY_JOINED, again=P.ALREADY_JOINED, late=P.ALREADY_JOINED),
    "rt-block:off": open_to_all(":{friend}"),
    "rt:new-table": open_to_all(OF_NOTHING),
    "rt:leave": seat("leave", stranger=P.NOT_SEATED, wrong=P.HOST_STAYS, again=P.NOT_SEATED),
    "rt:decline": seat("decline", stranger=P.NOT_INVITED, wrong=P.NOT_INVITED, again=P.NOT_INVITED),
    "rt:house": housed(OF_GAME, "", right=SHOWN, again=SHOWN),
    "rt-house:later": housed(":{game}", "easy:3600", again=SHOWN),
    "rt-house:sit": housed(":{game}", "easy:1", again=P.TABLE_FULL, right=P.TABLE_FULL),
    "rt:first-game": row(":0:0:camelot", others=DONE, late=DONE),
    "rt:seek-no-more": open_to_all(OF_NOTHING),
    "rt:seek": row(OF_NOTHING, others=DONE, later=SHOWN),
    "rt:cancel": seat("cancel", stranger=P.NOT_HOST, wrong=P.NOT_HOST, again=P.TABLE_CLOSED),
    "rt:rematch": row(OF_GAME, scene="over", later=SHOWN),
    # Moves
    "/move": row(given={"move": "F7-F8", **GAME}, wrong=P.NOT_YOUR_TURN, again=P.NOT_YOUR_TURN),
    "/game why": row(given={"move": "F7-F8", **GAME}, members=SHOWN, right=SHOWN, again=SHOWN),
    "rt:more": look(OF_GAME, scene="turn"),
    "/game resign": row(given=GAME, right=SHOWN, again=SHOWN),
    "rt:resign": row(OF_GAME, again=P.GAME_OVER),
    "rt:resign-ask": row(OF_GAME, right=SHOWN, again=SHOWN),
    "rt:play-on": look(OF_GAME, scene="turn"),
    "rt-press:open": row(":{game}:{changes}:-:", members=SHOWN, right=SHOWN, again=SHOWN),
    "rt-pick:piece": composed(given="{piece}"),
    "rt-pick:leg": composed("{piece}", "{landing}"),
    "rt-pick:end": composed("{piece}", "{landing}"),
    "rt-pick:way": composed("{piece}", "0", end="{landing}"),
    "rt-press:cell": composed(end="{piece}"),
    "rt-press:goal": composed("{piece}", end="{landing}"),
    "rt-press:route": composed("{piece}:00", end="{landing}"),
    "rt-press:back": composed("{piece}"),
    "rt-press:restart": composed("{piece}"),
    "rt-press:look": composed("{piece}{landing}"),
    "rt-press:type": composed(),
    "rt-press:hint": replace(composed(right=DONE), scene="against a bot", wrong=None),
    # A second press says again that the move is played, even if the game is over by then.
    "rt-press:commit": composed("{piece}{landing}", right=DONE, late=SHOWN),
    "rt-press:sure": composed("{piece}{landing}", right=DONE, late=SHOWN),
    "rt-form": composed(given="F7-F8"),
    # Plans, which only their planners see
    "/plan": row(given={"line": "C6-C5 C11-C12 C5-C4", **GAME}),
    "rt-plans:which": open_to_all(":0:0", scene="planned"),
    "rt-plan:view": plan("planned", ":{plan}:0", right=SHOWN),
    "rt-plans:reply": plan("drawn up", ":{plan}:0", right=SHOWN),
    "rt-plans:guards": plan("drawn up", ":{plan}:1", right=SHOWN),
    "rt-plans:free": plan("drawn up", ":{plan}:0", right=DONE, value="1"),
    "rt-plan:away": plan("drawn up", ":{plan}:1", right=DONE),
    "rt-plan:confirm": plan("drawn up", ":{plan}:0", right=DONE),
    "rt-plan:edit": plan("planned", ":{plan}:0", right=SHOWN),
    "rt-plan:delete": plan("planned", ":{plan}:0", right=DONE, again=P.NO_SUCH_PLAN),
    **{f"rt-plan:{way}": open_to_all(":0:1", scene="planned") for way in ("list", "earlier", "later")},
    **{f"rt-plan:{way}": open_to_all(":0:0", scene="planned") for way in ("clear", "clear-sure")},
    # Looking
    **{act: look(given=GAME) for act in ("/board", "/game history", "/game replay", "/game explore")},
    "rt:replay": look(OF_GAME),
    "rt-which": look(":{game}:board:turn=0"),
    # Trees and notes, of which every person has their own
    "rt:explore": look(":{game}:1:-"),
    "rt:notes": look(OF_GAME),
    "rt-notes": row(":{game}", "Hm.", "moved", members=DONE, later=SHOWN),
    # Thoughts, of which every person has their own; sealed until the game is over
    "/game thoughts": look(given=GAME),
    "rt-thought:say": written(SHOWN),
    "rt-thought:which": written(SHOWN, board="0", given="{changes}"),
    "rt-thought:said": written(DONE, given="Hm."),
    "rt-thought:noted": written(DONE, given="Hm."),
    **{f"rt-thought:{name}": look(":{game}:0") for name in ("open", "look", "delete", "delete-sure")},
    **{f"rt-thought:{name}": look(":{game}:0", scene="ended") for name in ("share", "share-lines", "keep", "read")},
    **{f"rt-annotated:{name}": look(":{game}:1", scene="ended") for name in ("page", "words", "record", *OLD_PRESSES)},
    **{
        f"rt-annotated:{name}": row(":{game}:1", given, "ended", wrong=SHOWN, right=SHOWN, later=SHOWN)
        for name, given in (("take-out", ""), ("whose", "1"))
    },
    "rt-line:piece": tried("{piece}", at="p0"),
    "rt-line:leg": tried("{landing}", at="p0", path="{piece}"),
    "rt-line:end": tried("{landing}", at="p0", path="{piece}"),
    "rt-line:way": tried("0", at="p0", path="{piece}"),
    "rt-line:cell": tried(at="p0", end="{piece}"),
    "rt-line:goal": tried(at="p0", path="{piece}", end="{landing}"),
    "rt-line:route": tried(at="p0", path="{piece}:00", end="{landing}"),
    "rt-line:commit": tried(right=DONE, again=SHOWN, late=SHOWN, at="p0", path="{other}"),
    "rt-line:typed": tried("E7-E8", right=DONE, again=SHOWN, late=SHOWN, at="p0"),
    **{f"rt-line:{name}": tried(at="p0", path="{piece}") for name in ("back", "restart", "look", "type")},
    **{f"rt-line:{name}": tried() for name in ("tools", "start", "earlier", "later", "outline")},
    **{f"rt-line:{name}": tried() for name in ("name", "note", "play")},
    # In place of the openings, that they are not shown yet.
    **{f"rt-line:{name}": tried() for name in ("count", "games", "list")},
    "rt-line:plan": tried(right=P.PLAN_EMPTY, late=P.GAME_OVER),
    "rt-line:level": tried("easy", right=P.PLAYED_NOW, late=DONE),
    "rt-line:go": tried("p0"),
    "rt-line:tree": tried("{tree}"),
    "rt-line:noted": tried("Hm.", right=DONE, again=SHOWN, late=SHOWN),
    "rt-line:delete": tried(right=DONE, again=P.NO_SUCH_TREE, late=P.NO_SUCH_TREE),
    "rt-line:delete-sure": tried(right=DONE, again=P.NO_SUCH_TREE, late=P.NO_SUCH_TREE),
    "rt-line:share": tried(right=P.NOT_OVER, late=SHOWN),
    "rt-line:share-film": tried(right=P.NOT_OVER, late=SHOWN),
    "/games": open_to_all(),
    "/puzzle": open_to_all(given=CAMELOT),
    **{f"rt-riddle:{name}": riddled() for name in ("open", "look", "another", "back", "restart", "commit", "type")},
    **{f"rt-riddle:{name}": riddled("00") for name in ("piece", "leg", "end", "way", "typed")},
    **{f"rt-riddle:{name}": riddled(chosen=f"00:{path}") for name, path in BUTTON_PATHS.items()},
    **{f"rt-riddle:{name}": riddled(first=DONE) for name in ("hint", "solution")},
    **{f"rt-op:{name}": open_to_all(":camelot::000:0", scene="ended") for name in ("open", "look", "home", "list")},
    **{
        f"rt-op:{name}": open_to_all(":camelot::000:0:aa", given, "ended")
        for name, given in {"go": "00", "what": "source-house", "who": "{friend}"}.items()
    },
    "/game review": row(given=GAME, scene="ended", stranger=DONE, wrong=SHOWN, right=SHOWN, later=SHOWN),
    "rt:share-review": row(OF_GAME, scene="ended", stranger=DONE, wrong=SHOWN, right=SHOWN, later=SHOWN),
    "/help": open_to_all(),
    "/learn rules": open_to_all(given=CAMELOT),
    "/learn lessons": open_to_all(given=CAMELOT),
    "rt-task:piece": open_to_all(":camelot:1:-:", "{piece}"),
    "rt-task:typed": open_to_all(":camelot:1:-:", "F7-F8"),
    "rt-task:look": own_setting(":camelot:1:-:"),
    "rt-task:cell": open_to_all(":camelot:1:{piece}:"),
    "rt-task:leg": open_to_all(":camelot:1:-:{piece}", "{landing}"),
    **{
        f"rt-task:{name}": open_to_all(":camelot:1:{landing}:{piece}:00", given)
        for name, given in {"end": "{landing}", "way": "0", "goal": "", "route": ""}.items()
    },
    **{
        f"rt-task:{name}": open_to_all(":camelot:1:-:{piece}{landing}")
        for name in ("back", "restart", "commit", "type", "hint")
    },
    "rt:rules": open_to_all(":0:0:camelot"),
    "rt:house-rules": open_to_all(OF_NOTHING),
    "/game follow": row(given=GAME, scene="watched", stranger=DONE, wrong=P.FOLLOWS_OWN),
    "rt:follow": row(OF_GAME, scene="watched", stranger=DONE, wrong=P.FOLLOWS_OWN),
    "rt:follow-every": row(OF_GAME, scene="watched", stranger=DONE, wrong=P.FOLLOWS_OWN, again=SHOWN),
    # Agreements. The button that refuses an offer for others withdraws it for its maker.
    "/game draw": row(given=GAME, again=P.OFFERED_ALREADY),
    "rt:draw-offer": row(OF_GAME, again=P.OFFERED_ALREADY),
    "rt:takeback-ask": row(OF_GAME, scene="moved", wrong=P.NOTHING_TO_TAKE_BACK, again=P.TAKEBACK_PENDING),
    "rt:draw-accept": asked("draw offered", again=P.GAME_OVER),
    "rt:draw-decline": asked("draw offered", again=P.LAPSED, wrong=None),
    "rt:takeback-accept": asked("takeback asked", again=P.LAPSED),
    "rt:takeback-decline": asked("takeback asked", again=P.LAPSED, wrong=None),
    "rt:pause-ask": row(OF_GAME, right=SHOWN, again=SHOWN),
    "rt-pause": row(":{game}", "7", again=P.PAUSE_PENDING),
    "rt:pause-accept": asked("pause asked", again=P.LAPSED),
    "rt:pause-decline": asked("pause asked", again=P.LAPSED, wrong=None),
    # Time
    "rt:claim": row(OF_BOARD, scene="overdue", wrong=P.YOUR_OWN_CLOCK, again=P.GAME_OVER),
    "rt:give-time": row(OF_BOARD, scene="overdue", wrong=P.YOUR_OWN_CLOCK),
    "rt:nudge": row(OF_GAME, scene="a day of waiting", wrong=P.YOUR_OWN_CLOCK, again=P.NUDGE_TOO_SOON),
    "rt:snooze": row(OF_BOARD, wrong=P.NOT_YOUR_TURN, right=SHOWN, again=SHOWN),
    "rt-snooze": row(":{game}:{changes}", "6", wrong=P.NOT_YOUR_TURN),
    # A vacation holds in all servers: the emigrant has started or stopped it before `right` tries.
    "/me vacation": row(given={"days": 2}, everybody=P.ALREADY_AWAY, others=DONE),
    "rt:vacation-stop": row(OF_NOTHING, scene="away", everybody=SHOWN, others=P.NOT_AWAY, emigrant=DONE),
    # Seats that change hands
    "/game substitute": row(given={"player": "{friend}", **GAME}, foreigner=P.NOT_A_MEMBER),
    "rt:substitute-ask": row(OF_GAME, right=SHOWN, again=SHOWN),
    "rt-substitute": row(":{game}", "{friend}"),
    "/game move-here": row(given=GAME, scene="elsewhere", again=SHOWN),
    "rt:substitute-accept": asked("handover asked", again=P.NOT_ASKED, stranger=P.NOT_ASKED),
    "rt:substitute-decline": asked("handover asked", again=P.LAPSED, stranger=P.NOT_ASKED, wrong=None),
    "rt:take-over": asked("vacant", again=P.NOT_VACANT, stranger=None, wrong=P.SEAT_NOT_YOURS),
    "rt:vote-now": asked("called", again=P.PROPOSED_ALREADY, wrong=P.ALREADY_LEFT),
    "rt:vote-later": asked("vote proposed", again=P.LAPSED, wrong=P.ALREADY_LEFT),
    **{
        f"rt:vote-{what}": asked("vote", SHOWN, wrong=P.ALREADY_LEFT)
        for what in ("play-on", "house", "draw", "abandon")
    },
    # Settings. A person's own hold in all servers: the emigrant has set them before `right` tries. The foreigner, who
    # manages the other server, has set its settings before the emigrant sets them to the same.
    "/me settings": open_to_all(),
    "rt-mine:group": open_to_all(":time"),
    "rt-mine:type": open_to_all(":sleep"),
    "rt-mine:value": own_setting(":board", "dark"),
    "rt-mine-form": own_setting(":sleep", "23-7"),
    "/server settings": managed(),
    "rt-server:group": managed(":games"),
    "rt-server:type": managed(":house-rules"),
    "rt-server:value": managed(":pace", "slow", changes=True),
    "rt-server:channels": managed(":audit", "1"),  # which is not a channel
    "rt-server-form": managed(":zone", "Europe/Oslo", changes=True),
    # The referee
    "/referee clock": judged("judge", late=P.GAME_OVER, player="{ada}", hours=5),
    "/referee replace": judged("judge", late=P.GAME_OVER, again=P.NOT_IN_GAME, player="{ada}", by="{friend}"),
    "/referee undo": judged("judge moved", late=DONE, again=P.NO_SUCH_PLY, turn="0"),  # a game that has ended goes on
    "/referee end": judged("judge", late=P.GAME_OVER, again=P.GAME_OVER),
    "/referee league": judged("league on", late=SHOWN, again=SHOWN),
    # Leagues
    "/server league": managed(),
    **{
        f"rt-league-new:{name}": league_panel([*answers][-1] if name in MENUS else "")
        for name, answers in QUESTIONS.items()
    },
    "rt-league-new:open": league_panel(came=DONE),
    "rt-league-new:name": league_panel(),
    "rt-league-new:named": league_panel("Winter cup", came=DONE),
    "rt-league:another": managed(":1"),
    **{f"rt-league:{name}": of_closing() for name in ("start", "people", "panel", "rename", "close", "keep")},
    "rt-league:start-sure": of_closing(right=DONE),
    "rt-league:close-sure": of_closing(right=DONE, later=L.CLOSED),
    "rt-league-name": of_closing(":{league}", "Winter cup", right=DONE),
    **{f"rt-league-people:{name}": of_closing(":{league}:{bo}:0") for name in ("move", "put-in")},
    "rt-league-people:remove": of_closing(":{league}:{bo}:0"),
    "rt-league-people:who": of_closing(":{league}:0:0", "{bo}"),
    "rt-league-people:sure": of_closing(":{league}:{bo}:0", right=DONE, later=L.NOT_THERE),
    "rt-league-honours:role": of_managing(given="{role}"),
    "rt-league-honours:called-role": of_managing(
        given="{role}", foreigner=SHOWN, right=L.ROLE_SILENT, later=L.ROLE_SILENT
    ),
    "rt-league-honours:week-more": of_managing(right=SHOWN),  # by then its panel is outdated
    "rt-league-honours:channel": of_managing(given="{channel}", right=SHOWN),  # its own is still there
    **of_league(
        *("/league join", "rt-league:join"), right=DONE, later=L.JOINED_ALREADY, stranger=DONE, scene="league open"
    ),
    **of_league("/league leave", "rt-league:leave", right=SHOWN, later=SHOWN, stranger=L.NOT_IN),
    **of_league("rt-league:sign-off", "rt-league:leave-sure", right=DONE, later=L.NOT_IN, stranger=L.NOT_IN),
    **of_league(
        *("/league table", "rt-league:table", "rt-league:games"),
        right=L.NO_SEASON,
        later=L.NO_SEASON,
        stranger=L.NO_SEASON,
    ),
    **of_league("rt-league:rules", "rt-league:history", right=SHOWN, later=SHOWN, stranger=SHOWN),
    # What is kept
    "/me data": open_to_all(),
    **{f"rt:{name}": open_to_all(OF_NOTHING) for name in ("data-export", "data-delete", "forget-me")},
    "rt-typed:forget-me": row(given="no", everybody=P.WORD_MISSING),
    "rt:export": look(OF_GAME),
    # Ladders, of which every server has its own
    "/ladder join": row(given=CAMELOT, scene="nothing", others=DONE, wrong=None, later=R.ALREADY_ON_LADDER),
    "/ladder leave": row(
        given=CAMELOT, scene="on ladder", others=R.NOT_ON_LADDER, wrong=None, right=SHOWN, later=SHOWN
    ),
    "rt:ladder-leave": row(
        ":0:0:camelot", scene="on ladder", others=R.NOT_ON_LADDER, wrong=None, later=R.NOT_ON_LADDER
    ),
    "/ladder challenge": row(
        *("", {"player": "{bo}", **CAMELOT}, "on ladder"),
        others=R.NOT_ON_LADDER,
        wrong=R.YOURSELF,
        later=R.CHALLENGING_ALREADY,
    ),
    "/ladder queue": row(given=CAMELOT, scene="on ladder", others=R.NOT_ON_LADDER, wrong=None, later=DONE),
    **{
        f"rt:ladder-{answer}": row(":0:{ask}:camelot", "", "challenged", everybody=R.NO_CHALLENGE, right=DONE)
        for answer in ("accept", "refuse")
    },
    "/ladder show": open_to_all(given=CAMELOT),
    "/ladder leaderboard": open_to_all(given=CAMELOT),
    "/ladder profile": open_to_all(given={"player": "{ada}"}),
    "rt-open": open_to_all(":stairs:camelot:0:0:0"),
    "rt-sheet": open_to_all(":stairs:camelot:0:0:0"),
    "rt-sheets:turn": open_to_all("", "stairs:camelot:0:0:0"),
}
ROWS = {
    act: replace(one, given=one.given or {}) if act.startswith("/") else replace(one, ident=act + one.ident)
    for act, one in _ROWS.items()
}
"""Every act of the bot, by its name: a command as it is typed, any other by the beginning of its `custom_id`."""
