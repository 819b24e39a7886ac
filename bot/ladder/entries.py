"""The story of a ladder as it is stored: entries, numbered from 1 without a gap per server and variant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum


class EntryKind(Enum):
    """What happened. The values are stored and never change."""

    JOINED = 1  # users: one
    LEFT = 2  # users: one
    CHALLENGED = 3  # users: challenger, challenged
    ACCEPTED = 4  # users: as above. matches: one
    REFUSED = 5  # users: as above
    LAPSED = 6  # users: as above. body: "excused" where the one who did not answer was on vacation
    QUEUED = 7  # users: one. body: "triad" if they want three games in a row of seats
    UNQUEUED = 8  # users: one
    PAIRED = 9  # users: in seat order (of the first game). matches: one, or the three of a triad
    FINISHED = 10  # matches: one. body: see `Score`
    ANNULLED = 11  # users: who played. matches: one that had finished; see `bot.ladder.fold.replay_history`
    SEASON_STARTED = 12  # body: "1 1700000000": its number and when it ends
    SEASON_ENDED = 13  # users: the podium, best first. body: its number
    REOPENED = 14  # users, matches: as of ANNULLED; it goes on, by a referee's decision
    DIGEST = 15  # a week of the season is over. body: since when the week is counted


@dataclass(frozen=True, slots=True)
class LadderEntry:
    """One line of a ladder's story. `at` is in unix seconds."""

    seq: int
    at: int
    kind: EntryKind
    users: tuple[int, ...] = ()
    matches: tuple[int, ...] = ()
    body: str = ""


def redate_entry(entry: LadderEntry, at: int) -> LadderEntry:
    """Returns the entry as if it had happened then; a time that its body names is shifted by as much."""
    *before, named = entry.body.split() or [""]
    if entry.kind in (EntryKind.SEASON_STARTED, EntryKind.DIGEST):
        named = str(int(named) + at - entry.at)
    return replace(entry, at=at, body=" ".join((*before, named)))


@dataclass(frozen=True, slots=True)
class Score:
    """What a ladder game brought to those who had begun it. Who is nowhere in it has neither won nor lost."""

    won: tuple[int, ...] = ()
    drew: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    late: tuple[int, ...] = ()
    """Who ran out of time; they have lost as well."""


NO_SCORE = Score()
"""Of a game that ended without a result."""


def format_score(score: Score) -> str:
    """The body of FINISHED: "won:1 lost:2,3 late:3", "drew:1,2", "" for a game without a result."""
    groups = (("won", score.won), ("drew", score.drew), ("lost", score.lost), ("late", score.late))
    return " ".join(f"{name}:{','.join(map(str, users))}" for name, users in groups if users)


def parse_score(body: str) -> Score:
    """What `format_score` wrote."""
    groups = (word.split(":") for word in body.split())
    return Score(**{name: tuple(map(int, users.split(","))) for name, users in groups})


EXCUSED_BODY, TRIAD_BODY = "excused", "triad"
