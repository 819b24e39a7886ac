"""The typeface of the pictures: Cabin by Pablo Impallari and Igino Marini, under the licence beside this file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PIL import ImageFont

_CABIN = Path(__file__).with_name("Cabin-Bold.otf")


@lru_cache(maxsize=16)
def font(size: int) -> ImageFont.FreeTypeFont:
    """Cabin Bold in that size (pixels). It has capitals and digits of one height; nothing else is written."""
    return ImageFont.truetype(_CABIN, size, layout_engine=ImageFont.Layout.BASIC)
