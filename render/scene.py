"""Paints a whole picture: board, pieces, the last move, marks and the side to move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import dist, hypot
from typing import NamedTuple, TypeVar

from PIL import Image

from render import signs
from render.board_drawing import empty_board
from render.framing import EmptyBoard, part_around, part_with, plan_of
from render.geometry import Point, distance
from render.pieces import PieceStyle, ghost_piece, hatched_piece, piece_masks, piece_picture, tile_side
from render.signs import Mark
from render.theme import THEMES, Theme
from rules import Move, Piece, Position, Seat
from rules.board import Cell

T = TypeVar("T")

DEFAULT_THEME = THEMES["default"]


@dataclass(frozen=True)
class View:
    """The content of a picture."""

    position: Position
    bottom: Seat = 0
    """The seat whose army is at the bottom: the first one on public boards."""
    last_move: Move | None = None
    before: Position | None = None
    """The position before `last_move`. If given, the captured pieces are shown faded."""
    chain: tuple[tuple[Position, Move], ...] = ()
    """Several latest moves, each with the position before it; drawn with numbers, instead of `last_move`."""
    marks: tuple[Mark, ...] = ()
    theme: Theme = DEFAULT_THEME
    to_move: bool = True
    """Whether to show the side to move; false if the game is over."""
    numbers: tuple[tuple[Cell, int], ...] = ()
    """By cell, a number (1 to 99) to show in a badge on its piece."""
    reachable: tuple[Cell, ...] = ()
    """The cells to choose from for the next landing, numbered from 1 in this order.

    Of a board of small cells, only the part with the numbers to choose from is shown, enlarged.
    """
    in_sight: tuple[Cell, ...] = ()
    """Cells that this part has to hold, too."""
    grown: Move | None = None
    """A move in the making from `position`, as `Turn.move` returns it; drawn instead of `last_move`.

    The piece stands at the end of the path; its captures so far are faded. A path of one cell is a chosen piece, whose
    cell glows.
    """
    reader: Seat | None = None
    """The seat of a private board's reader, for boards as text. None on public boards, and for who has no side."""
    zoom: Cell | None = None
    """If given, shows only the surroundings of that cell (on its level), enlarged."""

    @property
    def shown_position(self) -> Position:
        """The position, with the piece of a move in the making where it stands now."""
        return replace(self.position.after_move(self.grown), turn=self.position.turn) if self.grown else self.position


def run_steps(steps: Generator[None, None, T]) -> T:
    """What the generator returns."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


def paint_view(view: View, *, scale: float = 1) -> Image.Image:
    """The picture of a view (mode P); whole boards are enlarged by `scale`."""
    return run_steps(paint_in_steps(view, scale=scale))


def paint_in_steps(view: View, *, scale: float = 1) -> Generator[None, None, Image.Image]:
    """A generator that paints a few signs per step and returns the picture of `paint_view`.

    Forty long moves on one board take most of a second.
    """
    sheet = sheet_of(view, scale)
    board = yield from empty_board(sheet)
    easel = _SceneCanvas(sheet, board)
    drawn, pieces = _moves_and_pieces(view)
    if easel.plan.windows and easel.plan.headings:  # cells beyond the windows of levels lie nowhere
        drawn = [(before, move) for before, move in drawn if _cells_of(view, move) <= {*sheet.part}]
    ends = {cell for _, move in drawn for cell in (move.start, move.end)}
    yield from easel.put_traces(ends, drawn)
    tiles = {}
    for cell, piece in pieces.items():
        style = hatched_piece if piece.seat in view.position.out else piece_picture
        tiles[cell] = tile = easel.make_tile(cell, piece, style, lit=cell in ends)
        easel.put_tile(cell, tile.picture, tile.cover)
        yield
    for _, move in drawn:
        yield from easel.put_trail(move)
    if drawn:
        for cell, tile in tiles.items():  # the trail runs below the pieces, and above their shadows
            easel.put_tile(cell, tile.picture, tile.solid)
        for _, move in drawn:
            easel.cross_out(move, pieces)
            yield
    for number, cell in enumerate(view.reachable, start=1):
        easel.put_target(cell, number)
        yield
    for cell, kind in view.marks:
        stamp = signs.mark_stamp(easel.theme, easel.plan, kind)
        stamp.put_on(easel.picture, _round_point(easel.plan.areas[cell].centre))
    easel.put_names({mark.cell for mark in view.marks}.union(*(easel.names_below(move) for _, move in drawn)))
    for cell, number in view.numbers:
        easel.put_number(cell, number)
        yield
    if view.chain:
        yield from easel.put_move_numbers([move for _, move in drawn], pieces)
    easel.put_band()
    if view.to_move:
        easel.light_medallion(view.position.turn)
    return easel.picture


def sheet_of(view: View, scale: float = 1) -> EmptyBoard:
    """The empty board of a view, equal for all that look alike."""
    variant, part = view.position.variant, _part_shown(view)
    return EmptyBoard(variant, view.bottom, view.theme, part, 1 if part else scale)


def _part_shown(view: View) -> tuple[Cell, ...]:
    """The cells of the part of the board to show, with the last move if a part with large cells holds it too; none for
    the whole board.
    """
    if view.zoom is not None:
        return part_around(view.position.variant, view.zoom)
    if not view.numbers and not view.reachable:
        return ()
    cells = {*(cell for cell, _ in view.numbers), *view.reachable, *view.in_sight, *(mark.cell for mark in view.marks)}
    choice = frozenset(cells.union(_cells_of(view, view.grown) if view.grown else ()))
    last = _cells_of(view, view.last_move) if view.last_move and not view.grown else ()
    part, larger = (part_with(view.position.variant, some) for some in (choice, choice.union(last)))
    plan = plan_of(EmptyBoard(view.position.variant, view.bottom, view.theme, larger))
    return part if plan.has_small_cells else larger


def _cells_of(view: View, move: Move) -> set[Cell]:
    """The cells of a move and those that it leaps over."""
    over = (view.position.variant.board.between.get(leg) for leg in pairwise(move.path))
    return {*move.path, *(cell for cell in over if cell is not None)}


DrawnMoves = list[tuple[Mapping[Cell, Piece], Move]]
"""The moves to draw, each with the pieces before it."""


def _moves_and_pieces(view: View) -> tuple[DrawnMoves, dict[Cell, Piece]]:
    """The moves to draw, and the pieces by cell after them."""
    pieces = view.position.pieces
    if view.chain:
        return [(before.pieces, move) for before, move in view.chain], pieces
    if not view.grown:
        return [(view.before.pieces if view.before else {}, view.last_move)] if view.last_move else [], pieces
    return [(pieces, view.grown)], view.shown_position.pieces


class _PieceTile(NamedTuple):
    """The picture of a piece on its cell, and the masks of the piece with its shadow and without it."""

    picture: Image.Image
    cover: Image.Image
    solid: Image.Image


class _SceneCanvas:
    """Paints a picture onto an empty board."""

    def __init__(self, sheet: EmptyBoard, board: Image.Image) -> None:
        self.variant = sheet.variant
        self.theme = sheet.theme
        self.plan = plan = plan_of(sheet)
        self.board = board
        self.picture = self.board.copy()
        self.gauge = round(max(plan.letter_size * 0.22, plan.pitch / 11))
        self.glow = signs.glow_stamp(self.theme, plan)
        self.names = {label.cell: label.at for label in plan.labels if label.cell is not None}
        """The labels on cells; empty if all labels are at the edge of the board."""

    def _places_of_badge(self, size: int) -> list[Point]:
        """From where a piece stands, the places of a badge of that diameter inside its cell."""
        lift = self.plan.areas[0].centre.y - self.plan.areas[0].stand.y
        return [Point(x, y + lift) for x, y in signs.badge_places(self.plan, size)]

    def put_traces(self, ends: Iterable[Cell], drawn: DrawnMoves) -> Iterator[None]:
        """Paints a glow on the cells where moves began and ended, and the captured pieces faded, in steps."""
        for cell in ends:
            self.glow.put_on(self.picture, _round_point(self.plan.areas[cell].centre))
        for before, move in drawn:
            for cell in filter(before.__contains__, move.captures):
                ghost = self.make_tile(cell, before[cell], ghost_piece)
                self.put_tile(cell, ghost.picture, ghost.cover)
                yield

    def make_tile(self, cell: Cell, piece: Piece, cut: PieceStyle, *, lit: bool = False) -> _PieceTile:
        """The tile of a piece on its cell, in one of the styles of `render.pieces`."""
        left, top = self._tile_corner(cell)
        side = tile_side(self.plan.piece)
        ground = self.board.crop((left, top, left + side, top + side))
        if lit:
            x, y = _round_point(self.plan.areas[cell].centre)
            self.glow.put_on(ground, (x - left, y - top))
        looks = self.theme, self.variant.armies[piece.seat].colour, piece.kind, self.plan.piece
        return _PieceTile(self.theme.palette.blend_sprite(ground, cut(*looks)), *piece_masks(*looks))

    def put_tile(self, cell: Cell, tile: Image.Image, mask: Image.Image) -> None:
        """Paints a tile on its cell through the mask."""
        self.picture.paste(tile, self._tile_corner(cell), mask)

    def _tile_corner(self, cell: Cell) -> tuple[int, int]:
        x, y = self._stand_pixel(cell)
        half = tile_side(self.plan.piece) // 2
        return x - half, y - half

    def _stand_pixel(self, cell: Cell) -> tuple[int, int]:
        return _round_point(self.plan.areas[cell].stand)

    def put_trail(self, move: Move) -> Iterator[None]:
        """Paints the path of a move through every landing, up to the rim of the piece at its end, in steps."""
        legs = [part for leg in pairwise(move.path) for part in self._parts_of_leg(leg)]
        for leg in legs:
            (x1, y1), (x2, y2) = map(self._stand_pixel, leg)
            dashed = self._level_of(leg[0]) != self._level_of(leg[1])
            tip = round(self.plan.piece * 0.5) if leg is legs[-1] else 0
            stamp = signs.leg_stamp(self.theme, x2 - x1, y2 - y1, self.gauge, tip, dashed)
            stamp.put_on(self.picture, ((x1 + x2) // 2, (y1 + y2) // 2))
            yield
        signs.start_stamp(self.theme, self.gauge).put_on(self.picture, self._stand_pixel(move.start))

    def _parts_of_leg(self, leg: tuple[Cell, Cell]) -> list[tuple[Cell, Cell]]:
        """The straight parts of a leg: a leap between levels bends at the cell that it passes."""
        over = self.variant.board.between.get(leg)
        if over is None or self._level_of(leg[0]) == self._level_of(leg[1]):
            return [leg]
        return [(leg[0], over), (over, leg[1])]

    def names_below(self, move: Move) -> Iterator[Cell]:
        """Yields the cells whose names lie below the path of a move, but not near its arrowhead."""
        *_, end = stands = [self.plan.areas[cell].stand for cell in move.path]
        for line in pairwise(stands):  # only those straight up and down cross names
            for cell, at in self.names.items():
                if abs(at.x - line[0].x) < 1 and distance(at, line) < 1 and dist(at, end) > self.plan.pitch:
                    yield cell

    def put_names(self, covered: set[Cell]) -> None:
        """Writes the names of those cells again, over marks and paths."""
        for cell in covered & self.names.keys():
            text = self.variant.board.names[cell]
            signs.name_stamp(self.theme, text, self.plan.name_size).put_on(self.picture, _round_point(self.names[cell]))

    def _level_of(self, cell: Cell) -> tuple[int, ...]:
        return self.variant.board.vectors[cell][2:]

    def cross_out(self, move: Move, pieces: dict[Cell, Piece]) -> None:
        """Crosses out the captured pieces of a move; small and beside the piece if another one stands there now."""
        size = round(self.plan.piece * 0.42)
        for cell in move.captures:
            (x, y), aside = self._stand_pixel(cell), size if cell in pieces else 0
            signs.cross_stamp(self.theme, size // 2 if aside else size).put_on(self.picture, (x + aside, y + aside))

    def put_target(self, cell: Cell, number: int) -> None:
        """Marks a cell as a possible next landing, with its number."""
        size = round(max(self.plan.letter_size * 1.5, self.plan.pitch * 0.5))
        signs.target_stamp(self.theme, number, size).put_on(self.picture, self._stand_pixel(cell))

    def put_number(self, cell: Cell, number: int) -> None:
        """Puts a number into the corner of a cell, over the rim of its piece."""
        size, (x, y) = self.plan.piece_badge_size, self._stand_pixel(cell)
        dx, dy = self._places_of_badge(size)[0]
        self._put_badge(number, (x + dx, y + dy), size)

    def put_move_numbers(self, moves: Sequence[Move], pieces: Mapping[Cell, Piece]) -> Iterator[None]:
        """Numbers the moves at their starts, in steps: below the arrow, or beside the piece that stands there now.

        A number that would lie on another one takes the next free corner, or a place along its arrow; if none is free,
        the place farthest from other numbers.
        """
        counted: Counter[Cell] = Counter()
        taken: list[tuple[float, float]] = []
        size = self.plan.badge_size
        corners = self._places_of_badge(size)
        for number, move in enumerate(moves, 1):
            (x1, y1), (x2, y2) = (self._stand_pixel(cell) for cell in move.path[:2])
            share = self.plan.pitch * 0.24 / (hypot(x2 - x1, y2 - y1) or 1)
            shifts = [Point((x1 - x2) * share, (y1 - y2) * share), *corners]
            first = min(counted[move.start] + (move.start in pieces), len(corners))
            beside = [(x1 + shift.x, y1 + shift.y) for shift in (*shifts[first:], *corners[: max(first - 1, 0)])]
            along = [((x1 + x2) / 2, (y1 + y2) / 2), *((x2 + shift.x, y2 + shift.y) for shift in corners)]
            places = [*beside, *along]
            place = max(places, key=lambda at: min([size, *(dist(at, other) for other in taken)]))
            self._put_badge(number, place, size)
            counted[move.start] += 1
            taken.append(place)
            yield

    def _put_badge(self, number: int, at: tuple[float, float], size: int) -> None:
        signs.badge_stamp(self.theme, number, size).put_on(self.picture, (round(at[0]), round(at[1])))

    def put_band(self) -> None:
        """Covers everything that reaches out of the window of a part of the board. Paths between windows do."""
        if len(self.plan.windows) == 1:
            (window,) = self.plan.windows
            inside = self.picture.crop(window)
            self.picture = self.board.copy()
            self.picture.paste(inside, window)

    def light_medallion(self, seat: Seat) -> None:
        """Paints the lit medallion of the side to move."""
        home = self.plan.medallions[seat]
        colour = self.variant.armies[seat].colour
        signs.lit_medallion_stamp(self.theme, colour, round(home.radius)).put_on(self.picture, _round_point(home.at))


def _round_point(at: Point) -> tuple[int, int]:
    return round(at.x), round(at.y)
