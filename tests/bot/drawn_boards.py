"""Reads a position back from a board drawn as text."""

from __future__ import annotations

import re

from rules import PieceKind, Position, Variant
from rules.position import piece_code

_FIRST_FILE, _GAP = 4, 3


def read_text_board(said: str, variant: Variant, letters: str, turn: int) -> Position:
    """Returns the position that a text board shows; `letters` are those of the sides in turn order, such as "WB"."""
    found = re.search(r"```\n(.*?)\n```", said, re.DOTALL)
    assert found, said
    rows = {int(line[:2]): line for line in found[1].splitlines() if line[:2].strip().isdigit()}
    files, turned = max(vector[0] for vector in variant.board.vectors), next(iter(rows)) == 1
    cells = bytearray(len(variant.board.names))
    for cell, (file, rank, *level) in enumerate(variant.board.vectors):
        width, column = 2 * files - 1 + _GAP, files - file if turned else file - 1
        mark = rows[rank][_FIRST_FILE + 2 * column + width * (level[0] - 1 if level else 0)]
        assert mark in "·#" or mark.upper() in letters, (mark, variant.board.names[cell])
        if mark.upper() in letters:
            kind = PieceKind.KNIGHT if mark.isupper() else PieceKind.MAN
            cells[cell] = piece_code(letters.index(mark.upper()), kind)
    left = re.search(r"(?:Castle moves left|Borgtrekk igjen): (.*)\.", said)
    numbers = map(int, re.findall(r"\d", left[1])) if left else (0 for _ in variant.seats)
    used = tuple(variant.castle_moves - number if left else number for number in numbers)
    return Position(variant, bytes(cells), turn, used)
