"""The static evaluation of three players by fitted tables: what a piece on each cell is worth to each seat.

A piece counts for its owner, for the seat whose castle it attacks, and for the third. The race to the castle is a table
by turn order, the steps left, and how many pieces of the two others may meet the foremost one. The tables are a softmax
regression of the winner on the quiet positions of 16,000 games of the engine against itself (docs/engine.md);
`python -m engine fit` goes on from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from engine.evaluation import read_weights
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


@dataclass(frozen=True)
class CellTables:
    """Log-odds of winning, in hundredths."""

    pieces: list[list[list[int]]]
    """By whose piece it is (the seat's own, that of the next seat, of the one after it), its kind, and its cell."""
    race: list[list[list[list[int]]]]
    """By turns until the seat moves, steps left, pieces of the castle's owner and of the third that may meet it."""
    second: list[list[int]]
    """By turns until the seat moves, and steps left of its second piece."""
    turned: list[list[int]]
    """By seat and cell, the cell of `pieces` that it is for that seat, as if each sat in the first one's place."""


class CellEvaluation(RaceEvaluation):
    """A variant's tables, prepared for the search."""

    def __init__(self, variant: Variant, tables: CellTables) -> None:
        super().__init__(variant, race_weights_of(variant))
        self.tables = tables
        self.values = [[0] * len(variant.board.names) for _ in range(1 + 2 * len(variant.armies))]
        """By code and cell, what a piece there is worth to each seat, packed: an addition updates all sums."""
        for owner, codes in enumerate(variant.piece_codes):
            for kind, code in enumerate(codes):
                for seat, turned in enumerate(tables.turned):
                    pieces = tables.pieces[(owner - seat) % len(variant.armies)][kind]
                    for cell, there in enumerate(turned):
                        self.values[code][cell] += pieces[there] << FIELD * seat

    def worth_by_seat(self, search: SearchPosition) -> list[int]:
        """Each seat's score, for a position without a due capture."""
        assert isinstance(search, ValuedPosition)
        packed, race, second = search.worth + _BIASES, self.tables.race, self.tables.second
        worths = [NO_PIECES_SCORE] * len(self.ways)
        for later, (seat, far, next_far, owners, thirds) in enumerate(self.list_races(search)):
            worths[seat] = (packed >> FIELD * seat & _MASK) - _BIAS + second[later][next_far]
            worths[seat] += race[later][far][min(MAX_MEETING, owners)][min(MAX_MEETING, thirds)]
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


def cell_tables_of(variant: Variant) -> CellTables:
    """The tables of that variant. Raises FileNotFoundError if it has none."""
    return CellTables(**read_weights(variant, part="-cells"))


@cache
def cell_evaluation_of(variant: Variant) -> CellEvaluation:
    """The evaluation with the tables of that variant. Raises FileNotFoundError if it has none."""
    return CellEvaluation(variant, cell_tables_of(variant))
