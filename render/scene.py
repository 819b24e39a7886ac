"""A picture put together: board, pieces, the last move, marks and the side to move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import hypot

from PIL import Image

from render import signs
from render.board import empty_board
from render.ink import melt
from render.layout import Layout, Point, layout
from render.pieces import faded, tile_side, token
from render.signs import Mark
from render.theme import LINEN, Theme
from rules.board import Cell
from rules.position import Move, Piece, Position, Seat, Variant

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


def paint(view: View) -> Image.Image:
    """The picture of a view, in palette mode."""
    easel = _easel(view.position.variant, view.bottom, view.theme)
    picture = empty_board(easel.variant, easel.bottom, easel.theme).copy()
    move = view.last_move
    trodden = {move.start, move.end} if move else set()
    for cell in trodden:
        easel.tint.put(picture, _pixel(easel.plan.places[cell].centre))
    pieces = view.position.pieces
    if move and view.before:
        for cell in move.captures:
            if cell not in pieces:
                easel.put_piece(picture, cell, view.before.pieces[cell], ghost=True)
    for cell, piece in pieces.items():
        easel.put_piece(picture, cell, piece, tinted=cell in trodden)
    if move:
        easel.put_trail(picture, move, view.position)
    for mark in view.marks:
        stamp = signs.mark(view.theme, easel.plan, mark.kind)
        stamp.put(picture, _pixel(easel.plan.places[mark.cell].centre))
    if view.to_move:
        easel.put_badge(picture, view.position.turn)
    return picture


class _Easel:
    """One variant seen by one seat in one theme, with the tiles of its pieces as they come to be needed."""

    def __init__(self, variant: Variant, bottom: Seat, theme: Theme) -> None:
        self.variant = variant
        self.bottom = bottom
        self.theme = theme
        self.plan: Layout = layout(variant, bottom)
        self.tint = signs.tint(theme, self.plan)
        self.gauge = max(6, round(self.plan.pitch / 9))
        self._tiles: dict[tuple[Cell, Piece, bool, bool], Image.Image] = {}

    def put_piece(
        self, picture: Image.Image, cell: Cell, piece: Piece, *, ghost: bool = False, tinted: bool = False
    ) -> None:
        """Paint a piece, or the ghost of one, on its cell."""
        key = cell, piece, ghost, tinted
        tile = self._tiles.get(key)
        if tile is None:  # two threads may both make it: they make the same
            tile = self._tiles[key] = self._tile(cell, piece, ghost=ghost, tinted=tinted)
        picture.paste(tile, self._corner(cell))

    def _corner(self, cell: Cell) -> tuple[int, int]:
        x, y = _pixel(self.plan.places[cell].stand)
        half = tile_side(self.plan.piece) // 2
        return x - half, y - half

    def _tile(self, cell: Cell, piece: Piece, *, ghost: bool, tinted: bool) -> Image.Image:
        left, top = self._corner(cell)
        side = tile_side(self.plan.piece)
        ground = empty_board(self.variant, self.bottom, self.theme).crop((left, top, left + side, top + side))
        if tinted:
            x, y = _pixel(self.plan.places[cell].centre)
            self.tint.put(ground, (x - left, y - top))
        sprite = token(self.theme, self.variant.armies[piece.seat].colour, piece.kind, self.plan.piece)
        return melt(ground, faded(sprite) if ghost else sprite, self.theme)

    def put_trail(self, picture: Image.Image, move: Move, position: Position) -> None:
        """Paint the path of a move and cross out what it captured."""
        stands = [_pixel(self.plan.places[cell].stand) for cell in move.path]
        last = len(stands) - 2
        for index, (start, end) in enumerate(pairwise(stands)):
            dx, dy = end[0] - start[0], end[1] - start[1]
            tip = min(round(self.plan.piece * 0.5), round(hypot(dx, dy) * 0.5)) if index == last else 0
            stamp = signs.leg(self.theme, dx, dy, self.gauge, tip)
            stamp.put(picture, ((start[0] + end[0]) // 2, (start[1] + end[1]) // 2))
        signs.dot(self.theme, self.gauge).put(picture, stands[0])
        for cell in move.captures:
            if position.cells[cell]:  # somebody has landed there since: a small cross in the corner
                x, y = _pixel(self.plan.places[cell].stand.moved(self.plan.piece * 0.4, self.plan.piece * 0.4))
                signs.cross(self.theme, round(self.plan.piece * 0.2)).put(picture, (x, y))
            else:
                signs.cross(self.theme, round(self.plan.piece * 0.5)).put(
                    picture, _pixel(self.plan.places[cell].stand)
                )

    def put_badge(self, picture: Image.Image, seat: Seat) -> None:
        """Show that it is this side's turn, beside its castle."""
        home = self.plan.homes[seat]
        colour = self.variant.armies[seat].colour
        signs.badge(self.theme, colour, home.inward, round(self.plan.piece * 0.9)).put(picture, _pixel(home.at))


@lru_cache(maxsize=32)
def _easel(variant: Variant, bottom: Seat, theme: Theme) -> _Easel:
    return _Easel(variant, bottom, theme)


def _pixel(at: Point) -> tuple[int, int]:
    return round(at.x), round(at.y)
