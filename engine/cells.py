"""The static evaluation of three players by fitted tables: what a piece on each cell is worth to each seat.

A piece counts for its owner, for the seat whose castle it attacks, and for the third. The race to the castle is a table
by turn order, the steps left, and how many pieces of the two others may meet the foremost one. The tables are a softmax
regression of the winner on the quiet positions of 16,000 games of the engine against itself (docs/engine.md).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from engine.evaluation import MAX_DISTANCE, read_weights
from engine.lookup_tables import Hop
from engine.race import NO_PIECES_SCORE, RaceEvaluation, race_weights_of
from engine.search_position import SearchPosition
from rules import Position, Variant

MAX_MEETING = 3
"""More pieces that may meet the foremost one count as so many."""
FIELD = 21
"""The bits of one seat's worth in an integer that packs those of all seats."""
_BIAS, _MASK = 1 << (FIELD - 1), (1 << FIELD) - 1
_BIASES = _BIAS | _BIAS << FIELD | _BIAS << 2 * FIELD


class CellEvaluation(RaceEvaluation):
    """A variant's tables, in hundredths of log-odds."""

    def __init__(self, variant: Variant, tables: dict[str, Any]) -> None:
        super().__init__(variant, race_weights_of(variant))
        self.race: list[list[list[list[int]]]] = tables["race"]
        """By turns until the seat moves, steps left, pieces of the castle's owner and of the third that may meet it."""
        self.seconds: list[list[int]] = tables["second"]
        """By turns until the seat moves, and steps left of its second piece."""
        self.values = [[0] * len(variant.board.names) for _ in range(1 + 2 * len(variant.armies))]
        """By code and cell, what a piece there is worth to each seat, packed: an addition updates all sums."""
        for owner, codes in enumerate(variant.piece_codes):
            for kind, code in enumerate(codes):
                for seat, turned in enumerate(tables["turned"]):
                    pieces = tables["pieces"][(owner - seat) % len(variant.armies)][kind]
                    for cell, there in enumerate(turned):
                        self.values[code][cell] += pieces[there] << FIELD * seat

    def worth_by_seat(self, search: SearchPosition) -> list[int]:
        """Each seat's score, for a position without a due capture."""
        assert isinstance(search, ValuedPosition)
        bits, out, skipped, orders = search.bits, search.out, search.out - search.stewards, search.variant.turn_orders
        packed, turn, later = search.worth + _BIASES, search.turn, 0
        worths = [(packed & _MASK) - _BIAS, (packed >> FIELD & _MASK) - _BIAS, (packed >> 2 * FIELD) - _BIAS]
        for seat in (turn, *orders[turn][:-1]):
            army = search.army[seat]
            if not army or seat in out:
                worths[seat] = NO_PIECES_SCORE
                continue
            far = sorted(map(self.ways[seat].__getitem__, army))
            meeting = self.meeting[seat][far[0]]
            owner, third, _ = orders[seat]
            owners = 0 if owner in skipped else (bits[owner] & meeting).bit_count()
            thirds = 0 if third in skipped else (bits[third] & meeting).bit_count()
            race = self.race[later][far[0]]
            worths[seat] += race[min(MAX_MEETING, owners)][min(MAX_MEETING, thirds)]
            worths[seat] += self.seconds[later][far[1] if len(far) > 1 else MAX_DISTANCE]
            later += 1
        return worths


class ValuedPosition(SearchPosition):
    """A search position that keeps what its pieces are worth."""

    __slots__ = ("_values", "_worths", "worth")

    def __init__(self, position: Position, evaluation: CellEvaluation) -> None:
        super().__init__(position)
        self._values = values = evaluation.values
        self.worth = sum(values[code][cell] for cell, code in enumerate(self.cells))
        """The sum of the packed values of all pieces."""
        self._worths: list[int] = []

    def make(self, hop: Hop) -> None:
        """Plays a move, as in `SearchPosition`."""
        (start, to, captures), values, cells = hop, self._values, self.cells
        row = values[cells[start]]
        self._worths.append(self.worth)
        self.worth += row[to] - row[start]
        for cell in captures:
            self.worth -= values[cells[cell]][cell]
        super().make(hop)

    def unmake(self) -> None:
        """Takes the last move back."""
        super().unmake()
        self.worth = self._worths.pop()


@cache
def cell_evaluation_of(variant: Variant) -> CellEvaluation:
    """The evaluation with the tables of that variant. Raises FileNotFoundError if it has none."""
    return CellEvaluation(variant, read_weights(variant, part="-cells"))
