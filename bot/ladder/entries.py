"""The entries of a ladder as they are stored, numbered from 1 without a gap per server and variant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class LadderId(NamedTuple):
    """The key of a ladder."""

    guild: int
    variant: str


class EntryKind(Enum):
    """What happened. The values are stored and never change."""

    JOINED = 1  # users: one
    LEFT = 2  # users: one
    CHALLENGED = 3  # users: challenger, challenged
    ACCEPTED = 4  # users: as above. matches: one
    REFUSED = 5  # users: as above
    LAPSED = 6  # users: as above. body: "excused" if the challenged user was on vacation or frozen
    QUEUED = 7  # users: one. body: once "triad", for three games with rotated seats
    UNQUEUED = 8  # users: one
    PAIRED = 9  # users: in seat order (of the first game). matches: one; once three, a triad
    FINISHED = 10  # matches: one. body: see `Score`
    ANNULLED = 11  # users: who played. matches: one that was finished; see `bot.ladder.fold.replay_history`
    SEASON_STARTED = 12  # body: "1 1700000000": its number and when it ends
    SEASON_ENDED = 13  # users: the podium, best first. body: its number
    REOPENED = 14  # users, matches: as of ANNULLED; a referee lets the game continue
    DIGEST = 15  # no longer written: a week of the season is over. body: when the week began


NEWSWORTHY_ENTRIES = frozenset(
    {EntryKind.CHALLENGED, EntryKind.ACCEPTED, EntryKind.REFUSED, EntryKind.LAPSED, EntryKind.PAIRED}
    | {EntryKind.SEASON_STARTED, EntryKind.SEASON_ENDED}
)
"""The kinds of entries that are announced. The end of a game is announced with the game's result."""


@dataclass(frozen=True, slots=True)
class LadderEntry:
    """One entry of a ladder. `at` is in unix seconds."""

    seq: int
    at: int
    kind: EntryKind
    users: tuple[int, ...] = ()
    matches: tuple[int, ...] = ()
    body: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """The result of a ladder game for the users who began it. A user in no field has neither won nor lost."""

    won: tuple[int, ...] = ()
    drew: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    late: tuple[int, ...] = ()
    """The users who ran out of time. They are in `lost`, too."""


NO_SCORE = Score()
"""The score of a game that ended without a result."""


def format_score(score: Score) -> str:
    """Returns the body of FINISHED: "won:1 lost:2,3 late:3", "drew:1,2", or "" for a game without a result."""
    groups = (("won", score.won), ("drew", score.drew), ("lost", score.lost), ("late", score.late))
    return " ".join(f"{name}:{','.join(map(str, users))}" for name, users in groups if users)


def parse_score(body: str) -> Score:
    """Reads what `format_score` wrote."""
    groups = (word.split(":") for word in body.split())
    return Score(**{name: tuple(map(int, users.split(","))) for name, users in groups})


EXCUSED_BODY, TRIAD_BODY = "excused", "triad"
