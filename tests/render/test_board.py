"""Empty boards: drawn once, kept small, and not pushed out by a reader who looks at every part of one."""

from __future__ import annotations

import gc
from dataclasses import replace

import pytest
from PIL import Image

from render import DEFAULT, THEMES, View, board
from render.scene import paint
from rules import VARIANTS
from tests.render.scenes import SEATS, wandering

MOST_MEGABYTES = 30
"""What the pictures may keep in memory between two of them, once everything has been seen."""


def test_looking_at_every_part_of_a_board_leaves_all_whole_boards_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [View(variant.start, seat, theme=theme) for variant, seat in SEATS for theme in THEMES.values()]
    camelot = VARIANTS["camelot"]
    parts = [View(camelot.start, 0, zoom=cell) for cell in range(len(camelot.board.names))]
    for view in (*whole, *parts):
        paint(view)
    drawn: list[object] = []
    canvas = board._Canvas
    monkeypatch.setattr(board, "_Canvas", lambda *words: drawn.append(words) or canvas(*words))
    for view in whole:
        paint(view)
    assert not drawn
    paint(View(camelot.start, 0, theme=replace(DEFAULT)))  # a theme of its own: this one has to be drawn
    assert len(drawn) == 1


def test_what_pictures_keep_in_memory_is_small() -> None:
    for variant, seat in SEATS:
        before = variant.start
        for move, after in wandering(variant, 12).plies:
            for theme in THEMES.values():
                paint(View(after, seat, last_move=move, before=before, theme=theme))
            before = after
    kept = [thing for thing in gc.get_objects() if isinstance(thing, Image.Image)]
    size = sum(image.width * image.height * (1 if image.mode in ("1", "L", "P") else 4) for image in kept)
    assert size < MOST_MEGABYTES * 1e6
