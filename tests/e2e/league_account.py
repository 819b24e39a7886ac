"""An account of the seasons of leagues: who sits where, and that every game, table and report is as it must be.

What each game counts and who is where in a table, a plain model says, without the bot's own code. Points are fractions
of a win.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median

from bot.core.clock import HOUR
from bot.core.events import Event, EventKind
from bot.core.fold import replay_match, replay_states
from bot.core.match import Match
from bot.leagues.groups import split_groups
from bot.leagues.league import LeagueTerms
from rules import Cause
from sandbox.world import BOT_ID
from tests.e2e.clock import ClockHouse
from tests.e2e.stored_games import messages_shown, stories
from tests.leagues.promotions import Line, broken_promises, can_keep_all, movements


@dataclass(frozen=True)
class PlainGame:
    """A game of a season as it is stored."""

    division: int
    entrants: tuple[int, ...]
    """The entrant of each seat."""
    match: int | None
    points: tuple[Fraction, ...] | None
    verdict: str | None


@dataclass(frozen=True)
class PlainSeat:
    """A seat of a season as it is stored."""

    division: int
    entrant: int
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
    is_won = match.outcome.winners and match.outcome.cause is not Cause.ABANDONED
    sharing = {*match.outcome.winners} if is_won else {seat for seat in seats if plays_on(match, seat)}
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
    seats, moves = range(len(game.entrants)), count_moves(match.id, events)
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
    """Returns the line of each entrant when all games are decided."""
    out = {seat.entrant for seat in seats if seat.state == "out"}
    counted = [game for game in games if not out & {*game.entrants}]
    stays = [seat.entrant for seat in seats if seat.entrant not in out]
    played = {entrant: sum(entrant in game.entrants for game in counted) for entrant in stays}
    average = Fraction(1, len(games[0].entrants))
    points = {entrant: (max(played.values()) - played[entrant]) * average for entrant in stays} if stays else {}

    def gains(entrant: int) -> list[tuple[Fraction, set[int]]]:
        found = []
        for game in counted:
            if entrant in game.entrants:
                assert game.points is not None, game
                found.append((game.points[game.entrants.index(entrant)], {*game.entrants} - {entrant}))
        return found

    has_gained = {entrant: any(gained for gained, _ in gains(entrant)) for entrant in stays}
    for entrant in stays:
        points[entrant] += sum((gained for gained, _ in gains(entrant)), Fraction(0))

    def merit(entrant: int) -> tuple[Fraction, ...]:
        own = gains(entrant)
        equal = {other for other in stays if other != entrant and points[other] == points[entrant]}
        direct = sum((gained for gained, others in own if others & equal), Fraction(0))
        neustadtl = sum((gained * sum(points[other] for other in others) for gained, others in own), Fraction(0))
        return points[entrant], direct, neustadtl, Fraction(sum(gained == 1 for gained, _ in own))

    merits = {entrant: merit(entrant) for entrant in stays if played[entrant]}
    rows = {entrant: PlainRow(None) for entrant in (*stays, *out)}
    for entrant, merit_here in merits.items():
        rank = 1 + sum(other > merit_here for other in merits.values())
        rows[entrant] = PlainRow(rank, points[entrant], has_gained[entrant], played[entrant])
    return rows


def pairs_of(size: int, games: Sequence[PlainGame]) -> Counter[tuple[int, int]]:
    """Returns how often each entrant meets another: in games of three how often the one attacks the other."""
    pairs = Counter[tuple[int, int]]()
    for game in games:
        count = len(game.entrants)
        for seat, entrant in enumerate(game.entrants):
            other = game.entrants[(seat + 1) % count]
            assert entrant != other
            assert 0 <= entrant < size
            pairs[(entrant, other) if count == 3 else (min(entrant, other), max(entrant, other))] += 1
    return pairs if not games or len(games[0].entrants) == 3 else Counter({key: n // 2 for key, n in pairs.items()})


STEPS = {"up": -1, "stays": 0, "down": 1}
WIN = 12
"""What the database stores for a win."""

Key = tuple[int, int]
Stories = Mapping[int, tuple[Event, ...]]
"""A league and one of its seasons."""


class LeagueAccount:
    """What the test knows of the leagues of a house."""

    def __init__(self, house: ClockHouse) -> None:
        self.house = house
        self.leagues: list[int] = []
        """First one of a game of two, then one of a game of three."""
        self.holders = defaultdict[tuple[int, ...], set[int]](set)
        """The people who have had each seat, by league, season, division and entrant."""
        self.signed_up: dict[Key, dict[int, str | None]] = {}
        """The people who had signed up when a season began, the reserve left out, each with why that does not count."""
        self.out_of_server = set[int]()
        """People who have left the server."""
        self.forgotten = set[int]()
        """People who have deleted their data, and do not come back."""
        self.done = Counter[str]()
        """What has happened how often."""
        self.gone_posts = Counter[str]()
        """The nonces of the bot's posts in channels that have been deleted."""

    def note_posts(self) -> None:
        """Notes the bot's posts so far, because their channel is about to be deleted."""
        self.gone_posts += self._nonces_shown()

    def _nonces_shown(self) -> Counter[str]:
        return Counter(
            message.nonce for message in messages_shown(self.house) if message.author_id == BOT_ID and message.nonce
        )

    def season_of(self, league: int) -> tuple[str, int, int, int]:
        """Returns the state of a league, its season, and when this begins and ends."""
        [row] = self.house.bot.query("SELECT state, season, begins_at, ends_at FROM leagues WHERE id = ?", league)
        return row  # type: ignore[return-value]  # four columns

    def seats(self, key: Key) -> list[PlainSeat]:
        """Returns the seats of a season."""
        rows = self.house.bot.query(
            "SELECT division, entrant, user, state, at_once, place, movement FROM league_seats"
            " WHERE league = ? AND season = ? ORDER BY division, entrant",
            *key,
        )
        return [PlainSeat(*row) for row in rows]

    def games(self, key: Key) -> list[PlainGame]:
        """Returns the games of a season."""
        rows = self.house.bot.query(
            "SELECT division, entrants, match, points, verdict FROM league_games WHERE league = ? AND season = ?", *key
        )
        return [
            PlainGame(division, _numbers(entrants), match, points and _fractions(points), verdict)
            for division, entrants, match, points, verdict in rows
        ]

    def look(self) -> None:
        """Notes who has a seat, and who has signed up for the seasons to come."""
        rows = self.house.bot.query("SELECT league, season, division, entrant, user FROM league_seats")
        for *seat, user in rows:
            self.holders[tuple(seat)].add(user)
        for league in self.leagues:
            state, season, _, _ = self.season_of(league)
            if state == "sign-up":
                rows = self.house.bot.query(
                    "SELECT user, signed_off FROM league_sign_ups WHERE league = ? AND reserve = 0", league
                )
                self.signed_up[league, season] = dict(rows)  # type: ignore[arg-type]  # two columns
                gone = {user for user, signed_off in rows if signed_off == "gone"}
                assert gone <= self.out_of_server, gone

    def check_beginning(self, key: Key) -> None:
        """Everybody who may play has one seat, and meets everybody of their group as the form says.

        Who has left the server, made no move in the last season, or lost games on time in it, may not.
        """
        seats, games = self.seats(key), self.games(key)
        users = Counter(seat.user for seat in seats)
        assert max(users.values()) == 1, users
        counting = {user for user, signed_off in self.signed_up[key].items() if signed_off is None}
        unready = {user for user in counting if self._is_unready(key, user)}
        assert {*users} == counting - unready - self.out_of_server, (key, unready, self.out_of_server)
        self.done["gone before a season"] += len(counting & self.out_of_server)
        self.done["not ready"] += len(unready)
        self.check_promises(key)
        for division in {seat.division for seat in seats}:
            size = sum(seat.division == division for seat in seats)
            pairs = pairs_of(size, [game for game in games if game.division == division])
            assert {*pairs.values()} == {1}, (key, division, pairs)
            if key[0] == self.leagues[0]:
                assert len(pairs) == size * (size - 1) // 2
            elif size in (3, 4, 7, 9, 10):
                assert len(pairs) == size * (size - 1)

    def _is_unready(self, key: Key, user: int) -> bool:
        """Whether a person lost games of the last season on time and has not finished more of them since it began."""
        league, season = key[0], key[1] - 1
        [(late,)] = self.house.bot.query(
            "SELECT count(*) FROM shares JOIN league_games ON league_games.match = shares.match"
            " WHERE league = ? AND season = ? AND user = ? AND late = 1 AND ended_at <= ?",
            *(league, season, user, self.season_of(league)[2]),
        )
        [(finished,)] = self.house.bot.query(
            "SELECT count(*) FROM shares WHERE user = ? AND late = 0 AND ended_at >= coalesce((SELECT began_at"
            " FROM league_seasons WHERE league = ? AND season = ?), 0) AND ended_at <= ?",
            *(user, league, season, self.season_of(league)[2]),
        )
        return bool(late) and finished <= late

    def check_season(self, key: Key) -> None:
        """Every game of a season that is over is accounted for, and its table is that of the model."""
        seats, games, told = self.seats(key), self.games(key), stories(self.house)
        [(ended,)] = self.house.bot.query("SELECT ended_at FROM league_seasons WHERE league = ? AND season = ?", *key)
        numbers = [game.match for game in games if game.match is not None]
        assert len(numbers) == len({*numbers})
        tables = list[list[Line]]()
        for division in sorted({seat.division for seat in seats}):
            own = [seat for seat in seats if seat.division == division]
            out = {seat.entrant for seat in own if seat.state == "out"}
            played = [game for game in games if game.division == division]
            adjudicated = Counter(
                entrant for game in played if game.match is not None and game.verdict for entrant in game.entrants
            )
            at_limit = {one.entrant for one in own if one.limit is not None and adjudicated[one.entrant] >= one.limit}
            for game in played:
                if not out & {*game.entrants}:
                    self._check_game(key, own, game, told, ended, at_limit)
            rows = table_of(own, played)
            active = {one for game in played for one in _active_in(game, told, ended) if not out & {*game.entrants}}
            placed = {entrant for entrant, row in rows.items() if row.has_gained and entrant in active}
            assert {seat.entrant: seat.place for seat in own} == {
                entrant: row.rank if entrant in placed else None for entrant, row in rows.items()
            }, (key, division)
            table, first = list[Line](), 100 * division
            for row, entrant in [(rows[seat.entrant], seat.entrant) for seat in own]:
                table.append(Line(first + entrant, row.rank, row.has_gained, row.games, entrant in out))
            tables.append(table)
        self._check_movements(key, seats, games, tables)
        self._check_idle(key, seats, games, told, ended)
        self._check_posts(key)

    def _check_movements(
        self, key: Key, seats: Sequence[PlainSeat], games: Sequence[PlainGame], tables: Sequence[Sequence[Line]]
    ) -> None:
        """Who goes up and down is as the model says."""
        [(movers, least, most)] = self.house.bot.query("SELECT movers, least, most FROM leagues WHERE id = ?", key[0])
        planned = [
            median(sum(game.division == n and e in game.entrants for game in games) for e in range(len(table)))
            for n, table in enumerate(tables)
        ]
        variant = "camelot" if len(games[0].entrants) == 2 else "tri-camelot"
        wanted = split_groups(len(seats), LeagueTerms(variant, least=least, most=most))
        expected = movements(tables, planned, movers, wanted)
        for seat in seats:
            step = expected[seat.entrant + 100 * seat.division]
            assert seat.movement is not None
            assert STEPS[seat.movement] == (0 if step < 0 and seat.place is None else step), (key, seat, step)

    def check_promises(self, key: Key) -> None:
        """Nobody plays lower than the end of the last season has said, if that can be helped."""
        last, seats = self.seats((key[0], key[1] - 1)), self.seats(key)
        before = {seat.user: seat.division for seat in last}
        said = {seat.user: STEPS[seat.movement or "stays"] for seat in last}
        after = [[s.user for s in seats if s.division == n] for n in sorted({seat.division for seat in seats})]
        due = sorted(before[seat.user] + said[seat.user] for seat in seats if seat.user in before)
        assert not broken_promises(before, said, after) or not can_keep_all(due, len(seats)), key

    def _check_idle(
        self, key: Key, seats: Sequence[PlainSeat], games: Sequence[PlainGame], told: Stories, ended: int
    ) -> None:
        """Only people who have made no move although a game waits for one, or they gave one up, are signed off.

        The moves made from a seat count for the person who has it in the end.
        """
        moved, awaited = set[int](), set[int | None]()
        users = {(seat.division, seat.entrant): seat.user for seat in seats}
        for game in games:
            if game.match is not None:
                events = [event for event in told[game.match] if event.at <= ended]
                moved |= {users[game.division, game.entrants[seat]] for seat in count_moves(game.match, events)}
                match = replay_match(game.match, events)
                awaited |= {match.to_move, *match.resigned_users} - {None}
        idle = {seat.user for seat in seats if seat.state == "in" and seat.user in awaited - moved}
        rows = self.house.bot.query("SELECT user, signed_off FROM league_sign_ups WHERE league = ?", key[0])
        signed_off = {user for user, why in rows if why == "idle"}
        assert signed_off == idle & {user for user, _ in rows}, (key, signed_off, idle)
        self.done["idle"] += len(idle)

    def _check_game(
        self,
        key: Key,
        seats: Sequence[PlainSeat],
        game: PlainGame,
        told: Stories,
        ended: int,
        at_limit: Collection[int],
    ) -> None:
        assert game.points is not None, game
        assert sum(game.points) <= 1, game
        sitting = [seats[entrant] for entrant in game.entrants]
        if game.match is None:
            self.done["not set up"] += 1
            losing = [seat.entrant in at_limit or seat.state != "in" for seat in sitting]
            assert sum(game.points) in (0, 1)
            assert not any(gained for gained, lost in zip(game.points, losing, strict=True) if lost), game
            return
        events = [event for event in told[game.match] if event.at <= ended]
        match = replay_match(game.match, events)
        stand_ins = {user for user in match.players if user < 0}
        known = [self.holders[*key, seat.division, seat.entrant] for seat in sitting]
        holders = [users | stand_ins if users & self.forgotten else users for users in known]
        if not match.is_live:
            assert game.verdict is None, game
            self.done["over"] += 1
            assert game.points == points_on_board(match, holders), (key, game, match.outcome)
            return
        gone = [seat.user for seat in sitting if seat.state != "in"]
        away = self.house.bot.query(
            "SELECT since, coalesce(until, ?) FROM absences WHERE guild IN (0, ?)", ended, match.guild
        )
        expected = adjudicated(match, events, gone, game, times_used(match, events, ended, away), ended)
        self.done[game.verdict or "?"] += 1
        assert expected in (None, game.points), (key, game, expected)

    def _check_posts(self, key: Key) -> None:
        """Each report of a season has been posted once; the two warnings may fall together."""
        posts = Counter[str]()
        for nonce, count in (self._nonces_shown() + self.gone_posts).items():
            if nonce.startswith(f"l{key[0]:x}:{key[1]}:"):
                assert count == 1, (key, nonce)
                posts[nonce.split(":")[2]] += 1
        assert [posts[kind] for kind in ("open", "begin", "end")] == [1, 1, 1], (key, posts)
        assert posts["warn"] in (1, 2), (key, posts)


def _active_in(game: PlainGame, told: Stories, ended: int) -> Sequence[int]:
    """Returns the entrants that have taken part in a game: all, or those who have moved if it has not begun."""
    if game.verdict != "not-begun":
        return game.entrants
    if game.match is None:
        return ()
    moves = count_moves(game.match, [event for event in told[game.match] if event.at <= ended])
    return [game.entrants[seat] for seat in moves]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _fractions(text: str) -> tuple[Fraction, ...]:
    return tuple(Fraction(number, WIN) for number in _numbers(text))
