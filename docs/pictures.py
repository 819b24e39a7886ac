"""Draws the pictures of the README anew: `.venv/bin/python docs/pictures.py`, from the repository's root.

One picture per game in docs/images/, after a few moves, so that a path and its captures show how turns look.
"""

from pathlib import Path

from render import View, render_png
from rules import VARIANTS, Game

FOLDER = Path(__file__).parent / "images"

OPENINGS = {
    "tri-camelot": "F7-F9 C12-C10 I12-I10",
    "cam-3d": "2C3-3C3",
    "camelot": "D6-F8 H11-F9 C6-E8-G8 J11-H11 H6-H8 E11-G9 J6-H6 C11-E11 I6-I8 D11-D9 I8-J9 D10-D8xD6",
    "chivalry": "F6-D8-B6",
}
"""Moves from the start, as text. Camelot's are those of the first game of the 2009 world championship match."""


def picture(key: str) -> bytes:
    """The board of that game after its opening, with the first player at the bottom and the last move drawn."""
    game = before = Game.start(VARIANTS[key])
    for move in OPENINGS[key].split():
        before, game = game, game.play(move)
    view = View(game.position, bottom=0, last_move=game.moves[-1], before=before.position)
    return render_png(view)


if __name__ == "__main__":
    for name in OPENINGS:
        (FOLDER / f"{name}.png").write_bytes(picture(name))
