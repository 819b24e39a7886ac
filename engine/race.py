"""The static evaluation with three players: a score per seat, in hundredths of log-odds.

With three players the game is a race for castles with few guards. So the score of a seat depends on its two foremost
pieces (steps left, pieces that may meet them), on whose turn it is, and on the number of its pieces. The chances of the
seats add up to 1, so a gain of one seat is a loss of the others without further terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import exp, log1p

from engine.evaluation import MAX_DISTANCE, read_weights, steps_to_nearest
from engine.lookup_tables import Hop, cells_to_bits
from engine.search_position import SearchPosition
from rules import Seat, Variant

NO_PIECES_SCORE = -3_000
"""The score of a seat that cannot win any more: its player has left, or it has no pieces."""
LOST_SCORE = -2_000
"""The score of a game that another seat has won."""
RACE_STEP = 3
"""The value of a step towards the castle when moves are ordered."""
CLOSE_STEPS = 6
"""A foremost piece that nobody can meet gets a bonus for each step that it is nearer than this."""


@dataclass(frozen=True)
class RaceWeights:
    """Log-odds of winning, in hundredths."""

    man: float
    knight: float
    nearest: float
    """For each step from the foremost piece to the castle it attacks, up to MAX_DISTANCE."""
    second: float
    """For each step from the second piece to that castle, up to MAX_DISTANCE."""
    guard: float
    """For each piece of the castle's owner that can meet the foremost piece, being at most one step further away."""
    passer: float
    """For each piece of the third seat that can meet the foremost piece in that way."""
    free: float
    """For each step nearer than CLOSE_STEPS, if no piece can meet the foremost piece."""
    move: float
    """For the seat to move."""
    next: float
    """For the seat after it."""


class RaceEvaluation:
    """A variant's weights, tabulated by steps."""

    draw = -160
    """The score of a draw or a repeated position: less than an even game of three, whose log-odds are -69."""

    def __init__(self, variant: Variant, weights: RaceWeights) -> None:
        armies, steps = variant.armies, range(MAX_DISTANCE + 1)
        self.ways = [[min(MAX_DISTANCE, far) for far in steps_to_nearest(variant.board, army.goal)] for army in armies]
        """By seat and cell, the steps to the attacked castle, up to MAX_DISTANCE."""
        self.meeting = [
            [cells_to_bits(frozenset(cell for cell, far in enumerate(ways) if far <= step + 1)) for step in steps]
            for ways in self.ways
        ]
        """By seat and steps left, the bit set of cells from which a piece can meet the foremost piece."""
        self.places = [[-RACE_STEP * far for far in ways] for ways in self.ways]
        """By seat and cell, a value for ordering moves: higher near the attacked castle."""
        self.knights = [knight for _, knight in variant.piece_codes]
        self.man, self.knight = round(weights.man), round(weights.knight - weights.man)
        self.nearest = [round(weights.nearest * far) for far in steps]
        self.second = [round(weights.second * far) for far in steps]
        self.free = [round(weights.free * max(0, CLOSE_STEPS - far)) for far in steps]
        self.guard, self.passer = round(weights.guard), round(weights.passer)
        self.turns = [round(weights.move), round(weights.next), 0]

    def worth_by_seat(self, search: SearchPosition) -> list[int]:
        """Each seat's score, for a position without a due capture."""
        worths = [NO_PIECES_SCORE] * len(self.ways)
        for later, (seat, far, next_far, owners, thirds) in enumerate(self.list_races(search)):
            worth = self.nearest[far] + self.second[next_far] + self.turns[later]
            worth += self.man * len(search.army[seat]) + self.knight * search.cells.count(self.knights[seat])
            worth += self.guard * owners + self.passer * thirds
            worths[seat] = worth if owners or thirds else worth + self.free[far]
        return worths

    def list_races(self, search: SearchPosition) -> list[tuple[Seat, int, int, int, int]]:
        """The race of each seat that can still win, in the order of their turns.

        They are the seat, the steps left of its two foremost pieces, and how many pieces of the castle's owner and of
        the third seat can meet the first of them.
        """
        bits, out, skipped, orders = search.bits, search.out, search.out - search.stewards, search.variant.turn_orders
        races = []
        for seat in (search.turn, *orders[search.turn][:-1]):
            army = search.army[seat]
            if not army or seat in out:
                continue
            far = sorted(map(self.ways[seat].__getitem__, army))
            meeting = self.meeting[seat][far[0]]
            owner, third, _ = orders[seat]
            owners = 0 if owner in skipped else (bits[owner] & meeting).bit_count()
            thirds = 0 if third in skipped else (bits[third] & meeting).bit_count()
            races.append((seat, far[0], far[1] if len(far) > 1 else MAX_DISTANCE, owners, thirds))
        return races

    def score(self, search: SearchPosition, seat: Seat) -> int:
        """The log-odds of that seat against the two others together, in hundredths."""
        return log_odds_of(self.worth_by_seat(search), seat)

    def chances_of(self, search: SearchPosition) -> tuple[float, ...]:
        """Each seat's chance to win, after due captures; each capturing seat picks the capture that scores best."""
        begun = search.depth_made
        while hops := search.forcing_hops():
            search.make(max(hops, key=lambda hop: self._score_after(search, hop)))
        if search.result is None and not search.can_enter_castle():
            worth = self.worth_by_seat(search)
        else:
            winners = (search.turn,) if search.result is None else search.result or search.variant.seats
            worth = [-LOST_SCORE if seat in winners else LOST_SCORE for seat in search.variant.seats]
        while search.depth_made > begun:
            search.unmake()
        return chances_from_worth(worth)

    def _score_after(self, search: SearchPosition, hop: Hop) -> int:
        """The score after that move for the seat that makes it; a game that ends with a winner counts as won by it."""
        seat = search.turn
        search.make(hop)
        score = -LOST_SCORE if search.result else self.score(search, seat)
        search.unmake()
        return score


_SOFT = [round(100 * log1p(exp(-apart / 100))) for apart in range(800)]


def log_odds_of(worth: list[int], seat: Seat) -> int:
    """The log-odds of that seat against the two others together, in hundredths."""
    more, less = worth[seat - 1], worth[seat - 2]
    if more < less:
        more, less = less, more
    apart = more - less
    return worth[seat] - more - (_SOFT[apart] if apart < len(_SOFT) else 0)


def chances_from_worth(worth: list[int]) -> tuple[float, ...]:
    """Each seat's chance to win, from the seats' scores.

    >>> [round(chance, 3) for chance in chances_from_worth([100, 0, 0])]
    [0.576, 0.212, 0.212]
    """
    most = max(worth)
    parts = [exp((one - most) / 100) for one in worth]
    return tuple(part / sum(parts) for part in parts)


def race_weights_of(variant: Variant) -> RaceWeights:
    """The weights of that variant. Raises FileNotFoundError if it has none."""
    return RaceWeights(**read_weights(variant))


@cache
def race_evaluation_of(variant: Variant) -> RaceEvaluation:
    """The evaluation with the weights of that variant. Raises FileNotFoundError if it has none."""
    return RaceEvaluation(variant, race_weights_of(variant))
