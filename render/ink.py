"""Painting with indices: smooth shapes laid over a picture in palette mode, without turning it into colours and back.

A stamp is prepared once. Its inside is pasted as it is; its soft edge has one colour, and for each of a few strengths
of it the palette knows which index the one below turns into.
"""

from __future__ import annotations

from PIL import Image

from render.theme import Rgb, Theme

_STRENGTHS = (51, 102, 153, 204)
"""Alpha values that a soft edge is rounded to."""
_STEP = 51


class Stamp:
    """A small picture with an alpha channel, ready to be put on pictures of one theme. Immutable."""

    def __init__(self, picture: Image.Image, edge: Rgb, theme: Theme) -> None:
        """From an RGBA picture; wherever it is not opaque, its colour is taken to be `edge`."""
        alpha = picture.getchannel("A")
        self.size = picture.size
        self._palette = theme.palette
        self._edge = edge
        self._solid = alpha.point(lambda value: 255 if value >= 255 - _STEP // 2 else 0)
        self._inside = self._palette.indexed(picture.convert("RGB")) if self._solid.getbbox() else None
        self._veils = [(strength, mask) for strength in _STRENGTHS if (mask := alpha.point(_only(strength))).getbbox()]

    def put(self, onto: Image.Image, centre: tuple[int, int]) -> None:
        """Lay it over a P mode picture of the same theme, in place, its middle at `centre`."""
        left, top = centre[0] - self.size[0] // 2, centre[1] - self.size[1] // 2
        box = (left, top, left + self.size[0], top + self.size[1])
        below = onto.crop(box)
        for strength, mask in self._veils:
            onto.paste(below.point(self._palette.veil(self._edge, strength)), box, mask)
        if self._inside is not None:
            onto.paste(self._inside, box, self._solid)


class Glaze:
    """A shape through which a picture in palette mode is seen as through coloured glass. Immutable."""

    def __init__(self, mask: Image.Image, colour: Rgb, theme: Theme) -> None:
        self.size = mask.size
        self._mask = mask.point(lambda value: 255 if value > 127 else 0)
        self._table = theme.palette.glass(colour)

    def put(self, onto: Image.Image, centre: tuple[int, int]) -> None:
        """Lay it over a P mode picture of the same theme, in place, its middle at `centre`."""
        left, top = centre[0] - self.size[0] // 2, centre[1] - self.size[1] // 2
        box = (left, top, left + self.size[0], top + self.size[1])
        onto.paste(onto.crop(box).point(self._table), box, self._mask)


def _only(strength: int) -> list[int]:
    """The table that keeps the alpha values rounded to that strength."""
    return [255 if abs(value - strength) <= _STEP // 2 else 0 for value in range(256)]


def melt(base: Image.Image, sprite: Image.Image, theme: Theme) -> Image.Image:
    """A P mode picture with an RGBA one of the same size over it, in any strengths and colours (slow: cache it)."""
    ground = base.convert("RGB")
    ground.paste(sprite, mask=sprite.getchannel("A"))
    return theme.palette.indexed(ground)
