"""What a position is worth to each seat of three, without looking ahead: hundredths of log-odds.

With three, the game is a race for castles with few guards, so a seat is worth what its foremost pieces are: how many
steps they have left, who stands between them and the castle, and whose turn it is. Pieces count for themselves, too.
Whom a move helps or hurts needs no rule of its own: chances add up to one, so what one seat gains the others lose.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, log1p

from engine.evaluation import MAX_DISTANCE, steps_to_nearest
from engine.position import SearchPosition
from engine.tables import Hop, cells_to_bits
from rules import Seat, Variant

NO_PIECES_SCORE = -3_000
"""What a seat is worth that cannot win any more: its player has left, or it has no pieces."""
LOST_SCORE = -2_000
"""What a game is worth that somebody else has won."""
RACE_STEP = 3
"""What a step towards the castle promises."""
CLOSE_STEPS = 6
"""From fewer steps than this on a runner that nobody can meet counts more, the more the nearer it is."""


@dataclass(frozen=True)
class RaceWeights:
    """Log-odds of winning, in hundredths."""

    man: float
    knight: float
    nearest: float
    """For each step that the foremost piece has left to the castle it attacks, up to FAR."""
    second: float
    """For each step that the second piece has left."""
    guard: float
    """For each piece that may meet it, of the seat whose castle it is: one no further from there than a step more."""
    passer: float
    """For each such piece of the third seat."""
    free: float
    """Where nobody may meet it, for each step that it has come nearer than CLOSE."""
    move: float
    """For being the one to move."""
    next: float
    """For being the one after."""


class RaceEvaluation:
    """A variant's weights, laid out by steps."""

    draw = -160
    """What a draw, or coming back to a position, is worth: less than an even game of three, whose log-odds are -69."""

    def __init__(self, variant: Variant, weights: RaceWeights) -> None:
        armies, steps = variant.armies, range(MAX_DISTANCE + 1)
        self.ways = [[min(MAX_DISTANCE, far) for far in steps_to_nearest(variant.board, army.goal)] for army in armies]
        """For each seat and cell the steps to the castle it attacks, up to FAR."""
        self.meeting = [
            [cells_to_bits(frozenset(cell for cell, far in enumerate(ways) if far <= step + 1)) for step in steps]
            for ways in self.ways
        ]
        """For each seat and number of steps the cells from where a foremost piece so far off may be met."""
        self.places = [[-RACE_STEP * far for far in ways] for ways in self.ways]
        """For each seat and cell how promising it is to go there, for the order in which moves are tried."""
        self.victims = [next(o for o in variant.seats if armies[o].castle == army.goal) for army in armies]
        """For each seat whose castle it attacks."""
        self.knights = [knight for _, knight in variant.piece_codes]
        self.man, self.knight = round(weights.man), round(weights.knight - weights.man)
        self.nearest = [round(weights.nearest * far) for far in steps]
        self.second = [round(weights.second * far) for far in steps]
        self.free = [round(weights.free * max(0, CLOSE_STEPS - far)) for far in steps]
        self.guard, self.passer = round(weights.guard), round(weights.passer)
        self.turns = [round(weights.move), round(weights.next), 0]

    def worth_by_seat(self, search: SearchPosition) -> list[int]:
        """What the position is worth to each seat, if no capture is due."""
        found = [NO_PIECES_SCORE] * len(self.ways)
        bits, skipped, later = search.bits, search.out - search.stewards, 0
        for seat in (search.turn, *search.variant.turn_orders[search.turn][:-1]):
            army = search.army[seat]
            if not army or seat in search.out:
                continue
            far = sorted(map(self.ways[seat].__getitem__, army))
            first = far[0]
            worth = self.nearest[first] + self.second[far[1] if len(far) > 1 else MAX_DISTANCE] + self.turns[later]
            worth += self.man * len(far) + self.knight * search.cells.count(self.knights[seat])
            meeting = self.meeting[seat][first]
            met = False
            for other in search.variant.turn_orders[seat][:-1]:
                foes = 0 if other in skipped else bits[other] & meeting
                if foes:
                    met = True
                    worth += foes.bit_count() * (self.guard if other == self.victims[seat] else self.passer)
            if not met:
                worth += self.free[first]
            found[seat] = worth
            later += 1
        return found

    def score(self, search: SearchPosition, seat: Seat) -> int:
        """The log-odds of that seat against the two others together, in hundredths."""
        return log_odds_of(self.worth_by_seat(search), seat)

    def chances_of(self, search: SearchPosition) -> tuple[float, ...]:
        """Each seat's chance to win, once what is due has been captured as it looks best to whoever captures."""
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
        """The score after that move for the seat that makes it; a game that it ends counts as won."""
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
    """Each seat's chance to win."""
    most = max(worth)
    parts = [exp((one - most) / 100) for one in worth]
    return tuple(part / sum(parts) for part in parts)


def race_weights_of(variant: Variant) -> RaceWeights:
    """The weights of that variant. Raises FileNotFoundError where none have been made."""
    found: dict[str, float] = json.loads((files("engine") / "weights" / f"{variant.key}.json").read_text("utf-8"))
    return RaceWeights(**found)


@cache
def race_evaluation_of(variant: Variant) -> RaceEvaluation:
    """The evaluation with the weights of that variant. Raises FileNotFoundError where none have been made."""
    return RaceEvaluation(variant, race_weights_of(variant))
