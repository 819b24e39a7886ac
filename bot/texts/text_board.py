"""A board as text of fixed width, for screen readers and plain terminals: everything that the picture shows.

It is never turned: a reader finds each rank where it was last time.
"""

from __future__ import annotations

from bot.texts.i18n import Language, text
from bot.texts.sentences import (
    colour_name,
    counts_by_side,
    duty_sentence,
    material_sentence,
    move_sentence,
    sides_texts,
)
from rules import Move, PieceKind, Position
from rules.board import Cell
from rules.diagram import format_diagram

CASTLE_MARK = "#"
"""The mark of an empty castle cell; other empty cells are dots."""


def text_board(
    locale: Language, position: Position, *, over: bool, before: Position | None = None, move: Move | None = None
) -> str:
    """The position as Discord's markup, at most 1800 characters: the last move, a diagram, a legend, every piece.

    `move` led here from `before`.
    """
    variant = position.variant
    lines = [move_sentence(locale, before, move)] if before is not None and move is not None else []
    diagram = format_diagram(variant.board, _cell_marks(locale, position), text(locale, "text-board.level"))
    lines += [
        f"```\n{diagram}\n```",
        _legend_line(locale, position),
        *sides_texts(locale, position),
        material_sentence(locale, position),
    ]
    if variant.castle_moves:
        left = counts_by_side(locale, variant, (variant.castle_moves - used for used in position.castle_moves))
        lines.append(text(locale, "text-board.castle-moves", counts=left))
    if not over and (demand := duty_sentence(locale, position)):
        lines.append(demand)
    return "\n".join(lines)


def side_initial(locale: Language, position: Position, seat: int) -> str:
    """The letter of that side's Knights; its Men have the small letter."""
    return colour_name(locale, position.variant, seat)[0].upper()


def _cell_marks(locale: Language, position: Position) -> dict[Cell, str]:
    """The marks of the diagram, by cell, for all cells except plain empty ones."""
    castles = {cell: CASTLE_MARK for army in position.variant.armies for cell in army.castle}
    letters = {seat: side_initial(locale, position, seat) for seat in position.variant.seats}
    return castles | {
        cell: letters[piece.seat] if piece.kind is PieceKind.KNIGHT else letters[piece.seat].lower()
        for cell, piece in position.pieces.items()
    }


def _legend_line(locale: Language, position: Position) -> str:
    letters = []
    for seat in position.variant.seats:
        side, letter = colour_name(locale, position.variant, seat), side_initial(locale, position, seat)
        letters.append(text(locale, "text-board.letter", letter=letter, small=letter.lower(), colour=side))
    return text(locale, "text-board.legend", letters=", ".join(letters), castle=CASTLE_MARK)
