"""What scheduled events announce about a league, and which of them are called off. Pure."""

from __future__ import annotations

from typing import NamedTuple

from bot.leagues.league import League, LeagueState

LEAST_NOTICE_S = 60
"""Seconds before which an event has to be up: Discord takes none that has begun."""


class Announcement(NamedTuple):
    """What a scheduled event announces. Its values are stored."""

    season: int
    kind: str
    """"begin" or "end"."""
    at: int


def announcement_of(league: League, now: int) -> Announcement | None:
    """Returns what has to be announced: during the sign-up the start, then the end; None if nothing, or too late."""
    kind, at = {
        LeagueState.SIGN_UP: ("begin", league.begins_at),
        LeagueState.RUNNING: ("end", league.ends_at),
    }.get(league.state, ("", 0))
    return Announcement(league.season, kind, at) if league.events and at > now + LEAST_NOTICE_S else None


def is_called_off(league: League, shown: Announcement, now: int) -> bool:
    """True if what is announced will not take place, or has not: a season is put off when it should begin."""
    put_off = shown.kind == "begin" and shown.season == league.season and not league.is_on
    return shown.at > now or put_off
