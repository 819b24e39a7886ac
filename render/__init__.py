"""Pictures of positions: `render_png(View(position, bottom=seat))` returns a PNG of at most 960 by 1200 pixels."""

from __future__ import annotations

from render.board_drawing import encode_png
from render.scene import DEFAULT_THEME, View, paint_view
from render.signs import Mark, MarkKind
from render.theme import THEMES, Theme
from rules import Seat, Variant

__all__ = ["DEFAULT_THEME", "THEMES", "Mark", "MarkKind", "Theme", "View", "render_png", "warm_caches"]


def render_png(view: View) -> bytes:
    """The picture of a view as a PNG file. Pure and thread-safe, but slow: do not call it in the event loop.

    >>> from rules import VARIANTS
    >>> png = render_png(View(VARIANTS["camette"].start_position, bottom=0))
    >>> png[1:4], len(png) < 100_000
    (b'PNG', True)
    """
    return encode_png(paint_view(view))


def warm_caches(variant: Variant, seat: Seat) -> None:
    """Draws what all pictures of that variant and side share, so that the first picture is fast too."""
    paint_view(View(variant.start_position, seat))
