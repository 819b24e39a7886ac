"""What scheduled events announce about a league, and which events are called off. Pure."""

from __future__ import annotations

from typing import NamedTuple

from bot.leagues.league import League, LeagueState

MIN_NOTICE_S = 60
"""The least seconds between adding an event and its start: Discord accepts no event that has begun."""


class Announcement(NamedTuple):
    """What a scheduled event announces. Its values are stored."""

    season: int
    kind: str
    """"begin" or "end"."""
    at: int


def announcement_of(league: League, now: int) -> Announcement | None:
    """Returns what to announce: the start during the sign-up, the end during the season; None when it is too late, or
    the league has no events."""
    kind, at = {
        LeagueState.SIGN_UP: ("begin", league.begins_at),
        LeagueState.RUNNING: ("end", league.ends_at),
    }.get(league.state, ("", 0))
    return (
        Announcement(league.season, kind, at) if league.events and league.channel and at > now + MIN_NOTICE_S else None
    )


def is_called_off(league: League, shown: Announcement, now: int) -> bool:
    """True if the event of an announcement that is no longer wanted must be deleted: its time is still to come, or the
    season was put off at that time.
    """
    put_off = shown.kind == "begin" and shown.season == league.season and not league.is_on
    return shown.at > now or put_off
