"""Seasons: standings, podium, and the tick that ends one and starts the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from bot.core.clock import HOUR
from bot.ladder.conditions import LadderView
from bot.ladder.entries import EntryKind, LadderEntry
from bot.ladder.state import ANSWER_TIME_S, SEASON_S, Climber

PODIUM_SIZE = 3
CHALLENGE_RECHECK_S = 5 * 60
"""Seconds until the next look at a challenge that an absence has prolonged."""


def season_standings(view: LadderView, ratings: Mapping[int, float]) -> tuple[Climber, ...]:
    """Returns the climbers who are awake, best first: by rung, then wins, then rating, then time on the ladder.

    `ratings` are exact ratings, not the shown numbers. Users who are missing there have no rating.
    """
    awake = [climber for climber in view.ladder.climbers.values() if climber.is_active and not view.is_asleep(climber)]

    def standing_key(climber: Climber) -> tuple[int, int, float, int, int]:
        mu = ratings.get(climber.user, float("-inf"))
        return -climber.step, -climber.wins, -mu, climber.joined_at, climber.user

    return tuple(sorted(awake, key=standing_key))


def season_podium(view: LadderView, ratings: Mapping[int, float]) -> tuple[Climber, ...]:
    """Returns the best three climbers who have played in this season; fewer if fewer have played."""
    played = (climber for climber in season_standings(view, ratings) if climber.wins + climber.draws + climber.losses)
    return tuple(played)[:PODIUM_SIZE]


def turn_season(view: LadderView, ratings: Mapping[int, float]) -> tuple[LadderEntry, ...]:
    """Returns the entries that end a season whose time is over and start the next, or the first; empty during a season.

    A season starts at a tick, so a downtime of the bot neither shortens a season nor makes two of it. Once the entries
    are applied, nothing is due, so this happens exactly once.
    """
    ladder, season = view.ladder, view.ladder.season
    entries: list[LadderEntry] = []
    if season is not None:
        if view.now < season.until:
            return ()
        best = tuple(climber.user for climber in season_podium(view, ratings))
        entries.append(ladder.next_entry(view.now, EntryKind.SEASON_ENDED, best, (), str(season.number)))
    if not any(climber.is_active for climber in ladder.climbers.values()):
        return tuple(entries)  # the next season waits for a climber
    body = f"{ladder.seasons + 1} {view.now + SEASON_S}"
    start = ladder.next_entry(view.now, EntryKind.SEASON_STARTED, (), (), body)
    return (*entries, replace(start, seq=start.seq + len(entries)))


class LadderSchedule(NamedTuple):
    """The times and states that decide when the tick must look at a ladder."""

    season_ends_at: int | None
    """When the season ends; None if there is none."""
    oldest_challenge_at: int | None
    """When the oldest challenge was made."""
    queueing: bool
    climbing: bool
    """Whether anybody is on the ladder."""


def next_ladder_tick_at(schedule: LadderSchedule, now: int) -> int | None:
    """Returns when the tick must next look at a ladder; None if nothing is to come without an act.

    Queues are checked when somebody joins one, and also once an hour, because longer waits allow more pairings. A
    season begins as soon as anybody is on the ladder.
    """
    times = [
        schedule.season_ends_at if schedule.season_ends_at is not None else now if schedule.climbing else None,
        None
        if schedule.oldest_challenge_at is None
        else schedule.oldest_challenge_at + ANSWER_TIME_S
        if schedule.oldest_challenge_at + ANSWER_TIME_S > now
        else now + CHALLENGE_RECHECK_S,
        (now // HOUR + 1) * HOUR if schedule.queueing else None,
    ]
    return min((at for at in times if at is not None), default=None)
