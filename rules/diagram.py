"""Boards as text pictures, as variants define them and `python -m rules show` prints them.

Each character is a cell, the highest rank comes first, and file A is at the left. Hexagons use doubled ranks, so every
second character of a row is blank. The initial of the army's colour is a Knight as a capital and a Man as a small
letter; a dot is an empty cell. Each level has its own picture, level 1 first.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_uppercase
from textwrap import dedent

from rules.board import Board, Cell, Vector

EMPTY_MARK = "."


def parse_diagram(*levels: str, directions: tuple[Vector, ...]) -> tuple[Board, dict[Cell, str]]:
    """The board in the pictures, and the character on each cell that is not empty.

    Cell names are file and rank (C8); with several pictures the level comes first (2C8).

    >>> board, marks = parse_diagram(".W", "b.", directions=())
    >>> board.names
    ('1A1', '1B1', '2A1', '2B1')
    >>> {board.names[cell]: mark for cell, mark in marks.items()}
    {'1B1': 'W', '2A1': 'b'}
    """
    squares: list[tuple[int, int, int, str]] = []
    for level, picture in enumerate(levels, start=1):
        rows = dedent(picture).strip("\n").splitlines()
        for row, line in enumerate(rows):
            squares += [(level, len(rows) - row, file, mark) for file, mark in enumerate(line, start=1) if mark != " "]
    squares.sort()
    several = len(levels) > 1
    names = tuple(f"{level if several else ''}{ascii_uppercase[file - 1]}{rank}" for level, rank, file, _ in squares)
    vectors = tuple((file, rank, level) if several else (file, rank) for level, rank, file, _ in squares)
    marks = {cell: mark for cell, (*_, mark) in enumerate(squares) if mark != EMPTY_MARK}
    return Board(names, vectors, directions), marks


def format_diagram(board: Board, marks: Mapping[Cell, str], level_word: str = "level", *, turned: bool = False) -> str:
    """A text picture with rank numbers at the left and file letters below; levels side by side, level 1 first.

    `marks` holds the character of each occupied cell. `level_word` stands before the number of a level. `turned`: each
    level by 180 degrees, as its other side sees it.

    >>> board, marks = parse_diagram("b.", ".W", directions=())
    >>> print(format_diagram(board, marks))
     1  b .   . W
        A B   A B
        level 1   level 2
    """
    at = {vector: marks.get(cell, EMPTY_MARK) for cell, vector in enumerate(board.vectors)}
    files, ranks = (range(1, max(vector[axis] for vector in board.vectors) + 1) for axis in (0, 1))
    if turned:
        files = files[::-1]
    else:
        ranks = ranks[::-1]
    levels: list[Vector] = sorted({vector[2:] for vector in board.vectors})

    def row(rank: int, level: Vector) -> str:
        return " ".join(at.get((file, rank, *level), " ") for file in files)

    gap = "   "
    lines = [f"{rank:>2}  {gap.join(row(rank, level) for level in levels)}".rstrip() for rank in ranks]
    letters = " ".join(ascii_uppercase[file - 1] for file in files)
    lines.append(f"    {gap.join([letters] * len(levels))}")
    if len(levels) > 1:
        lines.append("    " + gap.join(f"{level_word} {level[0]}".ljust(len(letters)) for level in levels).rstrip())
    return "\n".join(lines)
