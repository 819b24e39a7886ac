"""Ratings: Plackett-Luce, one per server, variant and user, for games of two and of three. Pure.

Games are rated one by one in the order of (ended_at, match), each from the ratings before it. So rating a game when
it ends and rating all of them again give the same numbers, to the last digit. Ratings are rounded to
RATING_DECIMALS after each game, because the last bits of an exponential differ between machines and Python
versions.

The winner is first; the others come after, and are not compared with each other. The rules name only a winner, and
if second places or ties with a strong fellow loser counted, it would matter to a loser which of the others wins.
Openskill rates a tie as a drawn game among the tied, so that part is taken out again. In a draw all are tied, and
compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from openskill.models import PlackettLuce

from bot.core.clock import DAY
from bot.core.house_seats import is_house
from bot.core.results import FinishedGame

INITIAL_MU, INITIAL_SIGMA = 25.0, 25 / 3
"""The mu and sigma of a user without games."""
MAX_CERTAIN_SIGMA = 6.0
"""The largest sigma at which a number is shown without a "?": it takes about a dozen games to get there."""
NEW_PLAYER_NUMBER, POINTS_PER_MU = 1500, 27
"""The number of a new player, and the points per unit of mu: 200 points more mean three wins in four, as in chess."""
MONTH = 30 * DAY
SIGMA_PER_IDLE_MONTH = 0.5
"""What a month without a rated game adds to sigma, added in squares as independent errors are."""
RATING_DECIMALS = 9

MIN_MOVES_PER_PLAYER = 4
"""The moves per player, on average, below which a game is not rated."""
MAX_RATED_TOGETHER, RATED_TOGETHER_SPAN_S = 3, 30 * DAY
"""At most this many games of the same people at one variant are rated within that time."""

_BETA, _TAU = INITIAL_SIGMA / 2, INITIAL_SIGMA / 100
_FIRST, _BEHIND, _LAST = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Rating:
    """A user's estimated skill as of their last rated game."""

    mu: float = INITIAL_MU
    sigma: float = INITIAL_SIGMA
    games: int = 0
    played_at: int = 0
    """Unix seconds of the last rated game; 0 before the first."""

    @property
    def shown_number(self) -> int:
        """The number that people see."""
        return round(NEW_PLAYER_NUMBER + POINTS_PER_MU * (self.mu - INITIAL_MU))

    def aged_to(self, now: int) -> Rating:
        """Returns the rating as it is at `now`: each whole month since the last game makes it less certain."""
        months = (now - self.played_at) // MONTH if self.games else 0
        if months <= 0:
            return self
        sigma = min(math.sqrt(self.sigma**2 + months * SIGMA_PER_IDLE_MONTH**2), max(INITIAL_SIGMA, self.sigma))
        return replace(self, sigma=round(sigma, RATING_DECIMALS))

    def is_uncertain(self, now: int) -> bool:
        """Whether the number is to be shown with a "?"."""
        return self.aged_to(now).sigma > MAX_CERTAIN_SIGMA

    @property
    def unsure_from(self) -> int:
        """The first instant at which `is_uncertain` holds if they play no more."""
        months = max(math.floor((MAX_CERTAIN_SIGMA**2 - self.sigma**2) / SIGMA_PER_IDLE_MONTH**2), 0)
        while not self.is_uncertain(self.played_at + months * MONTH):
            months += 1
        return self.played_at + months * MONTH if months else 0


NEW_RATING = Rating()
"""The rating of a user without rated games."""


@dataclass(frozen=True, slots=True)
class RatingChange:
    """A user's rating before and after a game."""

    before: Rating
    after: Rating

    @property
    def points_gained(self) -> int:
        """The difference of the shown numbers."""
        return self.after.shown_number - self.before.shown_number


def is_countable(game: FinishedGame) -> bool:
    """Whether a game may be rated at all: it has a result, is long enough, and did not begin with a house player."""
    return game.has_result and long_enough(game) and not game.never_rated


def long_enough(game: FinishedGame) -> bool:
    """Whether the game was played, not given away: a shorter game moves neither ratings nor rungs."""
    return game.moves >= MIN_MOVES_PER_PLAYER * len(game.players)


def is_capped(game: FinishedGame, earlier: Iterable[int]) -> bool:
    """Whether the same people have used up their rated games. `earlier`: when their rated games ended."""
    return (
        sum(game.ended_at - RATED_TOGETHER_SPAN_S < ended_at <= game.ended_at for ended_at in earlier)
        >= MAX_RATED_TOGETHER
    )


def sort_players(game: FinishedGame) -> tuple[int, ...]:
    """The users who held the seats at the end, in the order of their ids: the key for "the same people"."""
    return tuple(sorted(game.players))


def rate_game(game: FinishedGame, before: Mapping[int, Rating]) -> dict[int, RatingChange]:
    """Returns the rating changes of all users that the result concerns. Does not check whether the game counts.

    `before` needs only `game.users_concerned`; users missing there are new.
    """
    users = game.users_concerned
    ratings_before = {user: before.get(user, NEW_RATING).aged_to(game.ended_at) for user in users}
    values_after = _values_after(game, ratings_before)
    changes: dict[int, RatingChange] = {}
    for user in users:
        start, (mu, sigma) = before.get(user, NEW_RATING), values_after[user]
        if user in game.substitutes and mu <= ratings_before[user].mu:
            changes[user] = RatingChange(start, start)  # a substitute has nothing to lose
            continue
        played_at = max(start.played_at, game.ended_at)
        changes[user] = RatingChange(
            start, Rating(round(mu, RATING_DECIMALS), round(sigma, RATING_DECIMALS), start.games + 1, played_at)
        )
    return changes


MuSigma = tuple[float, float]
"""mu and sigma."""


def _values_after(game: FinishedGame, old: Mapping[int, Rating]) -> dict[int, MuSigma]:
    """Returns mu and sigma after the game, for all users that its result concerns."""
    new = _rate_together(game.players, game, old)
    for leaver in {leaver.user: leaver for leaver in game.leavers}.values():  # an old result may name one twice
        # A leaver comes last. The others gain nothing by that, or it would pay to drive people away.
        if leaver.user in game.users_concerned:
            seats = tuple(leaver.user if seat == leaver.seat else user for seat, user in enumerate(game.players))
            last = tuple(other.user for other in game.leavers if other.user in seats)
            new[leaver.user] = _rate_together(seats, game, old, last)[leaver.user]
    return new


def _rate_together(
    seats: tuple[int, ...], game: FinishedGame, old: Mapping[int, Rating], last: tuple[int, ...] = ()
) -> dict[int, MuSigma]:
    """The mu and sigma after a game of those users: winners first (all, after a draw), `last` after the rest.

    House players, who are substitutes here, are left out: they are no measure for anybody.
    """
    seats = tuple(user for user in seats if not is_house(user))
    if len(seats) < 2:
        return {user: (old[user].mu, old[user].sigma) for user in seats}
    first = game.winners or seats
    ranks = {user: _LAST if user in last else _FIRST if user in first else _BEHIND for user in seats}
    new = _run_model([old[user] for user in seats], list(ranks.values()), _BETA)
    values = dict(zip(seats, new, strict=True))
    for rank in (_BEHIND, _LAST):
        tied = [user for user in seats if ranks[user] == rank]
        if len(tied) > 1:
            values |= _without_tie(tied, seats, values, old)
    return values


def _without_tie(
    tied: list[int], seats: tuple[int, ...], values: Mapping[int, MuSigma], old: Mapping[int, Rating]
) -> dict[int, MuSigma]:
    """The values of the tied users without the drawn game among themselves that the model sees in their tie.

    That part equals a draw among the tied alone, if the noise of the whole game, c² = Σ(σ² + β²) over all seats,
    stays the same; hence the beta. See Weng and Lin, "A Bayesian approximation method for online ranking", 2011,
    algorithm 4: omega and delta are sums over the ranks, and the terms of one rank can be taken out.
    """
    variances = {user: old[user].sigma ** 2 + _TAU**2 for user in seats}
    others = sum([variances[user] for user in seats if user not in tied])
    beta = math.sqrt((others + len(seats) * _BETA**2) / len(tied))
    drawn = _run_model([old[user] for user in tied], [_FIRST] * len(tied), beta)
    return {
        user: (values[user][0] - (mu - old[user].mu), math.sqrt(values[user][1] ** 2 + variances[user] - sigma**2))
        for user, (mu, sigma) in zip(tied, drawn, strict=True)
    }


def _run_model(ratings: list[Rating], ranks: list[int], beta: float) -> list[MuSigma]:
    model = PlackettLuce(mu=INITIAL_MU, sigma=INITIAL_SIGMA, beta=beta, tau=_TAU)
    teams = [[model.rating(rating.mu, rating.sigma)] for rating in ratings]
    return [(player.mu, player.sigma) for [player] in model.rate(teams, ranks=list(map(float, ranks)))]


class UnratedReason(Enum):
    """Why a game is not rated. The values are catalogue keys."""

    NO_RESULT = "no-result"
    SHORT = "short"  # fewer than MIN_MOVES_PER_PLAYER per player
    CAPPED = "capped"  # the same people have used up their rated games


@dataclass(frozen=True, slots=True)
class RatingEffects:
    """The changes of ratings by a game; empty if it was not rated."""

    ratings: Mapping[int, RatingChange] = field(default_factory=dict)
    unrated: UnratedReason | None = None
    """None if the game was rated, or is not over."""
