"""Small scenes that exist on every board, in letters, so that one test states a rule for all variants.

a b c d e is a straight line that e r s prolongs where there is room, c p q another that leaves it to the right, q t u
goes on from there, and c v w leaves to the left; v touches neither b nor p. On a square board:

    s
    r
    w . e
      v d . .
        c p q t u
        b
        a
"""

from __future__ import annotations

import re

from rules import VARIANTS, Move, Position, RulesError, Variant, format_move, legal_moves, parse_move, read_position

_ORDER = "abcdersvwpqtu"


def _lettered(names: str) -> dict[str, str]:
    return dict(zip(_ORDER, names.split(), strict=True))


LETTERS = {
    "camelot": _lettered("E6 E7 E8 E9 E10 E11 E12 D9 C10 F8 G8 H8 I8"),
    "chivalry": _lettered("E6 E7 E8 E9 E10 E11 E12 D9 C10 F8 G8 H8 I8"),
    "cam-3d": _lettered("2C2 2C3 2C4 2C5 2C6 2C7 2C8 2B5 2A6 2D4 2E4 2E5 2E6"),
    "tri-camelot": _lettered("F5 F7 F9 F11 F13 F15 F17 E10 D11 G10 H11 H13 H15"),
    "cam": _lettered("C4 C5 C6 C7 C8 C9 C10 B7 A8 D6 E6 F6 G6"),
    "camette": _lettered("A3 B3 C3 D3 E3 E4 E5 C2 C1 C4 C5 D5 E5"),
}
BYSTANDERS = {
    "camelot": ("A5", ["L12"]),
    "chivalry": ("A6", ["N11"]),
    "cam-3d": ("3A3", ["1A6"]),
    "tri-camelot": ("G2", ["B15", "J15"]),
    "cam": ("G4", ["E12"]),
    "camette": ("B5", ["B6"]),
}
"""Pieces far from the scene, so that the game is not over at its start."""


def cells(key: str, letters: str) -> str:
    """The letters replaced by that board's cells: "a-cxe" becomes "E6-E8xE10"."""
    return re.sub(f"[{_ORDER}]", lambda match: LETTERS[key][match[0]], letters)


def scene(key: str, own: str, foes: str = "") -> Position:
    """The first army's pieces and the second's on lettered cells ("Na,b"), it being the first one's turn."""
    variant: Variant = VARIANTS[key]
    bystander, foreign = BYSTANDERS[key]
    colours = [army.colour for army in variant.armies]
    listed = [_listed(key, own, bystander), _listed(key, foes, foreign[0]), *foreign[1:]]
    return read_position(f"{key} {colours[0]} " + " ".join(f"{c}:{p}" for c, p in zip(colours, listed, strict=True)))


def _listed(key: str, letters: str, bystander: str) -> str:
    return ",".join(part for part in (cells(key, letters), bystander) if part)


def drawn(key: str, turn: str, picture: str, elsewhere: str = "") -> Position:
    """The position in a picture as `python -m rules show` prints it, or in the part of one that matters.

    Ranks stand at the left and files below; a capital is a Knight and a small letter a Man, by the initial of the
    colour. `elsewhere` lists pieces outside the picture as a position text does: "White:A5 Black:L12".
    """
    *rows, files = [line for line in picture.splitlines() if line.strip()]
    colours = [army.colour for army in VARIANTS[key].armies]
    found: dict[str, list[str]] = {colour: [] for colour in colours}
    for word in elsewhere.split():
        colour, _, names = word.partition(":")
        found[colour] += names.split(",")
    for row in rows:
        for at, mark in enumerate(row):
            if mark.isalpha():
                knight = "N" if mark.isupper() else ""
                colour = next(colour for colour in colours if colour[0] == mark.upper())
                found[colour].append(f"{knight}{files[at]}{row.split()[0]}")
    return read_position(f"{key} {turn} " + " ".join(f"{c}:{','.join(names) or '-'}" for c, names in found.items()))


def listed(position: Position) -> set[str]:
    """The canonical texts of the list of moves."""
    return {format_move(move, position.variant.board) for move in legal_moves(position)}


def verdict(position: Position, text: str) -> Move | RulesError:
    """The move that a text stands for, or what it is refused with."""
    try:
        return parse_move(position, text)
    except RulesError as error:
        return error


def refusal(position: Position, text: str) -> RulesError:
    """What a text is refused with; fails if it is not."""
    found = verdict(position, text)
    assert isinstance(found, RulesError), f"{text} was accepted as {format_move(found, position.variant.board)}"
    return found


def accepted(position: Position, text: str) -> str:
    """The canonical text of a move that must be legal."""
    return format_move(parse_move(position, text), position.variant.board)
