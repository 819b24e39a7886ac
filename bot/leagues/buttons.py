"""The buttons of leagues, and what they carry."""

from __future__ import annotations

from typing import NamedTuple

from discord import ButtonStyle

from bot.core.clock import Pace
from bot.discordkit.components import (
    Button,
    CountField,
    Family,
    IdField,
    KeyField,
    NonceField,
    UserField,
    outdated_error,
)
from bot.leagues.league import GROUP_SIZES, MOVERS, SEASON_WEEKS, VACATION_DAYS, League, LeagueState, LeagueTerms
from bot.texts.i18n import Language, text
from rules import VARIANTS


class LeagueRef(NamedTuple):
    """The league that a button is about."""

    league: IdField


LEAGUE_BUTTONS = Family("rt-league", LeagueRef)


class ManageState(NamedTuple):
    """The league whose role or channel a manager chooses."""

    league: IdField
    on: CountField = 0
    """Not used; in the ids of earlier versions."""
    fresh: NonceField = ""
    """Used by menus only."""


LEAGUE_MANAGE = Family("rt-league-honours", ManageState)


class RemovalState(NamedTuple):
    """The league out of which a manager takes a person."""

    league: IdField
    user: UserField


LEAGUE_REMOVAL = Family("rt-league-remove", RemovalState)


class PanelState(NamedTuple):
    """The terms in the panel in which a league is opened."""

    variant: KeyField
    pace: KeyField = Pace.STANDARD.value
    weeks: CountField = 8
    size: KeyField = "4-6"
    movers: CountField = 2
    double: CountField = 0
    standing: CountField = 1
    vacation: CountField = 7
    fresh: NonceField = ""
    """Used by menus only."""

    def read_terms(self) -> LeagueTerms:
        """Returns the terms. Raises NO_SUCH_BUTTON for values that the panel never offers."""
        known = (
            self.variant in VARIANTS
            and self.pace in {pace.value for pace in Pace}
            and self.weeks in SEASON_WEEKS
            and self.size in GROUP_SIZES
            and self.movers in MOVERS
            and self.vacation in VACATION_DAYS
            and {self.double, self.standing} <= {0, 1}
        )
        if not known:
            raise outdated_error()
        least, most = GROUP_SIZES[self.size]
        return LeagueTerms(
            self.variant,
            Pace(self.pace),
            self.weeks,
            least,
            most,
            self.movers,
            bool(self.double),
            bool(self.standing),
            self.vacation,
        )


LEAGUE_PANEL = Family("rt-league-new", PanelState)


def league_button(
    locale: Language, league: int, name: str, style: ButtonStyle = ButtonStyle.secondary, row: int | None = None
) -> Button:
    """Returns a button of a league."""
    return LEAGUE_BUTTONS.make_button(name, LeagueRef(league), text(locale, f"button.league-{name}"), style, row)


def post_buttons(locale: Language, league: League) -> list[Button]:
    """Returns the buttons below the post of a league."""
    names = ["games", "rules", "history"]
    if league.state is not LeagueState.CLOSED:
        names = ["table", *names] if league.state is not LeagueState.SIGN_UP else names
        names = ["leave", *names] if league.closing else ["join", "leave", *names]
    return [
        league_button(
            locale, league.id, name, ButtonStyle.primary if name == "join" else ButtonStyle.secondary, place // 5
        )
        for place, name in enumerate(names)
    ]
