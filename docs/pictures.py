"""Draws the pictures of the games: `.venv/bin/python docs/pictures.py`, from the repository's root.

One picture per game in docs/images/, each after a Knight's charge, so that a path and its captures show how turns look.
"""

from pathlib import Path

from render import View, render_png
from rules import VARIANTS, Game

FOLDER = Path(__file__).parent / "images"

OPENING_MOVES = {
    "tri-camelot": "F5-F9 D17-C18 H13-H11 E6-F5 C16-B15 H17-H13-H9 G4-G8xI10xK12",
    "cam-3d": "2B3-3B3 3D6-2D5 1B2-1D4x3D6x1B6",
    "camelot": "D6-F8 H11-F9 C6-E8-G8 J11-H11 H6-H8 E11-G9 J6-H6 C11-E11 I6-I8 D11-D9 I8-J9 D10-D8xD6",
    "chivalry": "H6-H5 E10-F9 K6-K5 F10-H12 D6-F8xF10xF12",
    "cam": "C5-C6 C10-D11 C4-B4 D11-D12 B5-D7 E10-G8 E4-F4 G8-E10-C8xE6xE4xG4xE6xC4xA4",
    "camette": "B3-A4 C6-B6 A4xC6xE4 B6-D4xB2xD2xD4",
}
"""Moves from the start, as text. Camelot's are those of the first game of the 2009 world championship match."""


def picture(key: str) -> bytes:
    """The board of that game after its opening, with the first player at the bottom and the last move drawn."""
    game = before = Game.start(VARIANTS[key])
    for move in OPENING_MOVES[key].split():
        before, game = game, game.play(move)
    return render_png(View(game.position, bottom=0, last_move=game.moves[-1], before=before.position))


if __name__ == "__main__":
    for name in OPENING_MOVES:
        (FOLDER / f"{name}.png").write_bytes(picture(name))
