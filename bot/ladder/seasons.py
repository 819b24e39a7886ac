"""Seasons: standings, podium, and the tick that ends one and starts the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from bot.ladder.conditions import LadderView
from bot.ladder.entries import Entry, EntryKind
from bot.ladder.stairs import ANSWER, Climber
from bot.people.clock import DAY, HOUR

PODIUM = 3
WEEK = 7 * DAY
AGAIN = 5 * 60
"""Seconds until a challenge is looked at again which an absence has given more time."""


def standings(view: LadderView, mus: Mapping[int, float]) -> tuple[Climber, ...]:
    """Those who count, best first: by rung, then wins, then rating, then who has been there for longer.

    `mus` are the ratings behind the numbers that people see; who is missing there has none. Those who sleep are left
    out.
    """
    awake = [climber for climber in view.ladder.climbers.values() if climber.on and not view.asleep(climber)]

    def order(climber: Climber) -> tuple[int, int, float, int, int]:
        mu = mus.get(climber.user, float("-inf"))
        return -climber.step, -climber.wins, -mu, climber.joined_at, climber.user

    return tuple(sorted(awake, key=order))


def podium(view: LadderView, mus: Mapping[int, float]) -> tuple[Climber, ...]:
    """The best three of those who have played in this season; fewer if fewer have."""
    played = (one for one in standings(view, mus) if one.wins + one.draws + one.losses)
    return tuple(played)[:PODIUM]


def turned(view: LadderView, mus: Mapping[int, float]) -> tuple[Entry, ...]:
    """The end of the season that is over, and the start of the next or first one; nothing while one is on.

    A season lasts from its first tick, so days in which the bot was down never make a season short, or two of one. Once
    the entries are in force there is nothing more to do, which is why it happens exactly once.
    """
    ladder, season = view.ladder, view.ladder.season
    entries: list[Entry] = []
    if season is not None:
        if view.now < season.until:
            return ()
        best = tuple(climber.user for climber in podium(view, mus))
        entries.append(ladder.entry(view.now, EntryKind.SEASON_ENDED, best, (), str(season.number)))
    if not any(climber.on for climber in ladder.climbers.values()):
        return tuple(entries)  # the next one waits for somebody to climb
    body = f"{ladder.seasons + 1} {view.now + view.terms.season}"
    start = ladder.entry(view.now, EntryKind.SEASON_STARTED, (), (), body)
    return (*entries, replace(start, seq=start.seq + len(entries)))


def digested(view: LadderView, since: int) -> Entry | None:
    """That a week is over, counted from `since`: the season's start, or the last time. None if none is.

    Weeks in which the bot was down are told of in one go, and the last of a season, a little short, before its end.
    """
    season = view.ladder.season
    if season is None or view.now < min(since + WEEK, season.until) or view.now <= since:
        return None
    return view.ladder.entry(view.now, EntryKind.DIGEST, (), (), str(since))


class Due(NamedTuple):
    """What a ladder waits for by itself."""

    season: int | None
    """When the season ends; None while none is on."""
    digested: int | None
    """Since when the week is counted."""
    challenge: int | None
    """When the oldest challenge was made."""
    queueing: bool
    climbing: bool
    """Whether anybody is on the ladder at all."""


def wake(due: Due, now: int) -> int | None:
    """The next instant at which the tick must look at a ladder; None where nothing happens by itself.

    Queues are looked at whenever somebody joins one, and once an hour, as waiting widens what fits. A season begins
    as soon as anybody is there.
    """
    times = [
        due.season if due.season is not None else now if due.climbing else None,
        due.digested + WEEK if due.digested is not None and due.season is not None else None,
        None if due.challenge is None else due.challenge + ANSWER if due.challenge + ANSWER > now else now + AGAIN,
        (now // HOUR + 1) * HOUR if due.queueing else None,
    ]
    return min((at for at in times if at is not None), default=None)
