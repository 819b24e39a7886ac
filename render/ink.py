"""Painting with indices: smooth shapes laid over a picture in palette mode, without turning it into colours and back.

A stamp is prepared once. Its inside is pasted as it is; its soft edge has one colour, and for each of a few strengths
of it the palette knows which index the one below turns into.
"""

from __future__ import annotations

from PIL import Image

from render.theme import Rgb, Theme

_STRENGTHS = 2
"""Into how many steps of alpha a soft edge is rounded; the last one is opaque. The eye is content with two."""


class Stamp:
    """A small picture with an alpha channel, ready to be put on pictures of one theme. Immutable."""

    def __init__(self, picture: Image.Image, edge: Rgb, theme: Theme) -> None:
        """From an RGBA picture; wherever it is not opaque, its colour is taken to be `edge`."""
        alpha = picture.getchannel("A")
        self.size = picture.size
        self._palette = theme.palette
        self._edge = edge
        *soft, self._solid = (alpha.point(_only(step)) for step in range(1, _STRENGTHS + 1))
        self._inside = self._palette.indexed(picture.convert("RGB")) if self._solid.getbbox() else None
        self._veils = [
            (255 * step // _STRENGTHS, mask) for step, mask in enumerate(soft, start=1) if mask.getbbox() is not None
        ]

    def put(self, onto: Image.Image, centre: tuple[int, int]) -> None:
        """Lay it over a P mode picture of the same theme, in place, its middle at `centre`."""
        left, top = centre[0] - self.size[0] // 2, centre[1] - self.size[1] // 2
        box = (left, top, left + self.size[0], top + self.size[1])
        below = onto.crop(box)
        for strength, mask in self._veils:
            onto.paste(_exchanged(below, self._palette.veil(self._edge, strength)), box, mask)
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
        onto.paste(_exchanged(onto.crop(box), self._table), box, self._mask)


def _only(step: int) -> list[int]:
    """The table that finds the alpha values which are nearest to that step: 255 for them, 0 for others."""
    return [255 if round(value * _STRENGTHS / 255) == step else 0 for value in range(256)]


def _exchanged(picture: Image.Image, table: bytes) -> Image.Image:
    """A picture with other indices; what `point` does too, which rounds all 256 of them anew each time."""
    return Image.frombytes("P", picture.size, picture.tobytes().translate(table))


def melt(base: Image.Image, sprite: Image.Image, theme: Theme) -> Image.Image:
    """A P mode picture with an RGBA one of the same size over it, in any strengths and colours (slow: cache it)."""
    ground = base.convert("RGB")
    ground.paste(sprite, mask=sprite.getchannel("A"))
    return theme.palette.indexed(ground)
