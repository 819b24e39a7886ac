"""Pictures of positions: `render_png(View(position, bottom=seat))` returns a PNG of at most 960 by 1200 pixels."""

from __future__ import annotations

from collections.abc import Generator

from render.board_drawing import encode_png
from render.layout import reading_places
from render.scene import DEFAULT_THEME, View, paint_in_steps, run_steps
from render.signs import Mark, MarkKind
from render.theme import THEMES, Theme
from rules import Seat, Variant

__all__ = [
    "DEFAULT_THEME",
    "THEMES",
    "Mark",
    "MarkKind",
    "Theme",
    "View",
    "reading_places",
    "render_in_steps",
    "render_png",
    "run_steps",
    "warm_caches",
]


def render_png(view: View) -> bytes:
    """The picture of a view as a PNG file. Pure and thread-safe, but slow: do not call it in the event loop.

    >>> from rules import VARIANTS
    >>> png = render_png(View(VARIANTS["camette"].start_position, bottom=0))
    >>> png[1:4], len(png) < 100_000
    (b'PNG', True)
    """
    return run_steps(render_in_steps(view))


def render_in_steps(view: View) -> Generator[None, None, bytes]:
    """A generator that paints a few signs per step and returns the file of `render_png`. Callers can pause it."""
    picture = yield from paint_in_steps(view)
    yield
    return encode_png(picture)


def warm_caches(variant: Variant, seat: Seat) -> Generator[None, None, object]:
    """A generator that draws what all pictures of that variant and side share, so that the first one is fast too."""
    return paint_in_steps(View(variant.start_position, seat))
