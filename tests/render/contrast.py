"""The contrast of two colours."""

from __future__ import annotations

from render.theme import Rgb


def contrast(one: Rgb, other: Rgb) -> float:
    """The contrast of two colours as the Web Content Accessibility Guidelines measure it, from 1 to 21."""

    def luminance(colour: Rgb) -> float:
        linear = [part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
