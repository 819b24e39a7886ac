"""The rows of the table of who may do what that are about leagues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tests.e2e.permission_rows import DONE, SHOWN, L, Outcome, P, Row, judged, managed


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


LEAGUE_ROWS: Mapping[str, Row] = {
    "/referee league": judged("league on", late=DONE),
    # Leagues
    "/server league": managed(),
    **{
        f"rt-league-new:{name}": league_panel(name, given)
        for name, given in {"variant": "camette", "pace": "slow", "weeks": "4", "size": "3-4"}.items()
    },
    **{f"rt-league-new:{name}": league_panel(name) for name in ("rounds", "sign-up", "movers", "vacation")},
    "rt-league-new:open": league_panel("open", changes=True),
    "rt-league:close": of_closing("close", right=SHOWN, again=SHOWN, late=SHOWN),
    "rt-league:close-sure": of_closing("close-sure", again=L.CLOSED, late=L.CLOSED),
    "rt-league:keep": of_closing("keep", again=DONE, late=DONE),
    "rt-league-remove:sure": Row(
        "league judged",
        "rt-league-remove:sure:{league}:{bo}",
        foreigner=L.NO_LEAGUE,
        stranger=P.NOT_MANAGER,
        wrong=P.NOT_MANAGER,
        again=L.NOT_THERE,
        late=L.NOT_THERE,
    ),
    "rt-league-honours:role": of_managing("role", "{role}"),
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
}
