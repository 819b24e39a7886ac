"""A plain model of leagues for tests: what each game counts and who is where in a table, without the bot's own code.

Points are fractions of a win.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bot.core.clock import HOUR
from bot.core.events import Event, EventKind
from bot.core.fold import replay_states
from bot.core.match import Match
from rules import Cause


@dataclass(frozen=True)
class PlainGame:
    """A game of a season as it is stored."""

    division: int
    entries: tuple[int, ...]
    """The entry of each seat."""
    match: int | None
    points: tuple[Fraction, ...] | None
    verdict: str | None


@dataclass(frozen=True)
class PlainSeat:
    """A seat of a season as it is stored."""

    division: int
    entry: int
    user: int
    state: str
    limit: int | None
    place: int | None
    movement: str | None


def shared(seats: int, sharing: Collection[int]) -> tuple[Fraction, ...]:
    """Returns one win divided among those seats."""
    return tuple(Fraction(1, len(sharing)) if seat in sharing else Fraction(0) for seat in range(seats))


def points_on_board(match: Match, holders: Sequence[Collection[int]]) -> tuple[Fraction, ...]:
    """Returns what a game that is over counts; `holders` are the people who have had each seat's place in the group."""
    seats = range(len(holders))
    assert match.outcome is not None, match.id
    if match.outcome.winners and match.outcome.cause is not Cause.ABANDONED:
        sharing = {*match.outcome.winners}
    else:
        sharing = {seat for seat in seats if plays_on(match, seat)}
    return tuple(
        share if match.players[seat] in holders[seat] else Fraction(0)
        for seat, share in enumerate(shared(len(seats), sharing))
    )


def plays_on(match: Match, seat: int) -> bool:
    """Whether the seat has pieces and nobody has left it."""
    position = match.started_game.position
    army = {*match.variant.piece_codes[seat]}
    is_vacant = match.vacancy is not None and match.vacancy.seat == seat
    return bool(army & {*position.cells}) and seat not in position.out and not is_vacant


def count_moves(number: int, events: Sequence[Event]) -> Counter[int]:
    """Returns how many moves each seat has made in a match; seats without one are left out."""
    moves, before = Counter[int](), None
    for event, after in replay_states(number, events):
        if event.kind is EventKind.MOVED and before is not None:
            moves[before.turn] += 1
        before = after
    return moves


SEATS_CHANGE = {EventKind.VACATED, EventKind.TAKEN_OVER, EventKind.RESIGNED, EventKind.TIMED_OUT, EventKind.PASSIVE}
NEARLY = 0.02
"""The share by which two times may differ."""


def times_used(
    match: Match, events: Sequence[Event], until: int, away: Sequence[tuple[int, int]]
) -> Mapping[int, int] | None:
    """Returns the seconds that each seat has used when nobody was away; None if a seat has changed hands."""
    if any(event.kind in SEATS_CHANGE for event in events):
        return None
    used, before, since = Counter[int](), None, match.table.created
    for event, after in replay_states(match.id, events):
        if event.kind is EventKind.MOVED and before is not None:
            used[before.turn] += seconds_between(since, event.at, away)
        if event.kind in (EventKind.STARTED, EventKind.MOVED):
            since = event.at
        before = after
    used[match.turn] += seconds_between(since, until, away)
    return used


def seconds_between(first: int, last: int, away: Sequence[tuple[int, int]]) -> int:
    """Returns the seconds from the first to the last in which nobody was away."""
    found, reached = 0, first
    for start, end in sorted(away):
        found += max(min(start, last) - reached, 0)
        reached = max(reached, min(end, last))
    return found + last - reached


def adjudicated(
    match: Match,
    events: Sequence[Event],
    gone: Collection[int],
    game: PlainGame,
    used: Mapping[int, int] | None,
    until: int,
) -> tuple[Fraction, ...] | None:
    """Returns what a game counts that is not over when its season ends; None if the house has found a win.

    `gone` are the people who have left the league; `used`: the seconds of each seat, None if they are not known;
    `until`: when the season ended.
    """
    seats, moves = range(len(game.entries)), count_moves(match.id, events)
    still = [seat for seat in seats if plays_on(match, seat) and match.players[seat] not in gone]
    waiting = [seat for seat in still if seat != match.turn]
    if max(moves.values(), default=0) < 2 and not all(moves[seat] for seat in seats):
        return shared(len(seats), waiting)
    assert game.points is not None, game
    grace_ends_at = match.clock.grace_ends_at
    is_late = grace_ends_at is not None and grace_ends_at <= until
    if game.verdict == "proved":
        assert [*game.points].count(Fraction(1)) == 1, game
        winner = game.points.index(Fraction(1))
        assert winner in still, game
        assert not (match.clock.is_overdue and winner == match.turn), game
        return None
    if game.verdict == "overdue":
        assert is_late, game
        return shared(len(seats), waiting)
    assert not (is_late and match.clock.is_overdue and grace_ends_at < until - HOUR), game
    points = list(shared(len(seats), still))
    slow = next((seat for seat in still if game.points[seat] == points[seat] / 2), None)
    assert (slow is not None) == (game.verdict == "shared-slow"), (game, still)
    for seat in still if used is not None and len(still) > 1 else ():
        assert used is not None
        mean = Fraction(sum(used[other] for other in still if other != seat), len(still) - 1)
        if seat == slow:
            assert used[seat] > (2 - NEARLY) * mean, (game, used)
        else:
            assert used[seat] <= (2 + NEARLY) * mean, (game, used)
    if slow is not None:
        points[slow] /= 2
    return tuple(points)


@dataclass(frozen=True)
class PlainRow:
    """A line of a table."""

    rank: int | None
    """None without a game that counts."""
    points: Fraction = Fraction(0)
    has_gained: bool = False
    games: int = 0


def table_of(seats: Sequence[PlainSeat], games: Sequence[PlainGame]) -> Mapping[int, PlainRow]:
    """Returns the line of each entry when all games are decided."""
    out = {seat.entry for seat in seats if seat.state == "out"}
    counted = [game for game in games if not out & {*game.entries}]
    stays = [seat.entry for seat in seats if seat.entry not in out]
    played = {entry: sum(entry in game.entries for game in counted) for entry in stays}
    average = Fraction(1, len(games[0].entries))
    points = {entry: (max(played.values()) - played[entry]) * average for entry in stays} if stays else {}

    def gains(entry: int) -> list[tuple[Fraction, set[int]]]:
        found = []
        for game in counted:
            if entry in game.entries:
                assert game.points is not None, game
                found.append((game.points[game.entries.index(entry)], {*game.entries} - {entry}))
        return found

    has_gained = {entry: any(gained for gained, _ in gains(entry)) for entry in stays}
    for entry in stays:
        points[entry] += sum((gained for gained, _ in gains(entry)), Fraction(0))

    def merit(entry: int) -> tuple[Fraction, ...]:
        own = gains(entry)
        equal = {other for other in stays if other != entry and points[other] == points[entry]}
        return (
            points[entry],
            sum((gained for gained, others in own if others & equal), Fraction(0)),
            sum((gained * sum(points[other] for other in others) for gained, others in own), Fraction(0)),
            Fraction(sum(gained == 1 for gained, _ in own)),
        )

    merits = {entry: merit(entry) for entry in stays if played[entry]}
    return {
        entry: PlainRow(
            1 + sum(other > merits[entry] for other in merits.values()),
            points[entry],
            has_gained[entry],
            played[entry],
        )
        if entry in merits
        else PlainRow(None)
        for entry in (*stays, *out)
    }


def pairs_of(size: int, games: Sequence[PlainGame]) -> Counter[tuple[int, int]]:
    """Returns how often each entry meets another: in games of three how often the one attacks the other."""
    pairs = Counter[tuple[int, int]]()
    for game in games:
        count = len(game.entries)
        for seat, entry in enumerate(game.entries):
            other = game.entries[(seat + 1) % count]
            assert entry != other
            assert 0 <= entry < size
            pairs[(entry, other) if count == 3 else (min(entry, other), max(entry, other))] += 1
    return pairs if not games or len(games[0].entries) == 3 else Counter({key: n // 2 for key, n in pairs.items()})
