"""What can be wrong with a request about a match: reasons and values, never sentences.

What the rules of the games forbid has errors of its own, in `rules.errors`.
"""

from __future__ import annotations

from enum import Enum


class Problem(Enum):
    """Why a request is refused. The values are catalogue keys.

    What a match refuses comes with its `number`; behind each stand the other values that come along.
    """

    NO_SUCH_GAME = "no-such-game"  # also for a game of another server, of which nothing is revealed
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
    HOST_STAYS = "host-stays"  # he cancels instead of leaving

    OPPONENT_IS_YOU = "opponent-is-you"
    OPPONENT_IS_BOT = "opponent-is-bot"
    OPPONENT_TWICE = "opponent-twice"  # user
    TOO_MANY_OPPONENTS = "too-many-opponents"  # most

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
