"""Makes the page's font of signs from Twemoji's drawings: `python -m tests.sandbox.page.draw_signs DRAWINGS`.

DRAWINGS is a folder of SVG files named by their code points: npm's package @twemoji/svg, unpacked. What makes a font of
them is nanoemoji, which pip installs.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from render.shapes import HORSE

from .words import BOT, PAGE

FONT = PAGE / "signs.ttf"

_SIGN = re.compile("[\u2195\u2300-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")
_GREY = "#6B737B"
"""Stands out from the light ground and from the dark one, as Twemoji's white and black do not."""


def _edged(fill: str) -> str:
    """A circle of that colour with a grey edge, as SVG."""
    circles = (f'<circle cx="18" cy="18" r="{r}" fill="{colour}"/>' for r, colour in ((18, _GREY), (16, fill)))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36">{"".join(circles)}</svg>'


def signs_in_use() -> list[str]:
    """Each sign that stands in the bot's texts and sources, once."""
    sources = (path for path in BOT.rglob("*") if path.suffix in {".py", ".toml", ".md", ".js"})
    return sorted({sign for path in sources for sign in _SIGN.findall(path.read_text("utf-8"))})


def _drawing(sign: str, drawings: Path) -> str:
    """The sign as SVG: Twemoji's, but for those that would be lost on one of the two grounds, and the Knight."""
    match sign:
        case "\N{MEDIUM WHITE CIRCLE}" | "\N{MEDIUM BLACK CIRCLE}":
            return _edged("#31373D" if sign == "\N{MEDIUM BLACK CIRCLE}" else "#FFFFFF")
        case "\N{BLACK CHESS KNIGHT}":  # Twemoji has only the pawn
            path = f'<path transform="translate(18 18) scale(.4)" fill="{_GREY}" d="{HORSE}"/>'
            return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36">{path}</svg>'
    drawing = (drawings / f"{ord(sign):x}.svg").read_text("utf-8")
    return drawing.replace("#31373D", _GREY) if sign == "\N{HEAVY MULTIPLICATION X}" else drawing


def main(drawings: Path) -> None:
    """Writes the font."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for sign in signs_in_use():
            (folder / f"emoji_u{ord(sign):x}.svg").write_text(_drawing(sign, drawings), "utf-8")
        settings = ["--color_format=glyf_colr_0", "--family=Signs", "--output_file=signs.ttf"]
        subprocess.run(["nanoemoji", *settings, *sorted(folder.glob("*.svg"))], cwd=folder, check=True)
        FONT.write_bytes((folder / "build" / "signs.ttf").read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
