"""Who may do what: every command, button, menu and form, and what comes of it for each kind of person.

To add one: a row in `ROWS` under the name that the test of missing rows says. A row names the scene in which the act
is possible (`tests/e2e/scenes.py`), the way it is done there, and what becomes of it; columns that are left out are as
in most rows. What follows a command's name are its options; `{game}` and the scene's other words are filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from bot.core.problems import Problem
from bot.ladder.conditions import LadderProblem
from engine.puzzles import shipped_puzzles


class Came(Enum):
    """What comes of an act, where it is not refused for a reason."""

    DONE = auto()  # something is stored
    SHOWN = auto()  # an answer, and nothing is stored
    STALE = auto()  # it is said that the board has moved on; nothing is stored
    OUT = auto()  # Discord does not let it through


Outcome = Came | Problem | LadderProblem
DONE, SHOWN, STALE, OUT = Came
P, R = Problem, LadderProblem


EMPTY: Mapping[str, object] = {}


@dataclass(frozen=True)
class Row:
    """One act. The columns stand in the order in which they are walked; the emigrant comes after the departed."""

    scene: str
    ident: str = ""
    """Of a button, menu or form: its `custom_id`."""
    given: Mapping[str, object] | str = field(default_factory=dict)
    """A command's options; the value that is chosen in a menu; what is typed into a form."""

    foreigner: Outcome = P.NO_SUCH_GAME
    """A member of another server, who knows the game's number."""
    stranger: Outcome | None = P.NOT_A_PLAYER
    """A member of the server who is not in the game; None where that is who may."""
    wrong: Outcome | None = None
    """Somebody in the game who may not do this, or not now; None where all players may."""
    departed: Outcome = OUT
    """Who might, but has been thrown out of the server.

    This proves only that they get nowhere in that server: Discord itself lets them do nothing there, so the bot is
    not even asked. What the bot says to them is in the column of the emigrant.
    """
    right: Outcome = DONE
    """Who may."""
    again: Outcome = DONE
    """The same person a second time."""
    late: Outcome = P.GAME_OVER
    """The same person once the game is over."""

    emigrant: Outcome | None = field(default=None, kw_only=True)
    """Who has been thrown out, and does it in another server, which they manage; None where as a foreigner.

    They are still a player of the game, and know its number.
    """

    def promised(self, who: str) -> Outcome | None:
        """What a column says; None where nobody of the kind is there to try it."""
        came: Outcome | None = getattr(self, who)
        return came or (self.foreigner if who == "emigrant" else None)


def open_to_all(scene: str = "turn", ident: str = "", given: Mapping[str, object] | str = EMPTY) -> Row:
    """The row of an act that has nothing to do with any game in particular."""
    return Row(scene, ident, given, SHOWN, SHOWN, SHOWN, OUT, SHOWN, SHOWN, SHOWN)


def look(ident: str = "", given: Mapping[str, object] | str = EMPTY, scene: str = "moved") -> Row:
    """The row of a look at a game, which all of the server's members may have, at any time."""
    return Row(scene, ident, given, P.NO_SUCH_GAME, SHOWN, SHOWN, OUT, SHOWN, SHOWN, SHOWN)


def judged(scene: str, late: Outcome, again: Outcome = DONE, **given: object) -> Row:
    """The row of a referee's act: for those who manage the server and for nobody else."""
    options = {"game": "{game}", "reason": "because", **given}
    nobody = P.NOT_MANAGER
    return Row(scene, "", options, P.NO_SUCH_GAME, nobody, nobody, OUT, DONE, again, late)


def composed(part: str, late: Outcome = STALE, path: str = "", right: Outcome = SHOWN, again: Outcome = SHOWN) -> Row:
    """The row of a press in the composer: only the player to move gets on."""
    ident = f"rt-press:{part}:{{game}}:{{changes}}:-:{path}"
    return Row("turn", ident, "", P.NO_SUCH_GAME, STALE, STALE, OUT, right, again, late)


def picked(part: str, value: str, path: str = "", end: str = "-") -> Row:
    """The row of a choice in one of the composer's menus."""
    ident = f"rt-pick:{part}:{{game}}:{{changes}}:{end}:{path}"
    return Row("turn", ident, value, P.NO_SUCH_GAME, STALE, STALE, OUT, SHOWN, SHOWN, STALE)


def plan(scene: str, ident: str, right: Outcome, again: Outcome, value: str = "") -> Row:
    """The row of an act upon somebody's plan. It is theirs in all servers: what the emigrant has done, is done."""
    nobodys = P.NO_SUCH_PLAN
    return Row(*(scene, ident, value, nobodys, nobodys, nobodys, OUT, again, again, nobodys), emigrant=right)


def asked(
    scene: str,
    name: str,
    again: Outcome,
    stranger: Outcome | None = P.NOT_A_PLAYER,
    wrong: Outcome | None = P.NOT_ASKED,
) -> Row:
    """The row of a button that answers an event."""
    return Row(scene, f"rt:{name}:{{game}}:{{ask}}:-", "", P.NO_SUCH_GAME, stranger, wrong, OUT, DONE, again)


def seat(name: str, stranger: Outcome, wrong: Outcome, again: Outcome) -> Row:
    """The row of a button of the table. Once it is closed, the message is brought up to date and has no buttons."""
    ident = f"rt:{name}:{{game}}:0:-"
    return Row(f"table for {name}", ident, "", P.NO_SUCH_GAME, stranger, wrong, OUT, DONE, again, SHOWN)


def housed(ident: str, given: str, again: Outcome, right: Outcome = DONE) -> Row:
    """The row of what only the host may do at a table, where house players are to sit."""
    nobodys = P.NOT_HOST
    return Row("table for cancel", ident, given, P.NO_SUCH_GAME, nobodys, nobodys, OUT, right, again, P.TABLE_CLOSED)


def climbing(
    scene: str, variant: str, others: Outcome, wrong: Outcome | None = None, *, again: Outcome, **given: str
) -> Row:
    """The row of an act on a ladder; `others` have no place there, and no game's end makes a difference."""
    options = {"variant": variant, **given}
    return Row(scene, "", options, others, others, wrong, OUT, DONE, again, again)


def challenged(name: str) -> Row:
    """The row of a button that answers a challenge."""
    nobodys = R.NO_CHALLENGE
    ident = f"rt:{name}:0:{{ask}}:camelot"
    return Row("challenged", ident, "", nobodys, nobodys, nobodys, OUT, DONE, nobodys, nobodys)


def tried(
    name: str,
    given: str = "",
    right: Outcome = SHOWN,
    *,
    again: Outcome | None = None,
    late: Outcome | None = None,
    path: str = "",
    at: str = "{node}",
) -> Row:
    """The row of a press on the board of a tree: there is none for anybody but its owner."""
    ident, nobodys = f"rt-line:{name}:{{tree}}:{at}:-:{path}", P.NO_SUCH_TREE
    return Row(
        *("explored", ident, given, nobodys, nobodys, nobodys, OUT, right, again or right, late or right),
        emigrant=P.NO_SUCH_GAME,
    )


def riddled(name: str, given: str = "", first: Outcome = SHOWN) -> Row:
    """The row of a press or a choice in somebody's puzzle; `first` is what comes of it once in each server."""
    row = open_to_all("turn", f"rt-riddle:{name}:{shipped_puzzles('camelot')[0].id}:0:-:", given)
    return replace(row, foreigner=first, stranger=first, wrong=first, right=first)


_JUDGED = P.NOT_MANAGER, P.NOT_MANAGER, OUT, DONE
_LOOKED = P.NOT_MANAGER, P.NOT_MANAGER, OUT, SHOWN, SHOWN, SHOWN
_FOLLOW = P.NOT_FOLLOWING, P.NOT_FOLLOWING

GAME, CAMELOT = {"game": "{game}"}, {"variant": "camelot"}

ROWS: Mapping[str, Row] = {
    # Tables
    "/play": Row("turn", "", {"variant": "camelot"}, DONE, DONE, DONE, OUT, DONE, DONE, DONE),
    "rt-challenge": Row(
        *("turn", "rt-challenge:{friend}", "camelot", P.NOT_A_MEMBER, P.OPPONENT_IS_YOU, DONE, OUT, DONE, DONE, DONE)
    ),
    "rt:join": seat("join", stranger=P.TABLE_FULL, wrong=P.ALREADY_JOINED, again=SHOWN),
    "rt:leave": seat("leave", stranger=P.NOT_SEATED, wrong=P.HOST_STAYS, again=P.NOT_SEATED),
    "rt:decline": seat("decline", stranger=P.NOT_INVITED, wrong=P.NOT_INVITED, again=P.NOT_INVITED),
    "rt:house": housed("rt:house:{game}:0:-", "", right=SHOWN, again=SHOWN),
    "rt-house:later": housed("rt-house:later:{game}", "easy:3600", again=SHOWN),
    "rt-house:sit": housed("rt-house:sit:{game}", "easy:1", again=P.TABLE_FULL, right=P.TABLE_FULL),
    "rt:first-game": Row("turn", "rt:first-game:0:0:camelot", "", DONE, DONE, DONE, OUT, DONE, DONE, DONE),
    "rt:seek": Row("turn", "rt:seek:0:0:-", "", DONE, DONE, DONE, OUT, DONE, DONE, DONE),
    "rt:cancel": seat("cancel", stranger=P.NOT_HOST, wrong=P.NOT_HOST, again=SHOWN),
    "rt:rematch": Row("over", "rt:rematch:{game}:0:-", "", again=SHOWN, late=SHOWN),
    # Moves
    "/move": Row("turn", "", {"move": "F7-F8", **GAME}, wrong=P.NOT_YOUR_TURN, again=P.NOT_YOUR_TURN),
    "/game why": Row(
        "turn", "", {"move": "F7-F8", **GAME}, P.NO_SUCH_GAME, SHOWN, SHOWN, OUT, SHOWN, SHOWN, P.GAME_OVER
    ),
    "/game moves": Row("turn", "", GAME, wrong=P.NOT_YOUR_TURN, right=SHOWN, again=SHOWN),
    "rt:moves": Row(
        "turn", "rt:moves:{game}:{changes}:-", "", wrong=P.NOT_YOUR_TURN, right=SHOWN, again=SHOWN, late=STALE
    ),
    "/game resign": Row("turn", "", GAME, right=SHOWN, again=SHOWN),
    "rt:resign": Row("turn", "rt:resign:{game}:0:-", "", again=P.GAME_OVER),
    "rt:play-on": look("rt:play-on:{game}:0:-", scene="turn"),
    "rt-press:open": Row(
        "turn", "rt-press:open:{game}:{changes}:-:", "", P.NO_SUCH_GAME, SHOWN, SHOWN, OUT, SHOWN, SHOWN, P.GAME_OVER
    ),
    "rt-pick:piece": picked("piece", "{piece}"),
    "rt-pick:leg": picked("leg", "{landing}", "{piece}"),
    "rt-pick:end": picked("end", "{landing}", "{piece}"),
    "rt-pick:way": picked("way", "0", "{piece}", "{landing}"),
    "rt-press:back": composed("back", path="{piece}"),
    "rt-press:restart": composed("restart", path="{piece}"),
    "rt-press:look": composed("look", path="{piece}{landing}"),
    "rt-press:type": composed("type"),
    # Whoever presses these twice is told again that their move is played, also when the game is over by then.
    "rt-press:commit": composed("commit", path="{piece}{landing}", right=DONE, late=SHOWN),
    "rt-press:sure": composed("sure", path="{piece}{landing}", right=DONE, late=SHOWN),
    "rt-form": Row(
        "turn", "rt-form:{game}:{changes}:-:", "F7-F8", P.NO_SUCH_GAME, STALE, STALE, OUT, SHOWN, SHOWN, STALE
    ),
    # Plans, which nobody else ever sees
    "/plan": Row("turn", "", {"line": "C6-C5 C11-C12 C5-C4", **GAME}),
    "rt-plans:which": plan("planned", "rt-plans:which:0:0", SHOWN, SHOWN, value="{plan}"),
    "rt-plans:reply": plan("drawn up", "rt-plans:reply:{plan}:0", SHOWN, SHOWN, value="1"),
    "rt-plans:guards": plan("drawn up", "rt-plans:guards:{plan}:1", DONE, SHOWN, value="s"),
    "rt-plan:away": plan("drawn up", "rt-plan:away:{plan}:1", DONE, SHOWN),
    "rt-plan:confirm": plan("drawn up", "rt-plan:confirm:{plan}:0", DONE, SHOWN),
    "rt-plan:edit": plan("planned", "rt-plan:edit:{plan}:0", DONE, DONE),
    "rt-plan:delete": plan("planned", "rt-plan:delete:{plan}:0", DONE, P.NO_SUCH_PLAN),
    **{f"rt-plan:{way}": open_to_all("planned", f"rt-plan:{way}:0:1", "") for way in ("list", "earlier", "later")},
    "rt-plan:clear": open_to_all("planned", "rt-plan:clear:0:0", ""),
    "rt-plan:clear-sure": Row(
        *("planned", "rt-plan:clear-sure:0:0", "", SHOWN, SHOWN, SHOWN, OUT, SHOWN, SHOWN, SHOWN), emigrant=DONE
    ),
    # Looking
    "/board": look("", GAME),
    "/game history": look("", GAME),
    "/game replay": look("", GAME),
    "rt:replay": look("rt:replay:{game}:0:-", ""),
    "rt:share": look("rt:share:{game}:1:-", ""),
    # What somebody tries, and their notes. Everybody has their own.
    "/game explore": Row("moved", "", GAME, P.NO_SUCH_GAME, DONE, DONE, OUT, DONE, SHOWN, SHOWN),
    "rt:explore": Row(*("moved", "rt:explore:{game}:1:-", "", P.NO_SUCH_GAME, DONE, DONE, OUT, DONE, SHOWN, SHOWN)),
    "rt:notes": look("rt:notes:{game}:0:-", ""),
    "rt-notes": Row("moved", "rt-notes:{game}", "Hm.", P.NO_SUCH_GAME, DONE, DONE, OUT, DONE, SHOWN, SHOWN),
    "rt-line:piece": tried("piece", "{piece}", at="p0"),
    "rt-line:leg": tried("leg", "{landing}", at="p0", path="{piece}"),
    "rt-line:end": tried("end", "{landing}", at="p0", path="{piece}"),
    "rt-line:way": tried("way", "0", at="p0", path="{piece}"),
    "rt-line:commit": tried("commit", right=DONE, again=SHOWN, late=SHOWN, at="p0", path="{other}"),
    "rt-line:typed": tried("typed", "E7-E8", DONE, again=SHOWN, late=SHOWN, at="p0"),
    **{f"rt-line:{name}": tried(name, at="p0", path="{piece}") for name in ("back", "restart", "look", "type")},
    **{f"rt-line:{name}": tried(name) for name in ("start", "earlier", "later", "outline", "picture", "film")},
    **{f"rt-line:{name}": tried(name) for name in ("name", "note")},
    "rt-line:plan": tried("plan", right=P.PLAN_EMPTY, late=P.GAME_OVER),
    "rt-line:go": tried("go", "p0"),
    "rt-line:tree": tried("tree", "{tree}"),
    "rt-line:named": tried("named", "Slow", DONE, again=SHOWN, late=SHOWN),
    "rt-line:noted": tried("noted", "Hm.", DONE, again=SHOWN, late=SHOWN),
    "rt-line:delete": tried("delete", right=DONE, again=P.NO_SUCH_TREE, late=P.NO_SUCH_TREE),
    "rt-line:delete-sure": tried("delete-sure", right=DONE, again=P.NO_SUCH_TREE, late=P.NO_SUCH_TREE),
    "rt-line:share": tried("share", right=P.NOT_OVER, late=SHOWN),
    "rt-line:share-film": tried("share-film", right=P.NOT_OVER, late=SHOWN),
    "/games": open_to_all(),
    "/puzzle": open_to_all(given={"variant": "camelot"}),
    **{f"rt-riddle:{name}": riddled(name) for name in ("open", "look", "another", "back", "restart", "commit", "type")},
    **{f"rt-riddle:{name}": riddled(name, "00") for name in ("piece", "leg", "end", "way", "typed")},
    **{f"rt-riddle:{name}": riddled(name, first=DONE) for name in ("hint", "solution")},
    "/game review": Row("ended", "", GAME, P.NO_SUCH_GAME, DONE, SHOWN, OUT, *[SHOWN] * 3),
    "rt:share-review": Row("ended", "rt:share-review:{game}:0:-", "", P.NO_SUCH_GAME, DONE, SHOWN, OUT, *[SHOWN] * 3),
    "/learn rules": open_to_all(given={"variant": "camelot"}),
    "/help": open_to_all(),
    "/me privacy": open_to_all(),
    "/learn lessons": open_to_all(given={"variant": "camelot"}),
    **{
        f"rt-task:{name}": open_to_all("turn", f"rt-task:{name}:camelot:1:-:", given)
        for name, given in {"piece": "{piece}", "typed": "F7-F8"}.items()
    },
    "rt-task:leg": open_to_all("turn", "rt-task:leg:camelot:1:-:{piece}", "{landing}"),
    **{
        f"rt-task:{name}": open_to_all("turn", f"rt-task:{name}:camelot:1:-:{{piece}}{{landing}}", "")
        for name in ("back", "restart", "look", "commit", "type", "hint")
    },
    "rt:rules": open_to_all("turn", "rt:rules:0:0:camelot", ""),
    "rt:page": open_to_all("turn", "rt:page:0:1:camelot", ""),
    "rt:house-rules": open_to_all("turn", "rt:house-rules:0:0:-", ""),
    "/game follow": Row("watched", "", GAME, P.NO_SUCH_GAME, DONE, P.FOLLOWS_OWN, OUT, DONE, SHOWN, P.GAME_OVER),
    "/game unfollow": Row("followed", "", GAME, P.NO_SUCH_GAME, *_FOLLOW, OUT, DONE, *_FOLLOW),
    "rt:follow": Row(
        *("watched", "rt:follow:{game}:0:-", "", P.NO_SUCH_GAME, DONE, P.FOLLOWS_OWN, OUT, DONE, DONE, P.GAME_OVER)
    ),
    "rt:follow-every": Row(
        *("watched", "rt:follow-every:{game}:0:-", "", P.NO_SUCH_GAME, DONE, P.FOLLOWS_OWN, OUT, DONE, SHOWN),
        P.GAME_OVER,
    ),
    # Agreements. Whoever has asked withdraws with the button by which others refuse.
    "/game draw": Row("turn", "", GAME, again=P.OFFERED_ALREADY),
    "/game claim-draw": Row("repeated", "", GAME, wrong=P.NOT_YOUR_TURN, again=P.GAME_OVER),
    "/game takeback": Row("moved", "", GAME, wrong=P.NOTHING_TO_TAKE_BACK, again=P.TAKEBACK_PENDING),
    "rt:draw-accept": asked("draw offered", "draw-accept", again=P.GAME_OVER),
    "rt:draw-decline": asked("draw offered", "draw-decline", again=P.LAPSED, wrong=None),
    "rt:takeback-accept": asked("takeback asked", "takeback-accept", again=P.LAPSED),
    "rt:takeback-decline": asked("takeback asked", "takeback-decline", again=P.LAPSED, wrong=None),
    # Time
    "/game claim": Row("overdue", "", GAME, wrong=P.YOUR_OWN_CLOCK, again=P.GAME_OVER),
    "rt:claim": Row("overdue", "rt:claim:{game}:{changes}:-", "", wrong=P.YOUR_OWN_CLOCK, again=P.GAME_OVER),
    "/game give-time": Row("turn of the other", "", {"hours": 24, **GAME}, wrong=P.YOUR_OWN_CLOCK),
    "rt:give-time": Row("overdue", "rt:give-time:{game}:{changes}:-", "", wrong=P.YOUR_OWN_CLOCK, again=P.LAPSED),
    "/game nudge": Row("a day of waiting", "", GAME, wrong=P.YOUR_OWN_CLOCK, again=P.NUDGED_ALREADY),
    "rt:snooze": Row("turn", "rt:snooze:{game}:{changes}:-", "", wrong=P.NOT_YOUR_TURN, right=SHOWN, again=SHOWN),
    "rt-snooze": Row("turn", "rt-snooze:{game}:{changes}", "6", wrong=P.NOT_YOUR_TURN),
    # A vacation is a person's own, in all servers: what the emigrant has done need not be done again.
    "/me vacation start": Row(
        *("turn", "", {"days": 2}, DONE, DONE, DONE, OUT, P.ALREADY_AWAY, P.ALREADY_AWAY, P.ALREADY_AWAY)
    ),
    "/me vacation stop": Row(
        *("away", "", {}, P.NOT_AWAY, P.NOT_AWAY, P.NOT_AWAY, OUT, SHOWN, SHOWN, SHOWN), emigrant=DONE
    ),
    # Seats that change hands
    "/game substitute": Row("turn", "", {"player": "{friend}", **GAME}, P.NOT_A_MEMBER),
    "/game move-here": Row("elsewhere", "", GAME, again=SHOWN),
    "rt:substitute-accept": asked("handover asked", "substitute-accept", again=P.NOT_ASKED, stranger=P.NOT_ASKED),
    "rt:substitute-decline": asked(
        "handover asked", "substitute-decline", again=P.LAPSED, stranger=P.NOT_ASKED, wrong=None
    ),
    "rt:take-over": asked("vacant", "take-over", again=P.NOT_VACANT, stranger=None, wrong=P.SEAT_NOT_YOURS),
    "rt:vote-play-on": asked("vote", "vote-play-on", again=SHOWN, wrong=P.ALREADY_LEFT),
    "rt:vote-house": asked("vote", "vote-house", again=SHOWN, wrong=P.ALREADY_LEFT),
    "rt:vote-draw": asked("vote", "vote-draw", again=SHOWN, wrong=P.ALREADY_LEFT),
    "rt:vote-abandon": asked("vote", "vote-abandon", again=SHOWN, wrong=P.ALREADY_LEFT),
    # Settings. A person's own are so in all servers. Those of the other server are as the foreigner, who manages it,
    # has left them, by the time at which the emigrant sets them.
    "/me settings": Row("turn", "", {"zone": "Europe/Oslo"}, DONE, DONE, DONE, OUT, SHOWN, SHOWN, SHOWN),
    "rt-mine:which": open_to_all("turn", "rt-mine:which:-", "theme"),
    "rt-mine:value": Row("turn", "rt-mine:value:theme", "dark", DONE, DONE, DONE, OUT, SHOWN, SHOWN, SHOWN),
    "rt-mine-form": Row("turn", "rt-mine-form:sleep", "23-7", DONE, DONE, DONE, OUT, SHOWN, SHOWN, SHOWN),
    "/server settings": Row("judge", "", {}, SHOWN, *_LOOKED),
    "rt-server:which": Row("judge", "rt-server:which:-", "pace", SHOWN, *_LOOKED),
    "rt-server:value": Row("judge", "rt-server:value:pace", "slow", DONE, *_JUDGED, SHOWN, SHOWN, emigrant=SHOWN),
    "rt-server:channels": Row("judge", "rt-server:channels:audit", "1", SHOWN, *_LOOKED),  # which is no channel
    "rt-server-form": Row("judge", "rt-server-form:most-open", "7", DONE, *_JUDGED, SHOWN, SHOWN, emigrant=SHOWN),
    "rt-typed:house-rules": Row(
        "judge", "rt-typed:house-rules", "Be kind.", DONE, *_JUDGED, SHOWN, SHOWN, emigrant=SHOWN
    ),
    # The referee
    "/referee clock": judged("judge", P.GAME_OVER, player="{ada}", hours=5),
    "/referee replace": judged("judge", P.NOT_IN_GAME, again=P.NOT_IN_GAME, player="{ada}", by="{friend}"),
    "/referee undo": judged("judge moved", DONE, again=P.NO_SUCH_PLY, ply=0),  # a game that has ended goes on
    "/referee abort": judged("judge", P.GAME_OVER, again=P.GAME_OVER),
    "/referee annul": judged("judge over", P.ANNULLED_ALREADY, again=P.ANNULLED_ALREADY),
    "/referee rename": judged("judge", DONE, title="Final"),
    # What is kept
    "/me data export": open_to_all(),
    "/me data delete": open_to_all(),
    "rt:forget-me": open_to_all("turn", "rt:forget-me:0:0:-", ""),
    "rt-typed:forget-me": Row(
        "turn",
        "rt-typed:forget-me",
        "no",
        *(P.WORD_MISSING, P.WORD_MISSING, P.WORD_MISSING, OUT, P.WORD_MISSING, P.WORD_MISSING, P.WORD_MISSING),
    ),
    "/game export": look("", GAME),
    # Ladders, of which every server has its own
    "/ladder join": Row("nothing", "", CAMELOT, DONE, DONE, None, OUT, DONE, R.ALREADY_ON_LADDER, R.ALREADY_ON_LADDER),
    "/ladder leave": Row(*("on ladder", "", CAMELOT, R.NOT_ON_LADDER, R.NOT_ON_LADDER, None, OUT, SHOWN, SHOWN, SHOWN)),
    "rt:ladder-leave": Row(
        *("on ladder", "rt:ladder-leave:0:0:camelot", "", R.NOT_ON_LADDER, R.NOT_ON_LADDER, None),
        *(OUT, DONE, R.NOT_ON_LADDER, R.NOT_ON_LADDER),
    ),
    "rt:ladder-stay": open_to_all("on ladder", "rt:ladder-stay:0:0:camelot", ""),
    "/ladder challenge": climbing(
        "on ladder", "camelot", R.NOT_ON_LADDER, R.YOURSELF, again=R.CHALLENGING_ALREADY, player="<@{bo}>"
    ),
    "/ladder queue": climbing("on ladder", "camelot", R.NOT_ON_LADDER, again=R.QUEUED_ALREADY),
    "/ladder unqueue": climbing("queued", "cam-3d", R.NOT_QUEUED, R.NOT_QUEUED, again=R.NOT_QUEUED),
    "rt:ladder-accept": challenged("ladder-accept"),
    "rt:ladder-refuse": challenged("ladder-refuse"),
    "/ladder show": open_to_all(given=CAMELOT),
    "/ladder rules": open_to_all(),
    "/ladder history": open_to_all(),
    "/ladder leaderboard": open_to_all(given=CAMELOT),
    "/ladder profile": open_to_all(given={"player": "{ada}"}),
    "/ladder compare": open_to_all(given={"player": "{ada}", "other": "{bo}"}),
    "rt-open": open_to_all("turn", "rt-open:stairs:camelot:0:0:0", ""),
    "rt-sheet": open_to_all("turn", "rt-sheet:stairs:camelot:0:0:0", ""),
    "rt-sheets:open": open_to_all("turn", "rt-sheets:open", "stairs:camelot:0:0:0"),
    "rt-sheets:turn": open_to_all("turn", "rt-sheets:turn", "stairs:camelot:0:0:0"),
    "/referee hints": Row(
        "judge", "", {"player": "{ada}"}, SHOWN, P.NOT_MANAGER, P.NOT_MANAGER, OUT, SHOWN, SHOWN, SHOWN
    ),
}
"""Every act."""
