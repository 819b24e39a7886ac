"""The problems of a request about a match: reasons and values, never sentences.

Breaches of a game's rules have their own errors, in `rules.errors`.
"""

from __future__ import annotations

from enum import Enum
from typing import Generic, TypeVar


class Problem(Enum):
    """Why a request is refused. The values are catalogue keys.

    A match's refusal carries its `number`; the comments name the other values.
    """

    NO_SUCH_GAME = "no-such-game"  # also for a game of another server, so that nothing is revealed about it
    UNREADABLE = "unreadable"  # its events hold something that this version does not know, such as a kind
    NO_SUCH_PLY = "no-such-ply"  # last
    NO_MOVES = "no-moves"  # nothing to replay
    NOT_STARTED = "not-started"
    GAME_OVER = "game-over"
    OVER_HERE = "over-here"  # the game of the thread; own: as below
    OTHERS_THREAD = "others-thread"  # players: of the thread's game; own: the games of the user, each with its place
    NOT_A_PLAYER = "not-a-player"
    NOT_YOUR_TURN = "not-your-turn"  # next: the user whose turn it is
    STALE = "stale"  # the board has changed since
    ALREADY_LEFT = "already-left"
    ELIMINATED = "eliminated"  # the user wants to resign, but has no pieces left

    TABLE_CLOSED = "table-closed"  # started, cancelled or expired
    TABLE_FULL = "table-full"  # the remaining seats are reserved
    UNAVAILABLE = "unavailable"  # somebody invited, for a reason that the host is not told
    BLOCKED = "blocked"  # user: whom the person has blocked
    BLOCKED_SELF = "blocked-self"
    ALREADY_JOINED = "already-joined"
    NOT_SEATED = "not-seated"
    NOT_INVITED = "not-invited"
    NOT_HOST = "not-host"  # host
    HOST_STAYS = "host-stays"  # the host cancels instead of leaving

    OPPONENT_IS_YOU = "opponent-is-you"
    OPPONENT_IS_BOT = "opponent-is-bot"
    NOT_A_MEMBER = "not-a-member"  # user: who is not in the server
    OPPONENT_TWICE = "opponent-twice"  # user
    TOO_MANY_OPPONENTS = "too-many-opponents"  # most

    # the clock
    NO_CLOCK = "no-clock"
    CLOCK_STANDS = "clock-stands"
    NOT_OVERDUE = "not-overdue"  # until: when the time and the grace are over
    NOT_OVERDUE_LADDER = "not-overdue-ladder"  # until, as above; then it ends without a claim
    YOUR_OWN_CLOCK = "your-own-clock"
    HOUSE_PLAYS_ON = "house-plays-on"  # user: the house player who wants no draw
    HOUSE_THINKS = "house-thinks"  # user: the house player who is to move
    NUDGE_TOO_SOON = "nudge-too-soon"  # again: when the next nudge may come
    TIME_UP = "time-up"  # until: the end of the grace, in which no reminder comes
    SNOOZED_TOO_LONG = "snoozed-too-long"  # until: the time from which a reminder comes too late
    BAD_TIME = "bad-time"  # a time in the past, or not a positive amount

    CLOCK_FULL = "clock-full"  # most: hours that it holds

    # leavers
    NOT_VACANT = "not-vacant"
    SEAT_VACANT = "seat-vacant"  # not allowed while a seat is vacant
    CALL_OVER = "call-over"  # the call for a substitute has run out
    ALREADY_PLAYING = "already-playing"  # user: who plays in this game, or did, or is apart from a player
    SEAT_NOT_YOURS = "seat-not-yours"  # who asks for the seat plays in this game, or did, or is apart from a player
    NO_VOTE = "no-vote"
    PROPOSED_ALREADY = "proposed-already"  # the user already wants the vote at once
    NO_PIECES = "no-pieces"  # a user without pieces can neither agree nor hand a seat over
    LAPSED = "lapsed"  # the request that the button was made for no longer stands
    NOT_ASKED = "not-asked"  # nobody waits for this user's answer

    # agreements
    OFFERED_ALREADY = "offered-already"
    OFFER_TOO_SOON = "offer-too-soon"  # moves: how many of all players have to be made first
    TAKEBACK_PENDING = "takeback-pending"  # user: who has already asked
    NOTHING_TO_TAKE_BACK = "nothing-to-take-back"
    TAKEBACK_BARRED = "takeback-barred"  # a seat has changed hands since
    TAKEBACK_LADDER = "takeback-ladder"
    PAUSED = "paused"  # until: not allowed while the game is paused
    PAUSE_PENDING = "pause-pending"  # user: who has already asked
    PAUSE_TOO_LONG = "pause-too-long"  # until: the end of the season

    # the referee
    NOT_MANAGER = "not-manager"  # the user may not manage the server
    NOT_IN_GAME = "not-in-game"  # user: who has no seat
    BAD_BANK = "bad-bank"  # most: hours
    NO_REASON = "no-reason"
    NOT_OVER = "not-over"
    ANNULLED_ALREADY = "annulled-already"
    TEXT_TOO_LONG = "text-too-long"  # most: characters

    # plans
    NO_SUCH_PLAN = "no-such-plan"  # gone, or another person's
    PLAN_EMPTY = "plan-empty"  # the bot would play nothing
    PLAN_TOO_LONG = "plan-too-long"  # most: moves
    PLAN_OWN_ANYTHING = "plan-own-anything"  # an own move that may be anything
    PLAN_ENDS = "plan-ends"  # moves after the end of the game
    TOO_MANY_PLANS = "too-many-plans"  # most: for one game

    # the house
    NO_SUCH_SEAT = "no-such-seat"  # most: how many the game has
    NO_HINT = "no-hint"
    NO_HANDICAP = "no-handicap"  # people are invited: handicaps are for games against bots alone
    NO_SEAT_FOR_HOUSE = "no-seat-for-house"  # house players are wanted, but somebody is invited to every seat
    HOUSE_OFF = "house-off"  # the server wants no house players
    TOO_MANY_HOUSE = "too-many-house"  # most: games with house players that one person may have
    HOUSE_BUSY = "house-busy"  # the server already has as many as it may have

    # settings
    NO_SUCH_ZONE = "no-such-zone"  # zone
    BAD_SLEEP = "bad-sleep"  # most: hours
    ALREADY_AWAY = "already-away"
    NOT_AWAY = "not-away"
    VACATION_SPENT = "vacation-spent"  # year; left: whole days
    CHANNEL_NOT_ALLOWED = "channel-not-allowed"  # channels: those in which games may be played
    TOO_MANY_OPEN = "too-many-open"  # most
    TOO_MANY_LIVE = "too-many-live"  # user, most
    THOUGHTS_OF_OTHERS = "thoughts-of-others"  # the user neither plays in the game nor follows it
    FOLLOWS_OWN = "follows-own"  # the user plays in the game, and is notified of it anyway
    TOO_MANY_FOLLOWERS = "too-many-followers"  # most
    NO_SUCH_TREE = "no-such-tree"  # also for another person's tree, and for a position that is gone from it
    TREE_FULL = "tree-full"  # most
    TOO_MANY_TREES = "too-many-trees"  # most
    CLOCK_WRONG = "clock-wrong"  # this machine's clock: the bot decides nothing by a wrong clock
    TOO_OFTEN = "too-often"  # again: when it is allowed again
    WORD_MISSING = "word-missing"  # the word that confirms was not typed

    NO_PUZZLES = "no-puzzles"  # of the requested kind, or no longer any
    PLAYED_NOW = "played-now"  # near the present position of one of the user's own games, with that number
    PLAYED_BY_OTHERS = "played-by-others"  # a running game stands in that position

    NO_GAMES = "no-games"
    WHICH_GAME = "which-game"  # candidates: the possible games as summaries, those that wait for the user first


ProblemT = TypeVar("ProblemT", bound=Enum)


class Refusal(Exception, Generic[ProblemT]):
    """A request that is refused. Nothing has changed.

    `values` are what the sentence needs, such as users and numbers; see the comment at each problem.
    """

    def __init__(self, problem: ProblemT, **values: object) -> None:
        self.problem = problem
        self.values: dict[str, object] = values
        super().__init__(" ".join([problem.value, *(f"{name}={value}" for name, value in values.items())]))

    @classmethod
    def raise_if(cls, wrong: object, problem: ProblemT, **values: object) -> None:
        """Raises the refusal if `wrong` is true."""
        if wrong:
            raise cls(problem, **values)


class MatchError(Refusal[Problem]):
    """What a match or the service refuses."""
