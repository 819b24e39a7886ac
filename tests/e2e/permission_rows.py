"""The rows of the table of who may do what: their columns, and functions for the rows that recur."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from bot.core.problems import Problem
from bot.ladder.acts import LadderProblem
from bot.leagues.league import LeagueProblem
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


PROMISE = ("foreigner", "stranger", "wrong", "departed", "emigrant", "right", "again", "late")
"""The kinds of people, in the order of the columns of a row."""

EMPTY: Mapping[str, object] = {}


@dataclass(frozen=True)
class Row:
    """One act, and its outcome for each kind of person.

    The test tries the columns in this order, the emigrant after the departed. A column left out has the default.
    """

    scene: str
    ident: str = ""
    """The `custom_id` of a button, menu or form; empty for a command."""
    given: Mapping[str, object] | str = ""
    """The options of a command, the value chosen in a menu, or the text typed into a form."""

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


def open_to_all(scene: str = "turn", ident: str = "", given: Mapping[str, object] | str = EMPTY) -> Row:
    """Returns the row of an act that anybody may do, because it concerns no particular game."""
    return Row(
        scene, ident, given=given, foreigner=SHOWN, stranger=SHOWN, wrong=SHOWN, right=SHOWN, again=SHOWN, late=SHOWN
    )


def look(ident: str = "", given: Mapping[str, object] | str = EMPTY, scene: str = "moved") -> Row:
    """Returns the row of a look at a game, which every member of the server may take at any time."""
    return Row(scene, ident, given=given, stranger=SHOWN, wrong=SHOWN, right=SHOWN, again=SHOWN, late=SHOWN)


def judged(scene: str, late: Outcome, again: Outcome = DONE, **given: object) -> Row:
    """Returns the row of a referee's act, which only those who manage the server may do."""
    options = {"game": "{game}", "reason": "because", **given}
    nobody = P.NOT_MANAGER
    return Row(scene, given=options, stranger=nobody, wrong=nobody, again=again, late=late)


def own_setting(ident: str = "", given: Mapping[str, object] | str = EMPTY) -> Row:
    """Returns the row of a person's own setting, which holds in all servers.

    Everybody sets it for themselves. The emigrant has set it before `right` tries, who therefore changes nothing.
    """
    return Row(
        "turn", ident, given=given, foreigner=DONE, stranger=DONE, wrong=DONE, right=SHOWN, again=SHOWN, late=SHOWN
    )


def managed(ident: str = "", given: Mapping[str, object] | str = EMPTY, *, changes: bool = False) -> Row:
    """Returns the row of a look at something that only those who manage the server see, or of a change to it.

    The foreigner manages the other server and changes it first; the emigrant then changes it to the same value there.
    """
    first = DONE if changes else SHOWN
    return Row(
        "judge",
        ident,
        given=given,
        foreigner=first,
        stranger=P.NOT_MANAGER,
        wrong=P.NOT_MANAGER,
        right=first,
        again=SHOWN,
        late=SHOWN,
        emigrant=SHOWN if changes else None,
    )


def composed(
    part: str, late: Outcome = STALE, path: str = "", right: Outcome = SHOWN, again: Outcome = SHOWN, end: str = "-"
) -> Row:
    """Returns the row of a press in the composer, which works only for the player to move."""
    ident = f"rt-press:{part}:{{game}}:{{changes}}:{end}:{path}"
    return Row("turn", ident, stranger=STALE, wrong=STALE, right=right, again=again, late=late)


def picked(part: str, value: str, path: str = "", end: str = "-") -> Row:
    """Returns the row of a choice in one of the composer's menus."""
    ident = f"rt-pick:{part}:{{game}}:{{changes}}:{end}:{path}"
    return Row("turn", ident, given=value, stranger=STALE, wrong=STALE, right=SHOWN, again=SHOWN, late=STALE)


def plan(scene: str, ident: str, right: Outcome, again: Outcome, value: str = "") -> Row:
    """Returns the row of an act on a plan.

    The plan belongs to its planner in all servers: the emigrant acts first, so `right` is the emigrant's outcome.
    """
    nobodys = P.NO_SUCH_PLAN
    return Row(
        scene,
        ident,
        given=value,
        foreigner=nobodys,
        stranger=nobodys,
        wrong=nobodys,
        right=again,
        again=again,
        late=nobodys,
        emigrant=right,
    )


def asked(
    scene: str,
    name: str,
    again: Outcome,
    stranger: Outcome | None = P.NOT_A_PLAYER,
    wrong: Outcome | None = P.NOT_ASKED,
) -> Row:
    """Returns the row of a button that answers an event."""
    return Row(scene, f"rt:{name}:{{game}}:{{ask}}:-", stranger=stranger, wrong=wrong, again=again)


def seat(name: str, stranger: Outcome, wrong: Outcome, again: Outcome) -> Row:
    """Returns the row of a button of the table. A late press updates the message, which then has no buttons."""
    ident = f"rt:{name}:{{game}}:0:-"
    return Row(f"table for {name}", ident, stranger=stranger, wrong=wrong, again=again, late=SHOWN)


def housed(ident: str, given: str, again: Outcome, right: Outcome = DONE) -> Row:
    """Returns the row of an act with which only the host seats house players at a table."""
    nobodys = P.NOT_HOST
    return Row(
        "table for cancel",
        ident,
        given=given,
        stranger=nobodys,
        wrong=nobodys,
        right=right,
        again=again,
        late=P.TABLE_CLOSED,
    )


def climbing(
    scene: str, variant: str, others: Outcome, wrong: Outcome | None = None, *, again: Outcome, **given: str
) -> Row:
    """Returns the row of an act on a ladder.

    `others` is the outcome for people who are not on the ladder. The end of a game makes no difference.
    """
    options = {"variant": variant, **given}
    return Row(scene, given=options, foreigner=others, stranger=others, wrong=wrong, again=again, late=again)


def challenged(name: str) -> Row:
    """Returns the row of a button that answers a challenge."""
    nobodys = R.NO_CHALLENGE
    ident = f"rt:{name}:0:{{ask}}:camelot"
    return Row("challenged", ident, foreigner=nobodys, stranger=nobodys, wrong=nobodys, again=nobodys, late=nobodys)


def tried(
    name: str,
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
    ident, nobodys = f"rt-line:{name}:{{tree}}:{at}:{end}:{path}", P.NO_SUCH_TREE
    return Row(
        "explored",
        ident,
        given=given,
        foreigner=nobodys,
        stranger=nobodys,
        wrong=nobodys,
        right=right,
        again=again or right,
        late=late or right,
        emigrant=P.NO_SUCH_GAME,
    )


def written(name: str, right: Outcome, board: str = "{changes}", given: str = "") -> Row:
    """Returns the row of a thought about the move to make, which only the player to move may write."""
    ident = f"rt-thought:{name}:{{game}}:{board}"
    return Row("turn", ident, given=given, stranger=P.STALE, wrong=P.STALE, right=right, again=SHOWN)


def riddled(name: str, given: str = "", first: Outcome = SHOWN, chosen: str = "-:") -> Row:
    """Returns the row of a press or a choice in a puzzle; `first` is the outcome of the first try by each person."""
    row = open_to_all("turn", f"rt-riddle:{name}:{shipped_puzzles('camelot')[0].id}:0:{chosen}", given=given)
    return replace(row, foreigner=first, stranger=first, wrong=first, right=first)


def of_league(act: str, right: Outcome, again: Outcome, others: Outcome | None = None, *, scene: str = "league") -> Row:
    """Returns the row of a command or button of a league; in the scene "league" its players have signed up.

    `others` is the outcome for people who have not, if it is another one. A game's end makes no difference.
    """
    command = act.startswith("/")
    return Row(
        scene,
        "" if command else f"{act}:{{league}}",
        given={"league": "{league}"} if command else "",
        foreigner=L.NO_LEAGUE,
        stranger=others or right,
        wrong=right,
        right=right,
        again=again,
        late=again,
    )


def league_panel(name: str, given: str = "", *, changes: bool = False) -> Row:
    """Returns the row of a component of the panel in which managers open leagues."""
    row = managed(f"rt-league-new:{name}:camelot:fast:8:4-6:2:0:1:7", given)
    return replace(row, foreigner=DONE, emigrant=DONE, right=DONE, again=DONE, late=DONE) if changes else row


def of_managing(name: str, given: str = "") -> Row:
    """Returns the row of a component with which managers choose what else a league does."""
    return Row(
        "league managing",
        f"rt-league-honours:{name}:{{league}}:1",
        given=given,
        foreigner=L.NO_LEAGUE,
        stranger=P.NOT_MANAGER,
        wrong=P.NOT_MANAGER,
        again=SHOWN,
        late=SHOWN,
    )


def of_closing(name: str, **outcomes: Outcome) -> Row:
    """Returns the row of a button with which managers close a league or keep it."""
    row = Row("league judged", f"rt-league:{name}:{{league}}", foreigner=L.NO_LEAGUE, stranger=P.NOT_MANAGER)
    return replace(row, wrong=P.NOT_MANAGER, **outcomes)
