"""What can be wrong with a request about a match: reasons and values, never sentences.

What the rules of the games forbid has errors of its own, in `rules.errors`.
"""

from __future__ import annotations

from enum import Enum


class Problem(Enum):
    """Why a request is refused. The values are catalogue keys.

    What a match refuses comes with its `number`; beside each stand the other values that come along.
    """

    NO_SUCH_GAME = "no-such-game"  # also for a game of another server, of which nothing is revealed
    UNREADABLE = "unreadable"  # its story holds what this version does not know, such as a kind of event
    NO_SUCH_BUTTON = "no-such-button"  # of an older version, or not one of ours
    NO_SUCH_PLY = "no-such-ply"  # last
    NO_MOVES = "no-moves"  # nothing to replay
    NO_SUCH_STRETCH = "no-such-stretch"  # first, last, count
    STRETCH_TOO_LONG = "stretch-too-long"  # most
    NOT_STARTED = "not-started"
    GAME_OVER = "game-over"
    NOT_A_PLAYER = "not-a-player"
    NOT_YOUR_TURN = "not-your-turn"  # next: the user whose turn it is
    STALE = "stale"  # the board has moved on since
    ALREADY_LEFT = "already-left"
    ELIMINATED = "eliminated"  # to give up, with no pieces left

    TABLE_CLOSED = "table-closed"  # started, cancelled or expired
    TABLE_FULL = "table-full"  # reserved: the users for whom the seats that are left are kept
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
    NUDGED_ALREADY = "nudged-already"  # again: when the next nudge may come
    NUDGE_TOO_SOON = "nudge-too-soon"  # again: when the first one of the turn may come
    TIME_UP = "time-up"  # until: the end of the grace, in which no reminder comes
    SNOOZED_TOO_LONG = "snoozed-too-long"  # until: from when on a reminder comes too late
    BAD_TIME = "bad-time"  # a time that is past, or an amount that is none

    CLOCK_FULL = "clock-full"  # most: hours that it holds

    # leavers
    NOT_VACANT = "not-vacant"
    SEAT_VACANT = "seat-vacant"  # not while a seat is vacant
    CALL_OVER = "call-over"  # the call for a substitute has run out
    ALREADY_PLAYING = "already-playing"  # user: who plays in this game, or has
    SEAT_NOT_YOURS = "seat-not-yours"  # who asks for the vacant seat plays in this game, or has
    NO_VOTE = "no-vote"
    NO_PIECES = "no-pieces"  # who has none left has nothing to agree to or to hand over
    NO_HANDOVER = "no-handover"
    LAPSED = "lapsed"  # what a button was made for stands no longer
    NOT_ASKED = "not-asked"  # nobody waits for this user's answer

    # agreements
    NO_OFFER = "no-offer"
    OFFERED_ALREADY = "offered-already"
    OFFER_TOO_SOON = "offer-too-soon"  # ply: the number of moves from which on the next offer may come
    NOT_CLAIMABLE = "not-claimable"
    NO_TAKEBACK = "no-takeback"
    TAKEBACK_PENDING = "takeback-pending"  # user: who has asked already
    NOTHING_TO_TAKE_BACK = "nothing-to-take-back"
    TAKEBACK_BARRED = "takeback-barred"  # a seat has changed hands since
    TAKEBACK_LADDER = "takeback-ladder"

    # the referee
    NOT_MANAGER = "not-manager"  # who may not manage the server
    NOT_IN_GAME = "not-in-game"  # user: who has no seat
    BAD_BANK = "bad-bank"  # most: hours
    NO_REASON = "no-reason"
    NOT_OVER = "not-over"
    ANNULLED_ALREADY = "annulled-already"
    TEXT_TOO_LONG = "text-too-long"  # most: characters

    # plans
    NO_SUCH_PLAN = "no-such-plan"  # gone, or another person's
    PLAN_EMPTY = "plan-empty"  # nothing would be played by itself
    PLAN_TOO_LONG = "plan-too-long"  # most: moves
    PLAN_OWN_ANYTHING = "plan-own-anything"  # an own move that may be anything
    PLAN_ENDS = "plan-ends"  # moves after the end of the game
    PLANS_OFF = "plans-off"  # the server allows none
    TOO_MANY_PLANS = "too-many-plans"  # most: for one game

    # the house
    NO_SUCH_SEAT = "no-such-seat"  # most: how many the game has
    HOUSE_OFF = "house-off"  # the server wants no house players
    TOO_MANY_HOUSE = "too-many-house"  # most: games with them that one person may have
    HOUSE_BUSY = "house-busy"  # the server has as many as there may be

    # settings
    NO_SUCH_ZONE = "no-such-zone"  # zone
    BAD_SLEEP = "bad-sleep"  # most: hours
    BAD_LIMIT = "bad-limit"
    ALREADY_AWAY = "already-away"
    NOT_AWAY = "not-away"
    VACATION_TOO_SHORT = "vacation-too-short"  # least: days
    VACATION_SPENT = "vacation-spent"  # year; left: whole days
    CHANNEL_NOT_ALLOWED = "channel-not-allowed"  # channels: those in which games may be played
    TOO_MANY_OPEN = "too-many-open"  # most
    TOO_MANY_LIVE = "too-many-live"  # user, most
    NOT_FOLLOWING = "not-following"
    FOLLOWS_NONE = "follows-none"
    FOLLOWS_OWN = "follows-own"  # a game in which they play, of which they are told anyway
    TOO_MANY_FOLLOWERS = "too-many-followers"  # most
    NO_SUCH_TREE = "no-such-tree"  # also for another person's, and where the position in it is gone
    TREE_FULL = "tree-full"  # most
    TOO_MANY_TREES = "too-many-trees"  # most
    CLOCK_WRONG = "clock-wrong"  # this machine's, by which nothing is decided then
    TOO_OFTEN = "too-often"  # again: when it may be done again
    WORD_MISSING = "word-missing"  # what had to be typed to confirm was not

    NO_PUZZLES = "no-puzzles"  # of the kind that is asked for, or not any more
    PLAYED_NOW = "played-now"  # in the game of that number, one of theirs

    NO_GAMES = "no-games"
    WHICH_GAME = "which-game"  # candidates: the numbers of the games meant, those that wait for the user first


class MatchError(Exception):
    """A request that a match, or the service, refuses. Nothing has changed.

    `values` are what the sentence needs: users, numbers. Which ones, stands at each Problem.
    """

    def __init__(self, problem: Problem, **values: object) -> None:
        self.problem = problem
        self.values: dict[str, object] = values
        super().__init__(" ".join([problem.value, *(f"{name}={value}" for name, value in values.items())]))
