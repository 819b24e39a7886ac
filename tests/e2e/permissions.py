"""Who may do what: every command, button, menu and form, with its outcome for each kind of person.

To add an act, add a row to `ROWS` under the name that the test of missing rows reports. A row names the scene in which
the act is possible (`tests/e2e/scenes.py`), what is pressed or given there, and the outcomes that differ from the
defaults of `Row` (`tests/e2e/permission_rows.py`). `{game}` and the scene's other words are filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tests.e2e.permission_rows import (
    DONE,
    SHOWN,
    STALE,
    UNKNOWN,
    L,
    P,
    R,
    Row,
    asked,
    challenged,
    climbing,
    composed,
    housed,
    judged,
    league_panel,
    look,
    managed,
    of_closing,
    of_league,
    of_managing,
    open_to_all,
    own_setting,
    picked,
    plan,
    riddled,
    seat,
    tried,
    written,
)

BUTTON_PATHS = {"cell": "", "goal": "01", "route": "01:00"}
GAME, CAMELOT = {"game": "{game}"}, {"variant": "camelot"}

ROWS: Mapping[str, Row] = {
    # Tables
    "/play": Row("turn", given={"variant": "camelot"}, foreigner=DONE, stranger=DONE, wrong=DONE, late=DONE),
    "rt-table": Row(
        "turn",
        "rt-table",
        given="x",  # a form without a game
        foreigner=UNKNOWN,
        stranger=UNKNOWN,
        wrong=UNKNOWN,
        right=UNKNOWN,
        again=UNKNOWN,
        late=UNKNOWN,
    ),
    "rt-challenge": Row(
        "turn",
        "rt-challenge:{friend}",
        given="camelot",
        foreigner=P.NOT_A_MEMBER,
        stranger=P.OPPONENT_IS_YOU,
        wrong=DONE,
        late=DONE,
    ),
    "rt:join": seat("join", stranger=P.TABLE_FULL, wrong=P.ALREADY_JOINED, again=SHOWN),
    "rt:sit": replace(
        seat("join", stranger=P.TABLE_FULL, wrong=P.ALREADY_JOINED, again=P.ALREADY_JOINED),
        ident="rt:sit:{game}:0:-",
        late=P.ALREADY_JOINED,
    ),
    "rt-block:off": open_to_all("turn", "rt-block:off:{friend}", given=""),
    "rt:new-table": open_to_all("turn", "rt:new-table:0:0:-", given=""),
    "rt:leave": seat("leave", stranger=P.NOT_SEATED, wrong=P.HOST_STAYS, again=P.NOT_SEATED),
    "rt:decline": seat("decline", stranger=P.NOT_INVITED, wrong=P.NOT_INVITED, again=P.NOT_INVITED),
    "rt:house": housed("rt:house:{game}:0:-", "", right=SHOWN, again=SHOWN),
    "rt-house:later": housed("rt-house:later:{game}", "easy:3600", again=SHOWN),
    "rt-house:sit": housed("rt-house:sit:{game}", "easy:1", again=P.TABLE_FULL, right=P.TABLE_FULL),
    "rt:first-game": Row("turn", "rt:first-game:0:0:camelot", foreigner=DONE, stranger=DONE, wrong=DONE, late=DONE),
    "rt:seek-no-more": open_to_all("turn", "rt:seek-no-more:0:0:-", given=""),
    "rt:seek": Row("turn", "rt:seek:0:0:-", foreigner=DONE, stranger=DONE, wrong=DONE, again=SHOWN, late=SHOWN),
    "rt:cancel": seat("cancel", stranger=P.NOT_HOST, wrong=P.NOT_HOST, again=SHOWN),
    "rt:rematch": Row("over", "rt:rematch:{game}:0:-", again=SHOWN, late=SHOWN),
    # Moves
    "/move": Row("turn", given={"move": "F7-F8", **GAME}, wrong=P.NOT_YOUR_TURN, again=P.NOT_YOUR_TURN),
    "/game why": Row("turn", given={"move": "F7-F8", **GAME}, stranger=SHOWN, wrong=SHOWN, right=SHOWN, again=SHOWN),
    "rt:more": look("rt:more:{game}:0:-", scene="turn"),
    "rt:why": Row("turn", "rt:why:{game}:0:-", stranger=SHOWN, wrong=SHOWN, right=SHOWN, again=SHOWN),
    "rt-why": Row("turn", "rt-why:{game}", given="F7-F8", stranger=SHOWN, wrong=SHOWN, right=SHOWN, again=SHOWN),
    "rt:moves": Row("turn", "rt:moves:{game}:{changes}:-", wrong=P.NOT_YOUR_TURN, right=SHOWN, again=SHOWN, late=STALE),
    "/game resign": Row("turn", given=GAME, right=SHOWN, again=SHOWN),
    "rt:resign": Row("turn", "rt:resign:{game}:0:-", again=P.GAME_OVER),
    "rt:resign-ask": Row("turn", "rt:resign-ask:{game}:0:-", right=SHOWN, again=SHOWN),
    "rt:play-on": look("rt:play-on:{game}:0:-", scene="turn"),
    "rt-press:open": Row(
        "turn", "rt-press:open:{game}:{changes}:-:", stranger=SHOWN, wrong=SHOWN, right=SHOWN, again=SHOWN
    ),
    "rt-pick:piece": picked("piece", value="{piece}"),
    "rt-pick:leg": picked("leg", value="{landing}", path="{piece}"),
    "rt-pick:end": picked("end", value="{landing}", path="{piece}"),
    "rt-pick:way": picked("way", value="0", path="{piece}", end="{landing}"),
    "rt-press:cell": composed("cell", end="{piece}"),
    "rt-press:goal": composed("goal", path="{piece}", end="{landing}"),
    "rt-press:route": composed("route", path="{piece}:00", end="{landing}"),
    "rt-press:back": composed("back", path="{piece}"),
    "rt-press:restart": composed("restart", path="{piece}"),
    "rt-press:look": composed("look", path="{piece}{landing}"),
    "rt-press:type": composed("type"),
    "rt-press:hint": replace(composed("hint", right=DONE), scene="against a bot", wrong=None),
    # A second press says again that the move is played, even if the game is over by then.
    "rt-press:commit": composed("commit", path="{piece}{landing}", right=DONE, late=SHOWN),
    "rt-press:sure": composed("sure", path="{piece}{landing}", right=DONE, late=SHOWN),
    "rt-form": Row(
        "turn",
        "rt-form:{game}:{changes}:-:",
        given="F7-F8",
        stranger=STALE,
        wrong=STALE,
        right=SHOWN,
        again=SHOWN,
        late=STALE,
    ),
    # Plans, which only their planners see
    "/plan": Row("turn", given={"line": "C6-C5 C11-C12 C5-C4", **GAME}),
    "rt-plans:which": plan("planned", "rt-plans:which:0:0", right=SHOWN, again=SHOWN, value="{plan}"),
    "rt-plan:view": plan("planned", "rt-plan:view:{plan}:0", right=SHOWN, again=SHOWN),
    "rt-plans:reply": plan("drawn up", "rt-plans:reply:{plan}:0", right=SHOWN, again=SHOWN, value="1"),
    "rt-plans:guards": plan("drawn up", "rt-plans:guards:{plan}:1", right=DONE, again=SHOWN, value="s"),
    "rt-plan:away": plan("drawn up", "rt-plan:away:{plan}:1", right=DONE, again=SHOWN),
    "rt-plan:confirm": plan("drawn up", "rt-plan:confirm:{plan}:0", right=DONE, again=SHOWN),
    "rt-plan:edit": plan("planned", "rt-plan:edit:{plan}:0", right=DONE, again=DONE),
    "rt-plan:delete": plan("planned", "rt-plan:delete:{plan}:0", right=DONE, again=P.NO_SUCH_PLAN),
    **{
        f"rt-plan:{way}": open_to_all("planned", f"rt-plan:{way}:0:1", given="") for way in ("list", "earlier", "later")
    },
    "rt-plan:clear": open_to_all("planned", "rt-plan:clear:0:0", given=""),
    "rt-plan:clear-sure": Row(
        "planned",
        "rt-plan:clear-sure:0:0",
        foreigner=SHOWN,
        stranger=SHOWN,
        wrong=SHOWN,
        right=SHOWN,
        again=SHOWN,
        late=SHOWN,
        emigrant=DONE,
    ),
    # Looking
    "/board": look(given=GAME),
    "/game history": look(given=GAME),
    "/game replay": look(given=GAME),
    "rt:replay": look("rt:replay:{game}:0:-", given=""),
    "rt:share": look("rt:share:{game}:1:-", given=""),
    # Trees and notes, of which every person has their own
    "/game explore": look(given=GAME),
    "rt:explore": look("rt:explore:{game}:1:-", given=""),
    "rt:notes": look("rt:notes:{game}:0:-", given=""),
    "rt-notes": Row("moved", "rt-notes:{game}", given="Hm.", stranger=DONE, wrong=DONE, again=SHOWN, late=SHOWN),
    # Thoughts, of which every person has their own; sealed until the game is over
    "/game thoughts": look(given=GAME),
    "rt-thought:open": look("rt-thought:open:{game}:0", given=""),
    "rt-thought:say": written("say", SHOWN),
    "rt-thought:which": written("which", SHOWN, board="0", given="{changes}"),
    "rt-thought:said": written("said", DONE, given="Hm."),
    "rt-thought:noted": written("noted", DONE, given="Hm."),
    **{
        f"rt-thought:{name}": look(f"rt-thought:{name}:{{game}}:0", given="")
        for name in ("look", "delete", "delete-sure")
    },
    **{
        f"rt-thought:{name}": look(f"rt-thought:{name}:{{game}}:0", given="", scene="ended")
        for name in ("share", "share-lines", "keep", "read")
    },
    **{
        f"rt-annotated:{name}": look(f"rt-annotated:{name}:{{game}}:1", given="", scene="ended")
        for name in (
            "page",
            "back",
            "on",
            "words",
            *(f"turning-{n}" for n in (1, 2, 3)),
            "animation",
            "record",
            "print",
        )
    },
    **{
        f"rt-annotated:{name}": Row(
            "ended",
            f"rt-annotated:{name}:{{game}}:1",
            given=given,
            stranger=P.NOT_A_PLAYER,
            wrong=SHOWN,
            right=SHOWN,
            again=SHOWN,
            late=SHOWN,
        )
        for name, given in (("take-out", ""), ("whose", "1"))
    },
    "rt-line:piece": tried("piece", "{piece}", at="p0"),
    "rt-line:leg": tried("leg", "{landing}", at="p0", path="{piece}"),
    "rt-line:end": tried("end", "{landing}", at="p0", path="{piece}"),
    "rt-line:way": tried("way", "0", at="p0", path="{piece}"),
    "rt-line:cell": tried("cell", at="p0", end="{piece}"),
    "rt-line:goal": tried("goal", at="p0", path="{piece}", end="{landing}"),
    "rt-line:route": tried("route", at="p0", path="{piece}:00", end="{landing}"),
    "rt-line:commit": tried("commit", right=DONE, again=SHOWN, late=SHOWN, at="p0", path="{other}"),
    "rt-line:typed": tried("typed", "E7-E8", right=DONE, again=SHOWN, late=SHOWN, at="p0"),
    **{f"rt-line:{name}": tried(name, at="p0", path="{piece}") for name in ("back", "restart", "look", "type")},
    **{f"rt-line:{name}": tried(name) for name in ("tools", "start", "earlier", "later", "outline", "picture", "film")},
    **{f"rt-line:{name}": tried(name) for name in ("name", "note")},
    "rt-line:count": tried("count"),  # the board, and in place of the openings that they are closed
    **{f"rt-line:{name}": tried(name, right=P.PLAYED_NOW, late=SHOWN) for name in ("games", "list")},
    "rt-line:plan": tried("plan", right=P.PLAN_EMPTY, late=P.GAME_OVER),
    "rt-line:play": tried("play"),
    "rt-line:level": tried("level", "easy", right=P.PLAYED_NOW, late=DONE),
    "rt-line:go": tried("go", "p0"),
    "rt-line:tree": tried("tree", "{tree}"),
    "rt-line:named": tried("named", "Slow", right=DONE, again=SHOWN, late=SHOWN),
    "rt-line:noted": tried("noted", "Hm.", right=DONE, again=SHOWN, late=SHOWN),
    "rt-line:delete": tried("delete", right=DONE, again=P.NO_SUCH_TREE, late=P.NO_SUCH_TREE),
    "rt-line:delete-sure": tried("delete-sure", right=DONE, again=P.NO_SUCH_TREE, late=P.NO_SUCH_TREE),
    "rt-line:share": tried("share", right=P.NOT_OVER, late=SHOWN),
    "rt-line:share-film": tried("share-film", right=P.NOT_OVER, late=SHOWN),
    "/games": open_to_all(),
    "/puzzle": open_to_all(given={"variant": "camelot"}),
    **{f"rt-riddle:{name}": riddled(name) for name in ("open", "look", "another", "back", "restart", "commit", "type")},
    **{f"rt-riddle:{name}": riddled(name, "00") for name in ("piece", "leg", "end", "way", "typed")},
    **{f"rt-riddle:{name}": riddled(name, chosen=f"00:{path}") for name, path in BUTTON_PATHS.items()},
    **{f"rt-riddle:{name}": riddled(name, first=DONE) for name in ("hint", "solution")},
    "rt-op:open": open_to_all("ended", "rt-op:open:camelot::000:0"),
    "rt-op:look": open_to_all("ended", "rt-op:look:camelot::000:0"),
    "rt-op:home": open_to_all("ended", "rt-op:home:camelot::000:0"),
    "rt-op:go": open_to_all("ended", "rt-op:go:camelot::000:0:aa", "00"),
    "rt-op:what": open_to_all("ended", "rt-op:what:camelot::000:0:aa", "source-house"),
    "rt-op:who": open_to_all("ended", "rt-op:who:camelot::000:0:aa", "{friend}"),
    "rt-op:list": open_to_all("ended", "rt-op:list:camelot::000:0"),
    "/game review": Row("ended", given=GAME, stranger=DONE, wrong=SHOWN, right=SHOWN, again=SHOWN, late=SHOWN),
    "rt:share-review": Row(
        "ended", "rt:share-review:{game}:0:-", stranger=DONE, wrong=SHOWN, right=SHOWN, again=SHOWN, late=SHOWN
    ),
    "/learn rules": open_to_all(given={"variant": "camelot"}),
    "/help": open_to_all(),
    "/learn lessons": open_to_all(given={"variant": "camelot"}),
    **{
        f"rt-task:{name}": open_to_all("turn", f"rt-task:{name}:camelot:1:-:", given=given)
        for name, given in {"piece": "{piece}", "typed": "F7-F8"}.items()
    },
    "rt-task:look": own_setting("rt-task:look:camelot:1:-:"),
    "rt-task:cell": open_to_all("turn", "rt-task:cell:camelot:1:{piece}:", given=""),
    "rt-task:leg": open_to_all("turn", "rt-task:leg:camelot:1:-:{piece}", given="{landing}"),
    **{
        f"rt-task:{name}": open_to_all("turn", f"rt-task:{name}:camelot:1:{{landing}}:{{piece}}:00", given=given)
        for name, given in {"end": "{landing}", "way": "0", "goal": "", "route": ""}.items()
    },
    **{
        f"rt-task:{name}": open_to_all("turn", f"rt-task:{name}:camelot:1:-:{{piece}}{{landing}}", given="")
        for name in ("back", "restart", "commit", "type", "hint")
    },
    "rt:rules": open_to_all("turn", "rt:rules:0:0:camelot", given=""),
    "rt:page": open_to_all("turn", "rt:page:0:1:camelot", given=""),
    "rt:house-rules": open_to_all("turn", "rt:house-rules:0:0:-", given=""),
    "/game follow": Row("watched", given=GAME, stranger=DONE, wrong=P.FOLLOWS_OWN),
    "rt:follow": Row("watched", "rt:follow:{game}:0:-", stranger=DONE, wrong=P.FOLLOWS_OWN),
    "rt:follow-every": Row("watched", "rt:follow-every:{game}:0:-", stranger=DONE, wrong=P.FOLLOWS_OWN, again=SHOWN),
    # Agreements. The button that refuses an offer for others withdraws it for its maker.
    "/game draw": Row("turn", given=GAME, again=P.OFFERED_ALREADY),
    "rt:draw-offer": Row("turn", "rt:draw-offer:{game}:0:-", again=P.OFFERED_ALREADY),
    "rt:draw-claim": Row("repeated", "rt:draw-claim:{game}:0:-", wrong=P.NOT_YOUR_TURN, again=P.GAME_OVER),
    "rt:takeback-ask": Row(
        "moved", "rt:takeback-ask:{game}:0:-", wrong=P.NOTHING_TO_TAKE_BACK, again=P.TAKEBACK_PENDING
    ),
    "rt:draw-accept": asked("draw offered", "draw-accept", again=P.GAME_OVER),
    "rt:draw-decline": asked("draw offered", "draw-decline", again=P.LAPSED, wrong=None),
    "rt:takeback-accept": asked("takeback asked", "takeback-accept", again=P.LAPSED),
    "rt:takeback-decline": asked("takeback asked", "takeback-decline", again=P.LAPSED, wrong=None),
    "rt:pause-ask": Row("turn", "rt:pause-ask:{game}:0:-", right=SHOWN, again=SHOWN),
    "rt-pause": Row("turn", "rt-pause:{game}", given="7", again=P.PAUSE_PENDING),
    "rt:pause-accept": asked("pause asked", "pause-accept", again=P.LAPSED),
    "rt:pause-decline": asked("pause asked", "pause-decline", again=P.LAPSED, wrong=None),
    # Time
    "rt:claim": Row("overdue", "rt:claim:{game}:{changes}:-", wrong=P.YOUR_OWN_CLOCK, again=P.GAME_OVER),
    "rt:more-time": Row("turn of the other", "rt:more-time:{game}:0:-", wrong=P.YOUR_OWN_CLOCK),
    "rt:give-time": Row("overdue", "rt:give-time:{game}:{changes}:-", wrong=P.YOUR_OWN_CLOCK, again=P.LAPSED),
    "rt:nudge": Row("a day of waiting", "rt:nudge:{game}:0:-", wrong=P.YOUR_OWN_CLOCK, again=P.NUDGED_ALREADY),
    "rt:snooze": Row("turn", "rt:snooze:{game}:{changes}:-", wrong=P.NOT_YOUR_TURN, right=SHOWN, again=SHOWN),
    "rt-snooze": Row("turn", "rt-snooze:{game}:{changes}", given="6", wrong=P.NOT_YOUR_TURN),
    # A vacation holds in all servers: the emigrant has started or stopped it before `right` tries.
    "/me vacation": Row(
        "turn",
        given={"days": 2},
        foreigner=DONE,
        stranger=DONE,
        wrong=DONE,
        right=P.ALREADY_AWAY,
        again=P.ALREADY_AWAY,
        late=P.ALREADY_AWAY,
    ),
    "rt:vacation-stop": Row(
        "away",
        "rt:vacation-stop:0:0:-",
        foreigner=P.NOT_AWAY,
        stranger=P.NOT_AWAY,
        wrong=P.NOT_AWAY,
        right=SHOWN,
        again=SHOWN,
        late=SHOWN,
        emigrant=DONE,
    ),
    # Seats that change hands
    "/game substitute": Row("turn", given={"player": "{friend}", **GAME}, foreigner=P.NOT_A_MEMBER),
    "rt:substitute-ask": Row("turn", "rt:substitute-ask:{game}:0:-", right=SHOWN, again=SHOWN),
    "rt-substitute": Row("turn", "rt-substitute:{game}", given="{friend}"),
    "/game move-here": Row("elsewhere", given=GAME, again=SHOWN),
    "rt:substitute-accept": asked("handover asked", "substitute-accept", again=P.NOT_ASKED, stranger=P.NOT_ASKED),
    "rt:substitute-decline": asked(
        "handover asked", "substitute-decline", again=P.LAPSED, stranger=P.NOT_ASKED, wrong=None
    ),
    "rt:take-over": asked("vacant", "take-over", again=P.NOT_VACANT, stranger=None, wrong=P.SEAT_NOT_YOURS),
    "rt:vote-now": asked("called", "vote-now", again=P.PROPOSED_ALREADY, wrong=P.ALREADY_LEFT),
    "rt:vote-later": asked("vote proposed", "vote-later", again=P.LAPSED, wrong=P.ALREADY_LEFT),
    "rt:vote-play-on": asked("vote", "vote-play-on", again=SHOWN, wrong=P.ALREADY_LEFT),
    "rt:vote-house": asked("vote", "vote-house", again=SHOWN, wrong=P.ALREADY_LEFT),
    "rt:vote-draw": asked("vote", "vote-draw", again=SHOWN, wrong=P.ALREADY_LEFT),
    "rt:vote-abandon": asked("vote", "vote-abandon", again=SHOWN, wrong=P.ALREADY_LEFT),
    # Settings. A person's own hold in all servers: the emigrant has set them before `right` tries. The foreigner, who
    # manages the other server, has set its settings before the emigrant sets them to the same.
    "/me settings": own_setting(given={"zone": "Europe/Oslo"}),
    "rt-mine:group": open_to_all("turn", "rt-mine:group:time"),
    "rt-mine:which": open_to_all("turn", "rt-mine:which:-", given="board"),
    "rt-mine:type": open_to_all("turn", "rt-mine:type:sleep"),
    "rt-mine:value": own_setting("rt-mine:value:board", given="dark"),
    "rt-mine-form": own_setting("rt-mine-form:sleep", given="23-7"),
    "/server settings": managed(),
    "rt-server:group": managed("rt-server:group:games"),
    "rt-server:which": managed("rt-server:which:-", given="pace"),
    "rt-server:type": managed("rt-server:type:house-rules"),
    "rt-server:value": managed("rt-server:value:pace", given="slow", changes=True),
    "rt-server:channels": managed("rt-server:channels:audit", given="1"),  # which is not a channel
    "rt-server-form": managed("rt-server-form:zone", given="Europe/Oslo", changes=True),
    "rt-typed:house-rules": managed("rt-typed:house-rules", given="Be kind.", changes=True),
    # The referee
    "/referee clock": judged("judge", late=P.GAME_OVER, player="{ada}", hours=5),
    "/referee replace": judged("judge", late=P.NOT_IN_GAME, again=P.NOT_IN_GAME, player="{ada}", by="{friend}"),
    "/referee undo": judged("judge moved", late=DONE, again=P.NO_SUCH_PLY, turn="0"),  # a game that has ended goes on
    "/referee end": judged("judge", late=P.GAME_OVER, again=P.GAME_OVER),
    "/referee league": judged("league on", late=SHOWN, again=SHOWN),
    # Leagues
    "/server league": managed(),
    **{
        f"rt-league-new:{name}": league_panel(name, given)
        for name, given in {
            "variant": "camette",
            "pace": "slow",
            "weeks": "4",
            "size": "3-4",
            "length": "10-days",
        }.items()
    },
    **{f"rt-league-new:{name}": league_panel(name) for name in ("rounds", "sign-up", "movers", "vacation")},
    "rt-league-new:open": league_panel("open", changes=True),
    "rt-league:start": of_closing("start", right=SHOWN, again=SHOWN, late=SHOWN),
    "rt-league:start-sure": of_closing("start-sure", again=SHOWN, late=SHOWN),
    "rt-league:people": of_closing("people", right=SHOWN, again=SHOWN, late=SHOWN),
    **{
        f"rt-league-people:{name}": replace(
            of_closing(name, right=SHOWN, again=SHOWN, late=SHOWN), ident=f"rt-league-people:{name}:{{league}}:{{bo}}:0"
        )
        for name in ("move", "out", "put-in")
    },
    "rt-league:rename": of_closing("rename", right=SHOWN, again=SHOWN, late=SHOWN),
    "rt-league-name": replace(
        of_closing("rename", again=SHOWN, late=SHOWN), ident="rt-league-name:{league}", given="Winter cup"
    ),
    "rt-league:close": of_closing("close", right=SHOWN, again=SHOWN, late=SHOWN),
    "rt-league:close-sure": of_closing("close-sure", again=L.CLOSED, late=L.CLOSED),
    "rt-league:keep": of_closing("keep", right=SHOWN, again=SHOWN, late=SHOWN),
    "rt-league-remove:sure": Row(
        "league judged",
        "rt-league-remove:sure:{league}:{bo}",
        foreigner=L.NO_LEAGUE,
        stranger=P.NOT_MANAGER,
        wrong=P.NOT_MANAGER,
        again=L.NOT_THERE,
        late=L.NOT_THERE,
    ),
    "rt-league-people:who": replace(
        of_closing("who", right=SHOWN, again=SHOWN, late=SHOWN), ident="rt-league-people:who:{league}:0:0", given="{bo}"
    ),
    "rt-league-honours:role": of_managing("role", "{role}"),
    "rt-league-honours:called-role": replace(
        of_managing("called-role", "{role}"),
        foreigner=L.ROLE_SILENT,
        right=L.ROLE_SILENT,
        again=L.ROLE_SILENT,
        late=L.ROLE_SILENT,
    ),
    "rt-league-honours:week-more": replace(of_managing("week-more"), right=SHOWN),  # by then its panel is outdated
    "rt-league-honours:channel": replace(of_managing("channel", "{channel}"), right=SHOWN),  # its own is still there
    "/league join": of_league("/league join", DONE, L.JOINED_ALREADY, scene="league open"),
    "rt-league:join": of_league("rt-league:join", DONE, L.JOINED_ALREADY, scene="league open"),
    "/league leave": of_league("/league leave", SHOWN, SHOWN, L.NOT_IN),
    "rt-league:leave": of_league("rt-league:leave", SHOWN, SHOWN, L.NOT_IN),
    "rt-league:sign-off": of_league("rt-league:sign-off", DONE, L.NOT_IN, L.NOT_IN),
    "rt-league:leave-sure": of_league("rt-league:leave-sure", DONE, L.NOT_IN, L.NOT_IN),
    **{
        act: of_league(act, L.NO_SEASON, L.NO_SEASON)
        for act in ("/league table", "rt-league:table", "rt-league:games", "rt-league:export")
    },
    **{act: of_league(act, SHOWN, SHOWN) for act in ("rt-league:rules", "rt-league:history")},
    # What is kept
    "/me data": open_to_all(),
    "rt:data-export": open_to_all("turn", "rt:data-export:0:0:-", given=""),
    "rt:data-delete": open_to_all("turn", "rt:data-delete:0:0:-", given=""),
    "rt:forget-me": open_to_all("turn", "rt:forget-me:0:0:-", given=""),
    "rt-typed:forget-me": Row(
        "turn",
        "rt-typed:forget-me",
        given="no",
        foreigner=P.WORD_MISSING,
        stranger=P.WORD_MISSING,
        wrong=P.WORD_MISSING,
        right=P.WORD_MISSING,
        again=P.WORD_MISSING,
        late=P.WORD_MISSING,
    ),
    "rt:export": look("rt:export:{game}:0:-", given=""),
    # Ladders, of which every server has its own
    "/ladder join": Row(
        "nothing", given=CAMELOT, foreigner=DONE, stranger=DONE, again=R.ALREADY_ON_LADDER, late=R.ALREADY_ON_LADDER
    ),
    "/ladder leave": Row(
        "on ladder",
        given=CAMELOT,
        foreigner=R.NOT_ON_LADDER,
        stranger=R.NOT_ON_LADDER,
        right=SHOWN,
        again=SHOWN,
        late=SHOWN,
    ),
    "rt:ladder-leave": Row(
        "on ladder",
        "rt:ladder-leave:0:0:camelot",
        foreigner=R.NOT_ON_LADDER,
        stranger=R.NOT_ON_LADDER,
        again=R.NOT_ON_LADDER,
        late=R.NOT_ON_LADDER,
    ),
    "rt:ladder-stay": open_to_all("on ladder", "rt:ladder-stay:0:0:camelot", given=""),
    "/ladder challenge": climbing(
        "on ladder", "camelot", others=R.NOT_ON_LADDER, wrong=R.YOURSELF, again=R.CHALLENGING_ALREADY, player="<@{bo}>"
    ),
    "/ladder queue": climbing("on ladder", "camelot", others=R.NOT_ON_LADDER, again=DONE),
    "rt:ladder-accept": challenged("ladder-accept"),
    "rt:ladder-refuse": challenged("ladder-refuse"),
    "/ladder show": open_to_all(given=CAMELOT),
    "/ladder leaderboard": open_to_all(given=CAMELOT),
    "/ladder profile": open_to_all(given={"player": "{ada}"}),
    "rt-open": open_to_all("turn", "rt-open:stairs:camelot:0:0:0", given=""),
    "rt-sheet": open_to_all("turn", "rt-sheet:stairs:camelot:0:0:0", given=""),
    "rt-sheets:open": open_to_all("turn", "rt-sheets:open", given="stairs:camelot:0:0:0"),
    "rt-sheets:turn": open_to_all("turn", "rt-sheets:turn", given="stairs:camelot:0:0:0"),
}
"""Every act of the bot, by its name: a command as it is typed, any other by the beginning of its `custom_id`."""
