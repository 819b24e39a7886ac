"""A match: two or three people at a table, and the game they play; and a match as lists show it. Pure.

A match is the fold of its events, see `bot.core.fold`. The decisions, in the modules beside this one, look at a match
and return the resulting events, or raise. So the same events always give the same match, even after the rules have
changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

from bot.core.clock import FOREVER, Clock, Span
from bot.core.events import Ballot, Event, EventKind, RequestKind, Terms, format_outcome
from bot.core.house_seats import is_house
from bot.core.problems import MatchError, Problem
from rules import Cause, Game, Move, Outcome, Piece, Position, Seat, Variant

Happening = tuple[EventKind, int | None, str]
"""An event without its number and time."""


class Phase(Enum):
    """The stage of a match."""

    OPEN = "open"
    LIVE = "live"
    OVER = "over"
    CLOSED = "closed"  # cancelled or expired before it began


@dataclass(frozen=True, slots=True)
class Place:
    """Where a match is played. The numbers are Discord's ids."""

    guild: int
    channel: int
    thread: int | None = None
    outages: tuple[Span, ...] = ()
    """The spans in which the place took no post, each from the first refused one; while that lasts, the last span ends
    at FOREVER."""

    @property
    def thread_or_channel(self) -> int:
        """The thread or channel in which the match is played."""
        return self.thread or self.channel

    @property
    def lost_at(self) -> int | None:
        """The time since which the place takes no post; None while it does."""
        return self.outages[-1][0] if self.outages and self.outages[-1][1] == FOREVER else None

    @property
    def is_lost(self) -> bool:
        """Whether the bot can no longer post there."""
        return self.lost_at is not None

    def move_to(self, channel: int, thread: int | None, at: int) -> Place:
        """Returns the place of the match from that time on, which takes posts."""
        return Place(self.guild, channel, thread, self.reach(at).outages)

    def reach(self, at: int) -> Place:
        """Returns the place after it has taken a post at that time."""
        since = self.lost_at
        return self if since is None else replace(self, outages=(*self.outages[:-1], (since, at)))

    def lose(self, at: int) -> Place:
        """Returns the place that takes no post, from then on or still: a lost place can lose its thread too."""
        *earlier, (since, until) = self.outages or ((at, at),)
        if until >= at:
            return replace(self, outages=(*earlier, (since, FOREVER)))
        return replace(self, outages=(*self.outages, (at, FOREVER)))


class HousePromise(NamedTuple):
    """House players take the seats of a table that are still empty at `until`."""

    level: str
    until: int


TABLE_LIFETIME_S = 7 * 24 * 3600
"""Seconds that a table waits for its players."""


@dataclass(frozen=True, slots=True)
class GameTable:
    """The table at which people take seats until the game begins."""

    host: int
    created: int
    joined: tuple[int, ...]
    """In the order of joining, the host first."""
    invited: tuple[int, ...] = ()
    """The users for whom a seat is still reserved."""
    declined: tuple[int, ...] = ()
    house_promise: HousePromise | None = None
    """When house players take the empty seats, if the host has asked for that."""
    prolonged_span: Span | None = None
    """When the table was given more time, and until when."""
    expired: bool = False
    """Whether the table closed because it was not full in time."""

    @property
    def expires_at(self) -> int:
        """When the table closes by itself."""
        return self.prolonged_span[1] if self.prolonged_span else self.created + TABLE_LIFETIME_S

    def seat(self, user: int) -> GameTable:
        """Returns the table after the user has joined."""
        invited, declined = drop_user(self.invited, user), drop_user(self.declined, user)
        return replace(self, joined=(*self.joined, user), invited=invited, declined=declined)


def drop_user(users: tuple[int, ...], user: int) -> tuple[int, ...]:
    """Returns the users without that one."""
    return tuple(other for other in users if other != user)


class Leaver(NamedTuple):
    """A person who left a match for good."""

    user: int
    seat: Seat
    at: int
    cause: str
    """ "resignation" or "timeout"."""


class Substitute(NamedTuple):
    """A person who took a seat over."""

    user: int
    seat: Seat
    instead: int
    """The user who held the seat before."""
    ply: int
    """How many moves had been made at the takeover."""


@dataclass(frozen=True, slots=True)
class Roster:
    """Who plays in a match that has begun, and who did."""

    players: tuple[int, ...] = ()
    """The user of each seat; empty until the match has started. A player who left a vacant seat stays here until
    replaced."""
    leavers: tuple[Leaver, ...] = ()
    """Those who left, without those whom a referee has brought back."""
    substitutes: tuple[Substitute, ...] = ()

    @property
    def first_players(self) -> tuple[int, ...]:
        """The user of each seat when the match began."""
        return tuple(
            next((substitute.instead for substitute in self.substitutes if substitute.seat == seat), user)
            for seat, user in enumerate(self.players)
        )

    @property
    def began_with_house(self) -> bool:
        """Whether a house player had a seat when the match began: it is then rated for nobody."""
        return any(map(is_house, self.first_players))

    def replace_player(self, seat: Seat, user: int, ply: int) -> Roster:
        """Returns the roster after the user has taken that seat."""
        players = tuple(user if other == seat else old for other, old in enumerate(self.players))
        leavers = tuple(leaver for leaver in self.leavers if leaver.user != user)
        return Roster(players, leavers, (*self.substitutes, Substitute(user, seat, self.players[seat], ply)))


@dataclass(frozen=True, slots=True)
class Vacancy:
    """A seat that nobody plays at the moment. All clocks stand still."""

    seat: Seat
    user: int
    """The user who left the seat."""
    until: int
    """The end of the call for a substitute, or of the vote."""
    voting: bool = False
    ballots: tuple[tuple[int, Ballot], ...] = ()
    """The latest vote of each user."""
    seq: int = 0
    """The number of the event that began the current stage: the call, or the vote."""
    since: int = 0
    """When the current stage began, or was last prolonged."""
    house_player: int | None = None
    """In a vote: the house player who takes the seat if all agree to that; None where none is offered."""

    @property
    def ballot_choices(self) -> tuple[Ballot, ...]:
        """The choices in the vote."""
        return tuple(ballot for ballot in Ballot if ballot is not Ballot.HOUSE or self.house_player is not None)


@dataclass(frozen=True, slots=True)
class PlayerRequest:
    """What a player asks of the others. It stands until it is answered.

    A draw offer stands until the next move of the player who offers it, a takeback request until anybody's next
    move, a request for a pause until the end of that pause.
    """

    kind: RequestKind
    user: int
    seq: int
    """The number of the event that made it. A button for the request carries this number, so it never answers a later
    request."""
    ply: int = 0
    """In a takeback: how many moves would remain."""
    to: int = 0
    """In a handover: the user who would play on."""
    until: int = 0
    """In a pause: when the game would go on."""
    accepted: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Requests:
    """What players ask of each other."""

    standing: tuple[PlayerRequest, ...] = ()
    """At most one of each kind."""
    draw_offers: tuple[tuple[int, int], ...] = ()
    """Each user who has offered a draw, with the ply of their latest offer."""

    def of_kind(self, kind: RequestKind) -> PlayerRequest | None:
        """The standing request of that kind; None if none stands."""
        return next((request for request in self.standing if request.kind is kind), None)

    def add(self, request: PlayerRequest) -> Requests:
        """Returns the requests with that one, which replaces an earlier one of its kind."""
        return replace(self, standing=(*self.drop(request.kind).standing, request))

    def drop(self, *kinds: RequestKind) -> Requests:
        """Returns the requests without those kinds."""
        return replace(self, standing=tuple(request for request in self.standing if request.kind not in kinds))


class BoardChange(NamedTuple):
    """One change of the board, kept so that it can be undone."""

    seat: Seat
    move: Move | None
    """None if the player of the seat left for good."""
    passes: int
    banks: tuple[int, ...]
    """The banks when the turn began."""
    auto: bool = False
    """Whether it was the only legal move and the bot played it."""
    planned: bool = False
    """Whether it was planned and the bot played it."""
    steward: bool = False
    """Whether a steward plays the seat because its player left."""

    def game_after(self, game: Game) -> Game:
        """Returns the game after the change. `game` must be the game as it was before the change."""
        if self.move is None:
            return game.apply_recorded_resignation(self.seat, self.passes, steward=self.steward)
        return game.apply_recorded(self.move, self.passes)


class ReplayedChange(NamedTuple):
    """A change of the board, with the game before and after it."""

    before: Game
    change: BoardChange
    after: Game


def replay_changes(match: Match) -> Iterator[ReplayedChange]:
    """Yields each of the changes that lead from the start of a game to its current board."""
    game = match.fresh_game
    for change in match.changes:
        after = change.game_after(game)
        yield ReplayedChange(game, change, after)
        game = after


def find_last_move(match: Match) -> tuple[Position, Move] | tuple[None, None]:
    """Returns the last move on the board and the position before it; None and None if nobody has moved."""
    made = [(before.position, change.move) for before, change, _ in replay_changes(match) if change.move]
    return made[-1] if made else (None, None)


MAX_HINTS = 3
"""The most hints of one person in a game."""


class Hint(NamedTuple):
    """A hint that a player was given: the move that the engine would play on the board of that version."""

    user: int
    board_version: int
    move: Move


class UndoneMoves(NamedTuple):
    """Moves that were taken back together, by agreement or by a referee."""

    ply: int
    """How many moves remained."""
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A match after its event number `seq`. Users are Discord's ids."""

    id: int
    terms: Terms
    place: Place
    table: GameTable
    clock: Clock
    roster: Roster = field(default_factory=Roster)
    requests: Requests = field(default_factory=Requests)
    vacancy: Vacancy | None = None
    paused_until: int | None = None
    """The end of the pause that the players have agreed on; None outside one. The clock stands; moves may be made."""
    title: str | None = None
    phase: Phase = Phase.OPEN
    annulled: bool = False
    set_position: Position | None = None
    """The position from which the game begins, if it is not the variant's start: then it counts for nothing."""
    game: Game | None = None
    changes: tuple[BoardChange, ...] = ()
    """The changes that led to the current game."""
    undone: tuple[UndoneMoves, ...] = ()
    """The moves taken back, the earliest takeback first."""
    hints: tuple[Hint, ...] = ()
    began_at: int = 0
    """When the game began; 0 before that."""
    ended_at: int | None = None
    """When the game ended, the last time if a referee reopened it; None while it is not over."""
    takeback_floor: int = 0
    """The ply at which a seat last changed hands; moves before it cannot be taken back."""
    seq: int = 1

    @property
    def variant(self) -> Variant:
        return self.terms.variant

    @property
    def guild(self) -> int:
        return self.place.guild

    @property
    def players(self) -> tuple[int, ...]:
        """The user of each seat; empty until the match has started."""
        return self.roster.players

    @property
    def is_live(self) -> bool:
        return self.phase is Phase.LIVE

    # The board

    @property
    def fresh_game(self) -> Game:
        """The game before its first move."""
        return Game.from_position(self.set_position or self.variant.start_position)

    @property
    def missing_pieces(self) -> dict[str, Piece]:
        """The pieces that the game's start lacks beside the variant's, by the names of their cells, in seat order.

        Empty if anything else differs, or if a side lacks two: then it is no handicap.
        """
        start, here, names = self.variant.start_position, self.fresh_game.position, self.variant.board.names
        missing = sorted(start.pieces.items() - here.pieces.items(), key=lambda one: one[1].seat)
        given = {names[cell]: piece for cell, piece in missing}
        is_rest = here == replace(start, cells=here.cells) and here.pieces.items() <= start.pieces.items()
        return given if is_rest and len({piece.seat for piece in given.values()}) == len(given) else {}

    @property
    def started_game(self) -> Game:
        """The game of a match that has started."""
        assert self.game is not None, self.id
        return self.game

    @property
    def turn(self) -> Seat:
        """The seat whose turn it is. Raises AssertionError before the match has started."""
        return self.started_game.position.turn

    @property
    def ply(self) -> int:
        """How many moves have been made."""
        return len(self.game.moves) if self.game else 0

    @property
    def board_version(self) -> int:
        """Moves ever made plus moves ever taken back. Unlike the ply it only grows, so each board has its own."""
        return self.ply + 2 * sum(len(undone.moves) for undone in self.undone)

    def ply_at(self, board_version: int) -> int | None:
        """The ply of the board of that version; None if moves were taken back since."""
        ply = self.ply - (self.board_version - board_version)
        return ply if ply >= (self.undone[-1].ply if self.undone else 0) else None

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None before that."""
        return self.game.outcome if self.game else None

    @property
    def winners(self) -> tuple[int, ...]:
        """The users who won; empty after a draw and before the end."""
        won = self.outcome.winners if self.outcome and not self.annulled else ()
        return tuple(self.players[seat] for seat in won)

    @property
    def has_result(self) -> bool:
        """Whether the match ended with a winner or a draw: not abandoned, aborted or annulled."""
        return self.outcome is not None and self.outcome.cause is not Cause.ABANDONED and not self.annulled

    # The people

    @property
    def free_seats(self) -> int:
        """How many seats are neither taken nor reserved."""
        return len(self.variant.seats) - len(self.table.joined) - len(self.table.invited)

    def seat_of(self, user: int) -> Seat | None:
        """The seat of that user; None if they have none, or the match has not started."""
        return self.players.index(user) if user in self.players else None

    @property
    def to_move(self) -> int | None:
        """The user whose turn it is; None unless the game is running, and at the turn of a vacant seat or a steward."""
        if not self.is_live or (self.vacancy and self.vacancy.seat == self.turn) or self.is_stewards_turn:
            return None
        return self.players[self.turn]

    @property
    def house_to_move(self) -> bool:
        """Whether the match waits for a house player's move."""
        return is_house(self.to_move)

    @property
    def is_stewards_turn(self) -> bool:
        """Whether it is the turn of a steward. Stewards move at once, so this is never true after a decision."""
        return self.is_live and self.started_game.position.steward_to_move

    @property
    def resigned_users(self) -> tuple[int, ...]:
        """The users who left the game and whose seats nobody has taken over, in seat order."""
        left = {leaver.user for leaver in self.roster.leavers}
        return tuple(user for user in self.players if user in left)

    @property
    def still_in(self) -> tuple[int, ...]:
        """The users who have pieces and have not left, in seat order, including house players."""
        if not self.game or not self.is_live:
            return ()
        position, left = self.game.position, self.resigned_users
        return tuple(user for seat, user in enumerate(self.players) if position.is_playing(seat) and user not in left)

    @property
    def people_in(self) -> tuple[int, ...]:
        """The people among `still_in`: house players agree to nothing, vote on nothing and are never notified."""
        return tuple(user for user in self.still_in if not is_house(user))

    @property
    def hint(self) -> Hint | None:
        """The hint given to the player to move on the current board; None if they had none."""
        return next((hint for hint in self.hints if hint[:2] == (self.to_move, self.board_version)), None)

    @property
    def hints_left(self) -> int:
        """How many hints the player to move may still take: none except against bots alone."""
        alone = self.roster.began_with_house and self.people_in == (self.to_move,)
        return MAX_HINTS - sum(hint.user == self.to_move for hint in self.hints) if alone else 0

    def opponents_of(self, user: int) -> tuple[int, ...]:
        """The other people who still play."""
        return drop_user(self.people_in, user)

    @property
    def needs_no_claim(self) -> bool:
        """Whether a player out of time is out without a claim: in ladder games, and if no opponent can claim."""
        return self.terms.ladder or not self.opponents_of(self.players[self.turn])

    # The building blocks of decisions

    def next_events(self, now: int, *happenings: Happening) -> tuple[Event, ...]:
        """Those happenings as the next events of the match."""
        return tuple(Event(seq, now, *happening) for seq, happening in enumerate(happenings, self.seq + 1))

    def refusal_for(self, problem: Problem, **values: object) -> MatchError:
        """The error to raise, with the number of the match."""
        return MatchError(problem, number=self.id, **values)

    def refuse_if(self, wrong: object, problem: Problem, **values: object) -> None:
        """Raises that refusal if `wrong` is true."""
        MatchError.raise_if(wrong, problem, number=self.id, **values)

    def require_open(self) -> None:
        """Raises unless people may still take seats. Ignores `expires_at`: the tick closes tables."""
        self.refuse_if(self.phase is not Phase.OPEN, Problem.TABLE_CLOSED)

    def require_live(self) -> Game:
        """Returns the game if it is running; raises otherwise."""
        self.refuse_if(self.phase is Phase.CLOSED, Problem.TABLE_CLOSED)
        if self.game is None:
            raise self.refusal_for(Problem.NOT_STARTED)
        self.refuse_if(self.phase is Phase.OVER, Problem.GAME_OVER)
        return self.game

    def require_playing(self, user: int) -> Game:
        """Returns the game if that user plays in it and has not left; raises otherwise."""
        if self.phase is not Phase.CLOSED and user not in (self.players or self.table.joined):
            raise self.refusal_for(Problem.NOT_A_PLAYER)
        game = self.require_live()
        self.refuse_if(user in self.resigned_users, Problem.ALREADY_LEFT)
        return game

    def require_agreeing(self, user: int) -> None:
        """Raises unless the user has a say in agreements: they are still in the game, and no seat is vacant."""
        self.require_playing(user)
        self.refuse_if(self.vacancy, Problem.SEAT_VACANT)
        self.refuse_if(user not in self.still_in, Problem.NO_PIECES)

    def require_going_on(self, user: int, board_version: int | None = None) -> Game:
        """Returns the game if the user plays in it and somebody is to move, at the board of `board_version` if given.

        Raises what `require_playing` raises, STALE for another board, and SEAT_VACANT if nobody is to move.
        """
        game = self.require_playing(user)
        self.refuse_if(board_version is not None and board_version != self.board_version, Problem.STALE)
        self.refuse_if(self.to_move is None, Problem.SEAT_VACANT)
        return game

    def require_turn(self, user: int, board_version: int | None = None) -> Game:
        """Like `require_going_on`, and raises NOT_YOUR_TURN unless it is that user's turn."""
        game = self.require_going_on(user, board_version)
        self.refuse_if(user != self.to_move, Problem.NOT_YOUR_TURN, next=self.to_move)
        return game


def without_winner(cause: Cause) -> Happening:
    """The end of the match, drawn or without a result."""
    return EventKind.ENDED, None, format_outcome(Outcome(cause, ()))


def ending_happenings(game: Game) -> tuple[Happening, ...]:
    """The end of the match if the game has ended; empty otherwise."""
    return ((EventKind.ENDED, None, format_outcome(game.outcome)),) if game.outcome else ()


# Matches in lists, and their messages


class MessageRef(NamedTuple):
    """The address of a message."""

    channel: int
    message: int


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A started match in a list."""

    id: int
    place: Place
    """It says whether the place is lost, and not since when."""
    variant: Variant
    phase: Phase
    players: tuple[int, ...]
    """The user of each seat."""
    resigned: tuple[int, ...]
    to_move: int | None
    ply: int
    moved_at: int
    turn: MessageRef | None
    """The message that shows the latest turn."""
    time_runs_out_at: int | None = None
    """When the player to move runs out of time, or of grace; None if no clock runs."""
    title: str | None = None
    seq: int = 0
    """The number of its last event."""

    @property
    def guild(self) -> int:
        return self.place.guild
