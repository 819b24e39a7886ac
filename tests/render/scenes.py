"""A short game of every variant that ends in a Knight's charge, for pictures with everything in them."""

from __future__ import annotations

from itertools import combinations

from render import Mark, MarkKind, View
from rules import VARIANTS, Seat, Variant, parse_move

GAMES = {
    "tri-camelot": "F5-F9 B13-D11 J13-J9 E4-E2 D13-B15 I12-H11 G4-I6 C12-E10 I16-I12-G10xE8xE12xC10xA12",
    "cam-3d": "2B2-3C2 2C6-2A6 1D2-3D2 2C7-1C6 1B2-3D4 3C7-3C5x3E3x3C1x3C3x1E3x3C1",
    "camelot": "C6-B5 H10-I9 J6-H8xJ10xH10xH12xJ10xJ12",
    "chivalry": "C6-C5 D10-C9 D6-B8xD10xB10xD12xD10xF12",
}
"""By key of the variant. A new one needs a game here."""

SEATS = [(variant, seat) for variant in VARIANTS.values() for seat in variant.seats]
"""Every board as seen from every side."""


def seat_name(value: object) -> str:
    """How tests call a variant or a seat."""
    return value.key if isinstance(value, Variant) else str(value)


def charged(variant: Variant, bottom: Seat) -> View:
    """The end of that variant's game: a charge has just been made."""
    before = position = variant.start
    move = None
    for text in GAMES[variant.key].split():
        before, move = position, parse_move(position, text)
        position = before.after(move)
    return View(position, bottom, last_move=move, before=before)


def marked(variant: Variant) -> View:
    """The start with every kind of mark, on a piece and on an empty cell each."""
    position = variant.start
    empty = [cell for cell, piece in enumerate(position.cells) if not piece]
    cells = (*list(position.pieces)[:3], *empty[-3:])
    return View(position, 0, marks=tuple(map(Mark, cells, (*MarkKind, *MarkKind))))


def pairs_of_pieces(variant: Variant) -> list[tuple[tuple[Seat, bool], tuple[Seat, bool]]]:
    """Every two different pieces of a variant, as (seat, whether a Knight)."""
    return list(combinations([(seat, knight) for seat in variant.seats for knight in (False, True)], 2))
