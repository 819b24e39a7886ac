"""A match: two or three people at a table, and the game they play. Pure: events in, events out.

A match is the fold of its events. The decisions (`join`, `move` …) look at a match and return the events that follow,
or raise; `apply` puts them in force and judges nothing. So the same events give the same match for ever, whatever the
rules say by then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from bot.events import (
    Event,
    Kind,
    Opening,
    Seating,
    format_numbers,
    format_opening,
    format_outcome,
    format_turn,
    parse_numbers,
    parse_opening,
    parse_outcome,
    parse_turn,
)
from bot.problems import MatchError, Problem
from rules import Game, Seat, Variant, format_move, read_recorded

INVITATION = 7 * 24 * 3600
"""Seconds that a table waits for its players."""

Shuffle = Callable[[list[int]], None]
"""Puts a list into random order, in place."""


class Phase(Enum):
    """How far a match has come."""

    OPEN = "open"
    LIVE = "live"
    OVER = "over"
    CLOSED = "closed"  # cancelled, or expired, before it began


@dataclass(frozen=True, slots=True)
class Match:
    """A match as it stands after its event number `seq`. Users, channels and servers are Discord's ids."""

    id: int
    guild: int
    channel: int
    variant: Variant
    host: int
    seating: Seating
    wants_thread: bool
    created: int
    moved_at: int
    """When the present turn began."""
    thread: int | None = None
    phase: Phase = Phase.OPEN
    invited: tuple[int, ...] = ()
    """Those for whom a seat is still reserved."""
    declined: tuple[int, ...] = ()
    joined: tuple[int, ...] = ()
    """In the order of joining, the host first."""
    players: tuple[int, ...] = ()
    """Per seat; empty until the match has started."""
    game: Game | None = None
    seq: int = 1

    @classmethod
    def replay(cls, match_id: int, events: Iterable[Event]) -> Match:
        """The match after those events, which must be all of them from the first on."""
        _, match = deque(states(match_id, events), maxlen=1).pop()
        return match

    @property
    def expires(self) -> int:
        """When an open table closes by itself."""
        return self.created + INVITATION

    @property
    def ply(self) -> int:
        """How many moves have been made."""
        return len(self.game.moves) if self.game else 0

    @property
    def is_live(self) -> bool:
        return self.phase is Phase.LIVE

    @property
    def to_move(self) -> int | None:
        """The user whose turn it is; None unless the game is on."""
        return self.players[self.game.position.turn] if self.game and self.is_live else None

    @property
    def where(self) -> int:
        """The thread or channel in which the match is played."""
        return self.thread or self.channel

    @property
    def free_seats(self) -> int:
        """How many seats are neither taken nor reserved."""
        return len(self.variant.seats) - len(self.joined) - len(self.invited)

    @property
    def winners(self) -> tuple[int, ...]:
        """The users who have won; empty after a draw, and before the end."""
        outcome = self.game.outcome if self.game else None
        return tuple(self.players[seat] for seat in outcome.winners) if outcome else ()

    @property
    def resigned(self) -> tuple[int, ...]:
        """The users who have left the game, in seat order."""
        return tuple(self.players[seat] for seat in sorted(self.game.position.out)) if self.game else ()

    def seat_of(self, user: int) -> Seat | None:
        """The seat of that user; None if he has none, or the match has not started."""
        return self.players.index(user) if user in self.players else None

    def apply(self, event: Event) -> Match:
        """The match after that event, which must be the next one. Does not check that it may happen."""
        seq, user, body = event.seq, event.user, event.body
        assert seq == self.seq + 1, (event, self.seq)
        match event.kind:
            case Kind.MOVED | Kind.RESIGNED:
                game = self._followed(event)
                moved = event.kind is Kind.MOVED or game.position.turn != self._game.position.turn
                return replace(self, seq=seq, game=game, moved_at=event.at if moved else self.moved_at)
            case Kind.ENDED:
                return replace(self, seq=seq, phase=Phase.OVER, game=self._game.end(parse_outcome(body)))
            case Kind.THREADED:
                return replace(self, seq=seq, thread=int(body) if body else None)
            case Kind.STARTED:
                players, game = parse_numbers(body), Game.start(self.variant)
                return replace(self, seq=seq, phase=Phase.LIVE, players=players, game=game, moved_at=event.at)
            case Kind.CANCELLED | Kind.EXPIRED:
                return replace(self, seq=seq, phase=Phase.CLOSED)
        assert user is not None, event
        invited = _without(self.invited, user)
        match event.kind:
            case Kind.JOINED:
                joined, declined = (*self.joined, user), _without(self.declined, user)
                return replace(self, seq=seq, joined=joined, invited=invited, declined=declined)
            case Kind.LEFT:
                return replace(self, seq=seq, joined=_without(self.joined, user))
            case Kind.DECLINED:
                return replace(self, seq=seq, invited=invited, declined=(*self.declined, user))
            case Kind.OPENED:
                raise AssertionError(event)

    def _followed(self, event: Event) -> Game:
        text, passes = parse_turn(event.body)
        if event.kind is Kind.MOVED:
            return self._game.follow(read_recorded(text, self.variant.board), passes)
        assert event.user is not None
        return self._game.follow_resignation(self.players.index(event.user), passes)

    # Decisions: each returns the events that follow.

    def join(self, user: int, now: int, shuffle: Shuffle) -> tuple[Event, ...]:
        """The user takes a seat; the last one to do so starts the game."""
        if user in self.joined and self.phase is not Phase.CLOSED:
            raise self._refusal(Problem.ALREADY_JOINED)
        self._require_open(now)
        if user not in self.invited and not self.free_seats:
            raise self._refusal(Problem.TABLE_FULL, reserved=self.invited)
        order = [*self.joined, user]
        if len(order) < len(self.variant.seats):
            return self._next(now, (Kind.JOINED, user, ""))
        if self.seating is Seating.RANDOM:
            shuffle(order)
        return self._next(now, (Kind.JOINED, user, ""), (Kind.STARTED, None, format_numbers(order)))

    def leave(self, user: int, now: int) -> tuple[Event, ...]:
        """The user gives his seat up, for anyone to take."""
        self._require_open(now)
        if user not in self.joined:
            raise self._refusal(Problem.NOT_SEATED)
        if user == self.host:
            raise self._refusal(Problem.HOST_STAYS)
        return self._next(now, (Kind.LEFT, user, ""))

    def decline(self, user: int, now: int) -> tuple[Event, ...]:
        """The user does not come; the seat reserved for him is free for anyone."""
        self._require_open(now)
        if user not in self.invited:
            raise self._refusal(Problem.NOT_INVITED)
        return self._next(now, (Kind.DECLINED, user, ""))

    def cancel(self, user: int, now: int) -> tuple[Event, ...]:
        """The host closes the table."""
        self._require_open(now)
        if user != self.host:
            raise self._refusal(Problem.NOT_HOST, host=self.host)
        return self._next(now, (Kind.CANCELLED, user, ""))

    def expire(self, now: int) -> tuple[Event, ...]:
        """The table closes if it has waited long enough; nothing otherwise."""
        due = self.phase is Phase.OPEN and now >= self.expires
        return self._next(now, (Kind.EXPIRED, None, "")) if due else ()

    def threaded(self, thread: int | None, now: int) -> tuple[Event, ...]:
        """The match goes on in that thread, or without one in its channel; nothing if it does so already."""
        return self._next(now, (Kind.THREADED, None, str(thread or ""))) if thread != self.thread else ()

    def move(self, user: int, text: str, now: int, ply: int | None = None) -> tuple[Event, ...]:
        """The user moves. `ply` is the number of moves he had seen, if known.

        Raises MatchError, or what `rules.parse_move` raises.
        """
        game = self._require_playing(user)
        if ply is not None and ply != self.ply:
            raise self._refusal(Problem.STALE)
        if user != self.to_move:
            raise self._refusal(Problem.NOT_YOUR_TURN, next=self.to_move)
        played = game.play(text)
        move = played.moves[-1]
        passes = _passes(lambda n: game.follow(move, n), played)
        body = format_turn(format_move(move, self.variant.board), passes)
        return self._next(now, (Kind.MOVED, None, body), *_end(played))

    def resign(self, user: int, now: int) -> tuple[Event, ...]:
        """The user leaves the game, whoever's turn it is."""
        game = self._require_playing(user)
        seat = self.players.index(user)
        if not game.position.plays(seat):
            raise MatchError(Problem.ELIMINATED, number=self.id)
        left = game.resign(seat)
        passes = _passes(lambda n: game.follow_resignation(seat, n), left)
        return self._next(now, (Kind.RESIGNED, user, format_turn("", passes)), *_end(left))

    def _next(self, now: int, *happenings: tuple[Kind, int | None, str]) -> tuple[Event, ...]:
        return tuple(Event(seq, now, *happening) for seq, happening in enumerate(happenings, self.seq + 1))

    def _refusal(self, problem: Problem, **values: object) -> MatchError:
        return MatchError(problem, number=self.id, **values)

    def _require_open(self, now: int) -> None:
        if self.phase is not Phase.OPEN or now >= self.expires:
            raise self._refusal(Problem.TABLE_CLOSED)

    def _require_playing(self, user: int) -> Game:
        """The game, if that user plays in it and has not left."""
        if self.phase is Phase.CLOSED:
            raise self._refusal(Problem.TABLE_CLOSED)
        if user not in (self.players or self.joined):
            raise self._refusal(Problem.NOT_A_PLAYER)
        if self.game is None:
            raise self._refusal(Problem.NOT_STARTED)
        if self.phase is Phase.OVER:
            raise self._refusal(Problem.GAME_OVER)
        if user in self.resigned:
            raise self._refusal(Problem.ALREADY_LEFT)
        return self.game

    @property
    def _game(self) -> Game:
        assert self.game is not None, self.id
        return self.game


def open_table(opening: Opening, host: int, now: int) -> tuple[Event, ...]:
    """The first event of a match: the host sits down at a table where seats are reserved for those invited."""
    invited, most = opening.invited, len(opening.variant.seats) - 1
    if host in invited:
        raise MatchError(Problem.OPPONENT_IS_YOU)
    if twice := [user for user in invited if invited.count(user) > 1]:
        raise MatchError(Problem.OPPONENT_TWICE, user=twice[0])
    if len(invited) > most:
        raise MatchError(Problem.TOO_MANY_OPPONENTS, most=most)
    return (Event(1, now, Kind.OPENED, host, format_opening(opening)),)


def states(match_id: int, events: Iterable[Event]) -> Iterator[tuple[Event, Match]]:
    """Each event with the match as it stood right after it."""
    match: Match | None = None
    for event in events:
        match = match.apply(event) if match else _opened(match_id, event)
        yield event, match


def match_at(match_id: int, events: Iterable[Event], ply: int) -> Match:
    """The match as it stood right after that many moves, with the end if it ended there; 0 is the start.

    Raises MatchError where the game has not got so far.
    """
    found, last = None, 0
    for event, match in states(match_id, events):
        last = match.ply
        if last == ply and event.kind in (Kind.STARTED, Kind.MOVED, Kind.ENDED):
            found = match
    if found is None:
        raise MatchError(Problem.NO_SUCH_PLY, number=match_id, last=last)
    return found


def _opened(match_id: int, event: Event) -> Match:
    assert event.kind is Kind.OPENED, event
    assert event.user is not None, event
    opening = parse_opening(event.body)
    return Match(
        id=match_id,
        guild=opening.guild,
        channel=opening.channel,
        variant=opening.variant,
        host=event.user,
        seating=opening.seating,
        wants_thread=opening.wants_thread,
        created=event.at,
        moved_at=event.at,
        invited=opening.invited,
        joined=(event.user,),
        seq=event.seq,
    )


def _passes(follow: Callable[[int], Game], decided: Game) -> int:
    """How many turns passed in what was decided: the number with which following the record leads to the same game."""
    for passes in range(len(decided.variant.seats) + 1):
        followed = follow(passes)
        if (followed.position, followed.quiet) == (decided.position, decided.quiet):
            return passes
    raise AssertionError(decided)


def _end(game: Game) -> tuple[tuple[Kind, int | None, str], ...]:
    """The end of the match, if the game has come to it."""
    return ((Kind.ENDED, None, format_outcome(game.outcome)),) if game.outcome else ()


def _without(users: tuple[int, ...], user: int) -> tuple[int, ...]:
    return tuple(other for other in users if other != user)
