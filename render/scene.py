"""A picture put together: board, pieces, the last move, marks and the side to move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

from PIL import Image

from render import signs
from render.board import empty_board
from render.ink import melt
from render.layout import Point, distance
from render.pieces import faded, hatched, tile_side, token
from render.sheet import Sheet, plan_of
from render.signs import Mark
from render.theme import Theme
from render.themes import LINEN
from rules import Move, Piece, PieceKind, Position, Seat
from rules.board import Cell

DEFAULT = LINEN


@dataclass(frozen=True)
class View:
    """Everything that a picture shows."""

    position: Position
    bottom: Seat
    """Whose army is at the bottom."""
    last_move: Move | None = None
    before: Position | None = None
    """The position before `last_move`: with it the captured pieces are shown as ghosts."""
    marks: tuple[Mark, ...] = ()
    theme: Theme = DEFAULT
    to_move: bool = True
    """Whether the side to move is shown; not when the game is over."""
    numbers: tuple[tuple[Cell, int], ...] = ()
    """Cells with the number (1 to 99) that is shown in a badge on them, beside the piece that stands there."""
    reachable: tuple[Cell, ...] = ()
    """Cells shown as those to which a piece may go next."""
    grown: Move | None = None
    """A move in the making from `position`, as `Turn.move` gives it: drawn as far as it goes, instead of `last_move`.

    The piece stands where the path ends, and what it has captured so far is faded. A path of one cell is the choice
    of a piece: its cell glows.
    """
    coordinates: bool = False
    """Whether every square bears its name, as every hexagon does in any case."""
    zoom: Cell | None = None
    """Shows only that cell and what is around it, larger (of boards with levels: on its level)."""


def paint(view: View, *, scale: float = 1) -> Image.Image:
    """The picture of a view, in palette mode; whole boards are enlarged by `scale`."""
    sheet = Sheet.of(view.position.variant, view.bottom, view.theme, view.coordinates, view.zoom, scale)
    easel = _easel(sheet)
    picture = empty_board(sheet).copy()
    move, pieces, before = _scene(view)
    if move:
        easel.put_traces(picture, move, before)
    finishes = {cell: _Finish.LIT if move and cell in (move.start, move.end) else _Finish.PLAIN for cell in pieces}
    finishes |= {cell: _Finish.PASSIVE for cell, piece in pieces.items() if piece.seat in view.position.out}
    for cell, piece in pieces.items():
        easel.put(picture, cell, piece, finishes[cell])
    if move:
        easel.put_trail(picture, move)
        for cell in easel.beside(move) & pieces.keys():  # the trail runs below the pieces, and above their shadows
            easel.put(picture, cell, pieces[cell], finishes[cell], shadow=False)
        easel.cross_out(picture, move, pieces)
    for cell in view.reachable:
        easel.put_target(picture, cell)
    for mark in view.marks:
        easel.put_mark(picture, mark)
    easel.rename(picture, move, {mark.cell for mark in view.marks})
    for cell, number in view.numbers:
        easel.put_number(picture, cell, number)
    easel.put_band(picture)
    if view.to_move:
        easel.light_medallion(picture, view.position.turn)
    return picture


def _scene(view: View) -> tuple[Move | None, dict[Cell, Piece], Mapping[Cell, Piece]]:
    """The move to be drawn, the pieces where they stand after it, and those that stood there before it."""
    pieces = view.position.pieces
    if not view.grown:
        return view.last_move, pieces, view.before.pieces if view.before else {}
    before = dict(pieces)
    mover = pieces.pop(view.grown.start)
    for captured in view.grown.captures:
        del pieces[captured]
    return view.grown, {**pieces, view.grown.end: mover}, before


class _Finish(Enum):
    """How a piece is painted: as it is, on a cell that glows, as the ghost of a captured one, or played by nobody."""

    PLAIN = 0
    LIT = 1
    GHOST = 2
    PASSIVE = 3


class _Along(NamedTuple):
    """The cells along a leg of a move: whose names its trail runs over, and on which it may touch a piece."""

    names: set[Cell]
    pieces: set[Cell]


class _Easel:
    """What is put on one empty board, with the tiles of its pieces as they come to be needed."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.variant = sheet.variant
        self.theme = theme = sheet.theme
        self.plan = plan_of(sheet)
        self.centres = [_pixel(place.centre) for place in self.plan.places]
        self.stands = [_pixel(place.stand) for place in self.plan.places]
        self.gauge = max(round(6 * self.plan.scale), round(self.plan.pitch / 12))
        self.glow = signs.glow(theme, self.plan)
        self.names = {label.cell: label.at for label in self.plan.labels if label.cell is not None}
        """Where names are written on cells; empty where they are at the edge of the board."""
        window = self.plan.window
        self.hidden = {cell for cell, at in enumerate(self.plan.places) if window and not window.meets(at.corners)}
        """The cells that are not in the picture."""
        # Filled as they are needed. Two threads may both make one: they make the same.
        self._near: dict[tuple[Cell, Cell], _Along] = {}
        self._melted: dict[tuple[bytes, Piece, _Finish], Image.Image] = {}
        self._tiles: dict[tuple[Cell, Piece, _Finish], Image.Image] = {}

    def put_traces(self, picture: Image.Image, move: Move, before: Mapping[Cell, Piece]) -> None:
        """Let the cells glow where a move began and ended, and show the ghosts of what it captured."""
        for cell in {move.start, move.end}:
            self.glow.put(picture, self.centres[cell])
        for cell in move.captures:
            if cell in before:
                self.put(picture, cell, before[cell], _Finish.GHOST)

    def put(self, picture: Image.Image, cell: Cell, piece: Piece, finish: _Finish, *, shadow: bool = True) -> None:
        """Paint a piece, or the ghost of one, on its cell."""
        if cell in self.hidden:
            return
        key = cell, piece, finish
        tile = self._tiles.get(key)
        if tile is None:
            tile = self._tiles[key] = self._tile(cell, piece, finish)
        cover, solid = _masks(self.theme, self.variant.armies[piece.seat].colour, piece.kind, self.plan.piece)
        picture.paste(tile, self._corner(cell), cover if shadow else solid)

    def _corner(self, cell: Cell) -> tuple[int, int]:
        x, y = self.stands[cell]
        half = tile_side(self.plan.piece) // 2
        return x - half, y - half

    def _tile(self, cell: Cell, piece: Piece, finish: _Finish) -> Image.Image:
        left, top = self._corner(cell)
        side = tile_side(self.plan.piece)
        ground = empty_board(self.sheet).crop((left, top, left + side, top + side))
        if finish is _Finish.LIT:
            x, y = self.centres[cell]
            self.glow.put(ground, (x - left, y - top))
        look = _Finish.PLAIN if finish is _Finish.LIT else finish
        key = ground.tobytes(), piece, look
        if key not in self._melted:  # squares of one tone look alike, and so do the pieces on them
            cut = hatched if finish is _Finish.PASSIVE else token
            sprite = cut(self.theme, self.variant.armies[piece.seat].colour, piece.kind, self.plan.piece)
            self._melted[key] = melt(ground, faded(sprite) if finish is _Finish.GHOST else sprite, self.theme)
        return self._melted[key]

    def put_trail(self, picture: Image.Image, move: Move) -> None:
        """Paint the path of a move, through every landing, up to the rim of the piece at its end."""
        if len(move.path) == 1:
            return
        last = len(move.path) - 2
        for index, leg in enumerate(pairwise(move.path)):
            (x1, y1), (x2, y2) = (self.stands[cell] for cell in leg)
            dashed = self._level(leg[0]) != self._level(leg[1])
            stamp = signs.leg(self.theme, x2 - x1, y2 - y1, self.gauge, self._tip(leg) if index == last else 0, dashed)
            stamp.put(picture, ((x1 + x2) // 2, (y1 + y2) // 2))
        signs.dot(self.theme, self.gauge).put(picture, self.stands[move.start])

    def beside(self, move: Move) -> set[Cell]:
        """The cells on which the trail of a move may touch a piece."""
        return set().union(*(self._along(leg).pieces for leg in pairwise(move.path)))

    def _tip(self, leg: tuple[Cell, Cell]) -> int:
        """How far from the centre of the piece at its end an arrow stops: at the rim, or before the cell's name."""
        end = leg[1]
        if end not in self._along(leg).names:
            return round(self.plan.piece * 0.5)
        return round(self.plan.places[end].stand.y - self.names[end].y + self.plan.naming * 0.55)

    def rename(self, picture: Image.Image, move: Move | None, marked: set[Cell]) -> None:
        """Write those names of cells once more that a mark covers or the trail of a move has run over."""
        hidden = marked.union(*(self._along(leg).names for leg in pairwise(move.path))) if move else marked
        for cell in hidden & self.names.keys():
            text = self.variant.board.names[cell]
            signs.name(self.theme, text, self.plan.naming).put(picture, _pixel(self.names[cell]))

    def _along(self, leg: tuple[Cell, Cell]) -> _Along:
        """What the trail of a leg comes near; looked for once a leg."""
        if leg not in self._near:
            ends = self.plan.places[leg[0]].stand, self.plan.places[leg[1]].stand
            touching = (
                tile_side(self.plan.piece) * sqrt(0.5) + 3 * self.gauge
            )  # half a tile's diagonal, half an arrowhead
            self._near[leg] = _Along(
                {cell for cell, at in self.names.items() if distance(at, ends) < self.plan.naming * 0.8},
                {cell for cell, place in enumerate(self.plan.places) if distance(place.stand, ends) < touching},
            )
        return self._near[leg]

    def _level(self, cell: Cell) -> tuple[int, ...]:
        return self.variant.board.vectors[cell][2:]

    def cross_out(self, picture: Image.Image, move: Move, pieces: dict[Cell, Piece]) -> None:
        """Cross out what a move captured; where another piece stands by now, small and beside it."""
        size = round(self.plan.piece * 0.42)
        for cell in move.captures:
            x, y = self.stands[cell]
            if cell in pieces:
                signs.cross(self.theme, size // 2).put(picture, (x + size, y + size))
            else:
                signs.cross(self.theme, size).put(picture, (x, y))

    def put_mark(self, picture: Image.Image, mark: Mark) -> None:
        """Point at a cell."""
        signs.mark(self.theme, self.plan, mark.kind).put(picture, self.centres[mark.cell])

    def put_target(self, picture: Image.Image, cell: Cell) -> None:
        """Show that a piece may go to a cell."""
        signs.target(self.theme, round(self.plan.pitch * 0.44)).put(picture, self.stands[cell])

    def put_number(self, picture: Image.Image, cell: Cell, number: int) -> None:
        """Put a number on the lower right of the piece on a cell, where its emblem stays to be seen."""
        x, y = self.stands[cell]
        away = round(self.plan.piece * 0.39)
        signs.badge(self.theme, number, max(29, round(self.plan.pitch * 0.46))).put(picture, (x + away, y + away))

    def put_band(self, picture: Image.Image) -> None:
        """Cover what runs out of the window of a part of the board."""
        if self.plan.window:
            left, top, right, bottom = self.plan.window
            width, height = picture.size
            board = empty_board(self.sheet)
            sides = (0, 0, width, top), (0, bottom, width, height), (0, top, left, bottom), (right, top, width, bottom)
            for side in sides:
                picture.paste(board.crop(side), side)

    def light_medallion(self, picture: Image.Image, seat: Seat) -> None:
        """Light the medallion of the side to move."""
        home = self.plan.homes[seat]
        colour = self.variant.armies[seat].colour
        signs.lamp(self.theme, colour, round(home.radius)).put(picture, _pixel(home.at))


@lru_cache(maxsize=32)
def _easel(sheet: Sheet) -> _Easel:
    return _Easel(sheet)


@lru_cache(maxsize=64)
def _masks(theme: Theme, colour: str, kind: PieceKind, diameter: int) -> tuple[Image.Image, Image.Image]:
    """Where the picture of a piece covers the board: with its shadow, and without."""
    alpha = token(theme, colour, kind, diameter).getchannel("A")
    cover, solid = (alpha.point(lambda value, least=least: 255 if value >= least else 0) for least in (6, 160))
    return cover, solid


def _pixel(at: Point) -> tuple[int, int]:
    return round(at.x), round(at.y)
