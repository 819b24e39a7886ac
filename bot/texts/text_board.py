"""A board as text in a fixed width, for screen readers and plain terminals: everything that the picture shows.

It is never turned: a reader finds each rank where it was the last time.
"""

from __future__ import annotations

from bot.texts.i18n import Language, text
from bot.texts.sentences import abandoned, colour, duty, material, pieces, told
from rules import Move, PieceKind, Position
from rules.board import Cell
from rules.diagram import format_diagram

CASTLE_MARK = "#"
"""An empty cell of a castle; other empty cells are dots."""


def text_board(
    locale: Language, position: Position, *, over: bool, before: Position | None = None, move: Move | None = None
) -> str:
    """The position as Discord's markup, at most 1800 characters: the last move, a diagram, what it means, every piece.

    `move` is the one that led here from `before`.
    """
    variant = position.variant
    lines = [told(locale, before, move)] if before is not None and move is not None else []
    diagram = format_diagram(variant.board, _marks(locale, position), text(locale, "text-board.level"))
    lines += [f"```\n{diagram}\n```", _legend(locale, position)]
    lines += [
        text(locale, "alt.side", colour=colour(locale, variant, seat), pieces=pieces(locale, position, seat))
        for seat in variant.seats
    ]
    lines += abandoned(locale, position)
    lines.append(material(locale, position))
    if variant.castle_moves:
        left = [
            text(locale, "alt.count", colour=colour(locale, variant, seat), count=variant.castle_moves - used)
            for seat, used in enumerate(position.castle_moves)
        ]
        lines.append(text(locale, "text-board.castle-moves", counts=", ".join(left)))
    demand = None if over else duty(locale, position)
    return "\n".join([*lines, *([demand] if demand else [])])


def initial(locale: Language, position: Position, seat: int) -> str:
    """The letter that stands for a Knight of that side; a Man has the small one."""
    return colour(locale, position.variant, seat)[0].upper()


def _marks(locale: Language, position: Position) -> dict[Cell, str]:
    """The characters of a diagram, one for each cell that is not plain and empty."""
    castles = {cell: CASTLE_MARK for army in position.variant.armies for cell in army.castle}
    letters = {seat: initial(locale, position, seat) for seat in position.variant.seats}
    return castles | {
        cell: letters[piece.seat] if piece.kind is PieceKind.KNIGHT else letters[piece.seat].lower()
        for cell, piece in position.pieces.items()
    }


def _legend(locale: Language, position: Position) -> str:
    variant = position.variant
    letters = [
        text(
            locale,
            "text-board.letter",
            letter=initial(locale, position, seat),
            small=initial(locale, position, seat).lower(),
            colour=colour(locale, variant, seat),
        )
        for seat in variant.seats
    ]
    return text(locale, "text-board.legend", letters=", ".join(letters), castle=CASTLE_MARK)
