"""Symmetries of a variant: rotations and reflections of the board and its armies that keep the rules unchanged.

They are computed from the neighbours, the leaps and the castles of the board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from operator import itemgetter

from rules.basics import Move
from rules.board import Cell
from rules.position import PieceKind, Position, Seat, Variant, piece_code


@dataclass(frozen=True)
class Symmetry:
    """A rotation or reflection: for each cell its image, and for each seat its image."""

    cells: tuple[Cell, ...]
    seats: tuple[Seat, ...]

    def turn_position(self, position: Position) -> Position:
        """The position, rotated or reflected."""
        used = [0] * len(self.seats)
        for seat, image in enumerate(self.seats):
            used[image] = position.castle_moves[seat]
        return Position(
            position.variant,
            self.turn_pieces(position.cells),
            self.seats[position.turn],
            tuple(used),
            frozenset(self.seats[seat] for seat in position.out),
            frozenset(self.seats[seat] for seat in position.stewards),
        )

    def turn_pieces(self, cells: bytes) -> bytes:
        """The `cells` of a position, rotated or reflected."""
        return bytes(self._pick(cells.translate(self._codes)))

    def turn_move(self, move: Move) -> Move:
        """The same move in the position that `turn_position` returns."""
        return Move(tuple(self.cells[cell] for cell in move.path), tuple(self.cells[cell] for cell in move.captures))

    @cached_property
    def _pick(self) -> Callable[[bytes], tuple[int, ...]]:
        """A function that rearranges `cells` into the order of their images."""
        return itemgetter(*sorted(range(len(self.cells)), key=self.cells.__getitem__))

    @cached_property
    def _codes(self) -> bytes:
        """Translates the byte of each piece to the byte of its image."""
        after = bytearray(range(256))
        for seat, image in enumerate(self.seats):
            for kind in PieceKind:
                after[piece_code(seat, kind)] = piece_code(image, kind)
        return bytes(after)


@cache
def symmetries(variant: Variant) -> tuple[Symmetry, ...]:
    """Every symmetry of the variant, including the identity. Computed once, within milliseconds.

    >>> from rules import VARIANTS
    >>> {key: len(symmetries(variant)) for key, variant in VARIANTS.items() if key in ("camelot", "tri-camelot")}
    {'tri-camelot': 3, 'camelot': 4}
    """
    # The turn order must stay: seats may only be rotated.
    rotations = [(seat, *variant.turn_orders[seat][:-1]) for seat in variant.seats]
    return tuple(Symmetry(cells, seats) for seats in rotations for cells in _cell_maps(variant, seats))


def _cell_maps(variant: Variant, seats: tuple[Seat, ...]) -> Iterator[tuple[Cell, ...]]:
    """Yields every map of the cells that keeps neighbours and leaps, and maps castles as `seats` maps their armies."""
    near, between = variant.board.neighbours, variant.board.between
    roles_before, roles_after = _castle_roles(variant, tuple(variant.seats)), _castle_roles(variant, seats)
    order = _outwards(variant)
    image: dict[Cell, Cell] = {}

    def fits(cell: Cell, to: Cell) -> bool:
        return (
            to not in image.values()
            and len(near[cell]) == len(near[to])
            and roles_after[cell] == roles_before[to]
            and all(image[other] in near[to] for other in near[cell] if other in image)
        )

    def extend() -> Iterator[tuple[Cell, ...]]:
        if len(image) == len(order):
            if all(between.get((image[a], image[b])) == image[over] for (a, b), over in between.items()):
                yield tuple(image[cell] for cell in range(len(order)))
            return
        cell = order[len(image)]
        known = [image[other] for other in near[cell] if other in image]
        for to in near[known[0]] if known else range(len(order)):
            if fits(cell, to):
                image[cell] = to
                yield from extend()
                del image[cell]

    return extend()


def _castle_roles(variant: Variant, seats: tuple[Seat, ...]) -> list[list[tuple[str, Seat]]]:
    """For each cell, its roles as (kind of castle, image in `seats` of the seat it concerns)."""
    roles: list[list[tuple[str, Seat]]] = [[] for _ in variant.board.names]
    for seat, army in enumerate(variant.armies):
        for role, castle in (("own", army.castle), ("goal", army.goal), ("barred", army.barred)):
            for cell in castle:
                roles[cell].append((role, seats[seat]))
    return [sorted(role) for role in roles]


def _outwards(variant: Variant) -> list[Cell]:
    """All cells in breadth-first order from a castle: each but the first has a neighbour before it."""
    order = [min(variant.armies[0].castle)]
    for cell in order:
        order += [other for other in variant.board.neighbours[cell] if other not in order]
    return order
