"""Games as moving pictures: `render_gif(Replay(origin, plies, bottom=seat))` gives an animated GIF."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageChops, ImageDraw
from PIL.GifImagePlugin import getdata, getheader

from render.pieces import tile_side, token, within
from render.scene import DEFAULT, View, paint
from render.shapes import font
from render.theme import Theme
from rules import Move, PieceKind, Position, Seat, Variant, format_move
from rules.board import SIX_WAYS

BEGIN, LEG, PLY, END = 1000, 450, 850, 4000
"""How long, in milliseconds, the position before the first move is shown, a landing on the way, a move, the end."""
_LINE = 34
"""Height of the line below the board, in pixels."""
_LETTER = 24
_MARGIN = 60
"""Where that line begins: Discord lays its sign for a described picture over the corner."""


class Ply(NamedTuple):
    """A move that was played, and the position after it."""

    move: Move
    after: Position


@dataclass(frozen=True)
class Replay:
    """What a moving picture shows: some moves of a game, one after the other."""

    origin: Position
    """The position before the first of the moves."""
    plies: Sequence[Ply]
    bottom: Seat
    """Whose army is at the bottom, all the time."""
    first: int = 1
    """The number of the first of the moves, counted from 1."""
    theme: Theme = DEFAULT


def render_gif(replay: Replay) -> bytes:
    """The moves as an animated GIF at most about 500 pixels wide, a frame a leg, repeated without end.

    Captured pieces are faded while the move lasts. Below the board: whose move it is, its number, and the move as far
    as it has gone. Pure and thread-safe; keep it off the event loop.
    """
    steps = render_gif_in_steps(replay)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            gif: bytes = end.value
            return gif


def render_gif_in_steps(replay: Replay) -> Generator[None, None, bytes]:
    """The same as what a generator returns that draws one frame at each step, for who has others waiting."""
    frames = _frames(replay)
    last, duration = next(frames)
    # Pillow's own way to save moving pictures keeps every frame until the end: 150 MB for a long game.
    head, _ = getheader(last, info={"loop": 0})
    parts = [*head, *getdata(last, duration=duration, disposal=1)]
    yield
    for picture, duration in frames:
        change = ImageChops.subtract_modulo(last, picture)
        box = change.getbbox()
        assert box, "the line below the board differs at least"
        last = picture.copy()
        picture.paste(_CLEAR, mask=within(change, 0, 1))
        parts += getdata(picture.crop(box), box[:2], duration=duration, disposal=1, transparency=_CLEAR)
        yield
    return b"".join((*parts, b";"))


_CLEAR = 255
"""The index that means: as in the frame before. No palette has that many colours."""


class Frame(NamedTuple):
    """A picture, and for how many milliseconds it is shown."""

    picture: Image.Image
    duration: int


def _frames(replay: Replay) -> Iterator[Frame]:
    """The position before the moves, then every landing of every move."""
    theme, bottom = replay.theme, replay.bottom
    position = replay.origin
    begun = View(position, bottom, theme=theme, to_move=False)  # who moves is said below the board
    yield Frame(_with_line(begun, None), BEGIN if replay.plies else END)
    for index, (move, after) in enumerate(replay.plies):
        number = replay.first + index
        mover = position.pieces[move.start].seat  # not position.turn: that player may have left before the move
        for grown in _growing(move, position.variant):
            view = replace(begun, position=position, grown=grown)
            yield Frame(_with_line(view, _Line(number, mover, grown)), LEG)
        end = index == len(replay.plies) - 1
        view = replace(begun, position=after, last_move=move, before=position)
        yield Frame(_with_line(view, _Line(number, mover, move)), END if end else PLY)
        position = after


def _growing(move: Move, variant: Variant) -> Iterator[Move]:
    """The move after each of its legs but the last."""
    taken = 0
    for legs in range(1, len(move.path) - 1):
        over = variant.board.between.get((move.path[legs - 1], move.path[legs]))
        taken += taken < len(move.captures) and move.captures[taken] == over
        yield Move(move.path[: legs + 1], move.captures[:taken])


class _Line(NamedTuple):
    """What is written below the board: the number of a move, whose it is, and how far it has gone."""

    number: int
    seat: Seat
    move: Move


def _with_line(view: View, line: _Line | None) -> Image.Image:
    """The board with a line below it (P mode)."""
    variant, theme = view.position.variant, view.theme
    board = paint(view, scale=scale_of(variant))
    picture = Image.new("P", (board.width, board.height + _LINE), theme.palette.colours.index(theme.table))
    picture.putpalette(theme.palette.flat)
    picture.paste(board, (0, 0))
    if line is None:
        return picture
    middle = board.height + _LINE // 2 - 1
    emblem = _emblem(theme, variant.armies[line.seat].colour)
    picture.paste(emblem, (_MARGIN, middle - emblem.height // 2))
    x = _MARGIN + emblem.width + 6
    room = board.width - x - 12
    for glyph in _fitting(theme, f"{line.number}.", format_move(line.move, variant.board), room):
        picture.paste(glyph, (x, middle - glyph.height // 2))
        x += glyph.width
    return picture


def _fitting(theme: Theme, number: str, words: str, room: int) -> list[Image.Image]:
    """The letters of a line. Of a move that is too long for it, the landings at the end."""
    start = [_glyph(theme, letter) for letter in f"{number} "]
    glyphs = [_glyph(theme, letter) for letter in words]
    more = _glyph(theme, "…")
    room -= sum(glyph.width for glyph in start)
    if sum(glyph.width for glyph in glyphs) <= room:
        return start + glyphs
    begin = len(glyphs)
    room -= more.width
    width = 0
    for index in range(len(glyphs) - 1, 0, -1):
        width += glyphs[index].width
        if width > room:
            break
        if words[index] in "-x":  # a landing is named in full, with the sign of how it was reached
            begin = index
    return [*start, more, *glyphs[begin:]]


@lru_cache(maxsize=256)
def _glyph(theme: Theme, letter: str) -> Image.Image:
    """A letter or a digit on the table (P mode), as wide as it is to be set."""
    face = font(_LETTER * 4)
    picture = Image.new("RGB", (round(face.getlength(letter) / 4) * 4, _LETTER * 4), theme.table)
    height = -face.getbbox("H", anchor="ls")[1]
    draw = ImageDraw.Draw(picture)
    draw.text((0, picture.height / 2 + height / 2), letter, fill=theme.ink, font=face, anchor="ls")
    return theme.palette.indexed(picture.reduce(4))


@lru_cache(maxsize=32)
def _emblem(theme: Theme, colour: str) -> Image.Image:
    """The Knight of a side on the table (P mode)."""
    size = round(_LINE * 0.76)
    table = Image.new("RGB", (tile_side(size),) * 2, theme.table)
    return theme.palette.melt(theme.palette.indexed(table), token(theme, colour, PieceKind.KNIGHT, size))


def scale_of(variant: Variant) -> float:
    """How much smaller than in a still picture a board is drawn; three levels side by side need more room."""
    if variant.board.directions == SIX_WAYS:
        return 0.5
    return 0.55 if len(variant.board.vectors[0]) == 3 else 0.5
