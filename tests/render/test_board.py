"""Empty boards: drawn once, small in the cache, and not evicted by a reader who views every part of a board."""

from __future__ import annotations

import gc
from collections.abc import Generator
from dataclasses import replace
from itertools import cycle

import pytest
from PIL import Image

from render import THEMES, View, board_drawing
from render.framing import EmptyBoard, plan_of
from render.pieces import piece_masks, piece_picture
from render.scene import paint_view, run_steps
from render.signs import glow_stamp
from rules import VARIANTS, PieceKind
from tests.render.scenes import SEATS, wandering

MOST_MEGABYTES = 30
"""The most memory that pictures may keep between two of them, after every board was drawn."""


def test_looking_at_every_part_of_a_board_leaves_all_whole_boards_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[EmptyBoard] = []

    def draw(sheet: EmptyBoard) -> Generator[None, None, Image.Image]:
        drawn.append(sheet)
        yield
        return Image.new("P", (8, 8))

    monkeypatch.setattr(board_drawing, "_draw_board", draw)
    themes = [replace(theme) for theme in THEMES.values()]  # of their own, so that no other test finds these boards
    whole = [EmptyBoard(variant, seat, theme) for variant, seat in SEATS for theme in themes]
    camelot = VARIANTS["camelot"]
    parts = [EmptyBoard.of(camelot, 0, themes[0], cell, 1) for cell in range(len(camelot.board.names))]
    for sheet in (*whole, *parts):
        run_steps(board_drawing.empty_board(sheet))
    assert {*drawn} == {*whole, *parts}
    drawn.clear()
    for sheet in whole:
        run_steps(board_drawing.empty_board(sheet))
    assert not drawn


def test_board_layers_stay_drawn_for_every_side_and_theme() -> None:
    sheets = [EmptyBoard.of(variant, seat, theme, None, 1) for variant, seat in SEATS for theme in THEMES.values()]

    def look_at_all() -> list[int]:
        for sheet in sheets:
            plan = plan_of(sheet)
            glow_stamp(sheet.theme, plan)
            for army in sheet.variant.armies:
                for kind in PieceKind:
                    piece_masks(sheet.theme, army.colour, kind, plan.piece)
        return [cached.cache_info().misses for cached in (plan_of, glow_stamp, piece_picture, piece_masks)]

    assert look_at_all() == look_at_all()


@pytest.mark.long
def test_what_pictures_keep_in_memory_is_small() -> None:
    for variant, seat in SEATS:
        before = variant.start_position
        for (move, after), theme in zip(wandering(variant, 12).plies, cycle(THEMES.values())):
            paint_view(View(after, seat, last_move=move, before=before, theme=theme))
            before = after
    kept = [thing for thing in gc.get_objects() if isinstance(thing, Image.Image)]
    size = sum(image.width * image.height * (1 if image.mode in ("1", "L", "P") else 4) for image in kept)
    assert size < MOST_MEGABYTES * 1e6
