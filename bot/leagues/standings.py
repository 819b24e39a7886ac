"""The table of a group, computed from its results in any order. Pure."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from statistics import median

from bot.leagues.points import WIN, GameScore, Points
from bot.leagues.schedule import attacks_in


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the table of a group."""

    entry: int
    place: int | None
    """From 1. Entries that no tie-break separates share a place. None without a game that is over and counts."""
    points: Points = 0
    direct: Points = 0
    """The points in games against others with the same points."""
    neustadtl: int = 0
    """Neustadtl's score (Sonneborn-Berger), in twelfths of twelfths: each game's points times the opponents' points."""
    wins: int = 0
    played: int = 0
    games: int = 0
    """How many games the entry plays in the season."""
    credit: Points = 0
    """The part of the points that stands for games which others have and the entry has not."""
    plays_enough: bool = True
    """Whether at least half as many games count as entries of the group were to play (the median)."""
    is_out: bool = False
    """Whether the entry was taken out."""

    @property
    def points_gained(self) -> Points:
        """The points from games."""
        return self.points - self.credit

    @property
    def merit(self) -> tuple[int, int, int, int]:
        """The points, then the tie-breaks in the order in which they decide."""
        return self.points, self.direct, self.neustadtl, self.wins


def rank_entries(
    size: int, fixtures: Iterable[Sequence[int]], scores: Iterable[GameScore], taken_out: Collection[int] = ()
) -> tuple[Standing, ...]:
    """Returns the table of a group, best first; then the entries without a game that is over; then those taken out.

    `fixtures` are the entries of all games of the season by seat, `scores` the games that are over. The games of an
    entry that was taken out do not count for its opponents either. An entry with fewer remaining games than others gets
    the points of an average game for each missing one: a win divided by the number of players.
    """
    fixtures = [tuple(seats) for seats in fixtures]
    planned = [seats for seats in fixtures if not set(seats) & set(taken_out)]
    counted = [score for score in scores if not set(score.seats) & set(taken_out)]
    games = Counter(entry for seats in planned for entry in seats)
    enough = median(sum(entry in seats for seats in fixtures) for entry in range(size)) / 2
    average = WIN // len(planned[0]) if planned else 0
    entries = [entry for entry in range(size) if entry not in taken_out]
    credit_by_entry = {entry: (max(games.values(), default=0) - games[entry]) * average for entry in entries}
    points = dict(credit_by_entry)
    for score in counted:
        for entry, gained in zip(score.seats, score.points, strict=True):
            points[entry] += gained
    rows = [
        replace(
            _standing_of(entry, points, counted),
            games=games[entry],
            credit=credit_by_entry[entry],
            plays_enough=games[entry] >= enough,
        )
        for entry in entries
    ]
    # Stable: equal merits stay in the order of entries.
    ranked = sorted((row for row in rows if row.played), key=lambda row: row.merit, reverse=True)
    placed = [replace(row, place=1 + sum(other.merit > row.merit for other in ranked)) for row in ranked]
    waiting = (row for row in rows if not row.played)
    return (*placed, *waiting, *(Standing(entry, None, is_out=True) for entry in sorted(taken_out)))


def _standing_of(entry: int, points: dict[int, Points], counted: Sequence[GameScore]) -> Standing:
    """Returns a line without what the schedule says."""
    own = [score for score in counted if entry in score.seats]
    equals = {other for other in points if other != entry and points[other] == points[entry]}
    return Standing(
        entry,
        place=None,
        points=points[entry],
        direct=sum(score.points_of(entry) for score in own if equals & set(score.seats)),
        neustadtl=sum(
            score.points_of(entry) * sum(points[other] for other in score.seats if other != entry) for score in own
        ),
        wins=sum(score.points_of(entry) == WIN for score in own),
        played=len(own),
    )


def takes_games_out(over: int, games: int) -> bool:
    """Whether a person who withdraws after `over` of their `games` is taken out of the table: before half of them.

    A person who withdraws later stays in the table and loses the unfinished games.
    """
    return 2 * over < games


ResultsAgainst = tuple[Points | None, ...]
"""The results of one entry against another, in the order of the schedule; None for a game that is not over.

Two-player games: all their games. Three-player games: those in which the first attacks the second. So each game appears
once in the row of each of its players.
"""


def make_crosstable(
    rows: Sequence[Standing], fixtures: Iterable[Sequence[int]], scores: Iterable[GameScore]
) -> tuple[tuple[ResultsAgainst, ...], ...]:
    """Returns the results in the order of the table: row and column `n` belong to `rows[n]`. Entries that were taken
    out have no results."""
    counting = {row.entry for row in rows if not row.is_out}
    over = {score.seats: score for score in scores}
    cells = defaultdict[tuple[int, int], list[Points | None]](list)
    for seats in map(tuple, fixtures):
        if counting.issuperset(seats):
            for entry, other in attacks_in(seats):
                cells[entry, other].append(over[seats].points_of(entry) if seats in over else None)
    return tuple(tuple(tuple(cells[row.entry, column.entry]) for column in rows) for row in rows)


def crosstable_csv(
    rows: Sequence[Standing],
    names: Sequence[str],
    fixtures: Iterable[Sequence[int]],
    scores: Iterable[GameScore],
    headings: Sequence[str],
) -> str:
    """Returns the table as CSV (RFC 4180), followed by a column of the crosstable for each row.

    `names` are by entry. `headings` are those of place, name, points, direct encounter, Neustadtl, wins and games
    played. Points are decimal numbers. A name that a spreadsheet would take for a formula gets an apostrophe.
    """
    file = StringIO()
    lines = csv.writer(file)
    shown = [_plain_text(names[row.entry]) for row in rows]
    lines.writerow((*headings, *shown))
    for row, name, cells in zip(rows, shown, make_crosstable(rows, fixtures, scores), strict=True):
        lines.writerow(
            (
                row.place or "",
                name,
                _decimal(row.points),
                _decimal(row.direct),
                _decimal(row.neustadtl / WIN),
                row.wins,
                row.played,
                *(" ".join("*" if points is None else _decimal(points) for points in cell) for cell in cells),
            )
        )
    return file.getvalue()


def _plain_text(name: str) -> str:
    return f"'{name}" if name.startswith(("=", "+", "-", "@", "\t", "\r")) else name


def _decimal(points: float) -> str:
    return f"{points / WIN:.3f}".rstrip("0").rstrip(".")
