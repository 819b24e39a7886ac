"""Animations of games: `render_gif(Replay(origin, plies, bottom=seat))` returns an animated GIF."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageChops, ImageDraw
from PIL.GifImagePlugin import getdata, getheader

from render.layout import layout_of
from render.pieces import mask_between, piece_picture, tile_side
from render.scene import DEFAULT_THEME, View, paint_in_steps, run_steps
from render.shapes import load_font
from render.theme import Theme
from rules import Move, PieceKind, Position, Seat, Variant, format_move

BEGIN, LEG, PLY, END = 1000, 450, 850, 4000
"""Milliseconds for which the first position, an intermediate landing, a completed move and the end are shown."""
_CAPTION_HEIGHT = 34
"""Height of the line below the board, in pixels."""
_CAPTION_LETTER_SIZE = 24
_MIN_WIDTH = 352
"""Of a replay, in pixels."""
_CAPTION_MARGIN = 60
"""Left margin of that line: Discord lays its badge for pictures with a description over the corner."""


class ReplayPly(NamedTuple):
    """A played move and the position after it."""

    move: Move
    after: Position


@dataclass(frozen=True)
class Replay:
    """The content of an animation: consecutive moves of a game."""

    origin: Position
    """The position before the first move."""
    plies: Sequence[ReplayPly]
    bottom: Seat
    """The seat whose army is at the bottom."""
    first: int = 1
    """The number of the first move, counted as in a record: all sides' moves of a round have the same."""
    theme: Theme = DEFAULT_THEME


def render_gif(replay: Replay) -> bytes:
    """The moves as an animated GIF, about 500 pixels wide at most, with one frame per leg, looping endlessly.

    Captured pieces are faded until the move ends. The caption shows the side, the number and the move so far. Pure and
    thread-safe, but slow: do not call it in the event loop.
    """
    return run_steps(render_gif_in_steps(replay))


def render_gif_in_steps(replay: Replay) -> Generator[None, None, bytes]:
    """A generator that draws one frame per step and returns the GIF of `render_gif`. Callers can pause it."""
    frames = _iter_frames(replay)
    last, duration = yield from next(frames)
    # Pillow's own GIF writer keeps every frame in memory until the end: 150 MB for a long game.
    head, _ = getheader(last, info={"loop": 0})
    parts = [*head, *getdata(last, duration=duration, disposal=1)]
    yield
    for frame in frames:
        picture, duration = yield from frame
        change = ImageChops.subtract_modulo(last, picture)
        box = change.getbbox()
        assert box, "the line below the board differs at least"
        last = picture.copy()
        picture.paste(_TRANSPARENT_INDEX, mask=mask_between(change, 0, 1))
        parts += getdata(picture.crop(box), box[:2], duration=duration, disposal=1, transparency=_TRANSPARENT_INDEX)
        yield
    return b"".join((*parts, b";"))


_TRANSPARENT_INDEX = 255
"""The palette index for "unchanged since the previous frame". No palette has that many colours."""


class ReplayFrame(NamedTuple):
    """A picture and its duration in milliseconds."""

    picture: Image.Image
    duration: int


FrameSteps = Generator[None, None, ReplayFrame]
"""Draws a frame in steps."""


def _iter_frames(replay: Replay) -> Iterator[FrameSteps]:
    """Yields the drawing of a frame of the first position, then of one of each landing of each move."""
    theme, bottom = replay.theme, replay.bottom
    position = replay.origin
    begun = View(position, bottom, theme=theme, to_move=False)  # the caption shows the side to move
    yield _draw_frame(begun, None, BEGIN if replay.plies else END)
    number, last = replay.first, -1
    for index, (move, after) in enumerate(replay.plies):
        mover = position.pieces[move.start].seat  # not position.turn: that player may have left before the move
        number, last = number + (mover <= last), mover
        for grown in _iter_partial_moves(move, position.variant):
            view = replace(begun, position=position, grown=grown)
            yield _draw_frame(view, _Caption(number, mover, grown), LEG)
        end = index == len(replay.plies) - 1
        view = replace(begun, position=after, last_move=move, before=position)
        yield _draw_frame(view, _Caption(number, mover, move), END if end else PLY)
        position = after


def _iter_partial_moves(move: Move, variant: Variant) -> Iterator[Move]:
    """Yields the move up to each of its legs but the last."""
    taken = 0
    for legs in range(1, len(move.path) - 1):
        over = variant.board.between.get((move.path[legs - 1], move.path[legs]))
        taken += taken < len(move.captures) and move.captures[taken] == over
        yield Move(move.path[: legs + 1], move.captures[:taken])


class _Caption(NamedTuple):
    """The line below the board: the number of a move, its side, and the move so far."""

    number: int
    seat: Seat
    move: Move


def _draw_frame(view: View, line: _Caption | None, duration: int) -> FrameSteps:
    board = yield from paint_in_steps(view, scale=replay_scale(view.position.variant))
    return ReplayFrame(_add_caption(board, view, line), duration)


def _add_caption(board: Image.Image, view: View, line: _Caption | None) -> Image.Image:
    """The board with the caption below it (mode P)."""
    variant, theme = view.position.variant, view.theme
    picture = Image.new("P", (board.width, board.height + _CAPTION_HEIGHT), theme.palette.colours.index(theme.table))
    picture.putpalette(theme.palette.flat)
    picture.paste(board, (0, 0))
    if line is None:
        return picture
    middle = board.height + _CAPTION_HEIGHT // 2 - 1
    emblem = _draw_emblem(theme, variant.armies[line.seat].colour)
    picture.paste(emblem, (_CAPTION_MARGIN, middle - emblem.height // 2))
    x = _CAPTION_MARGIN + emblem.width + 6
    room = board.width - x - 12
    for glyph in _caption_letters(theme, f"{line.number}.", format_move(line.move, variant.board), room):
        picture.paste(glyph, (x, middle - glyph.height // 2))
        x += glyph.width
    return picture


def _caption_letters(theme: Theme, number: str, words: str, room: int) -> list[Image.Image]:
    """The glyphs of a caption. Keeps only the last landings of a move that is too long."""
    start = [_draw_glyph(theme, letter) for letter in f"{number} "]
    glyphs = [_draw_glyph(theme, letter) for letter in words]
    more = _draw_glyph(theme, "…")
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
        if words[index] in "-x":  # cut only before a sign, so that each landing stays whole
            begin = index
    return [*start, more, *glyphs[begin:]]


@lru_cache(maxsize=256)
def _draw_glyph(theme: Theme, letter: str) -> Image.Image:
    """A letter or digit on the table (mode P), as wide as its advance."""
    face = load_font(_CAPTION_LETTER_SIZE * 4)
    picture = Image.new("RGB", (round(face.getlength(letter) / 4) * 4, _CAPTION_LETTER_SIZE * 4), theme.table)
    height = -face.getbbox("H", anchor="ls")[1]
    draw = ImageDraw.Draw(picture)
    draw.text((0, picture.height / 2 + height / 2), letter, fill=theme.ink, font=face, anchor="ls")
    return theme.palette.index_picture(picture.reduce(4))


@lru_cache(maxsize=32)
def _draw_emblem(theme: Theme, colour: str) -> Image.Image:
    """The Knight of a side on the table (mode P)."""
    size = round(_CAPTION_HEIGHT * 0.76)
    table = theme.palette.index_picture(Image.new("RGB", (tile_side(size),) * 2, theme.table))
    return theme.palette.blend_sprite(table, piece_picture(theme, colour, PieceKind.KNIGHT, size))


def replay_scale(variant: Variant) -> float:
    """The scale of a board relative to a still picture: half as large, but wide enough for the caption."""
    return max(0.5, _MIN_WIDTH / layout_of(variant, 0).width)
