"""The list of a player's legal moves, as long as a message may be."""

from __future__ import annotations

from itertools import islice

from bot.i18n import Language, text
from bot.match import Match
from bot.words import code_list, duty, variant_name
from rules import Kind, Move, Position, format_move, iter_moves
from rules.moves import moves_from

LISTED = 1000
"""Outcomes that are looked at; built positions have tens of thousands."""

LONGEST = 1900


def moves_text(locale: Language, match: Match, piece: str | None) -> str:
    """The legal moves of the player to move, a line for each piece; of one piece only if its cell is given.

    Raises NotationError for a cell that the board does not have.
    """
    assert match.game is not None
    position = match.game.position
    title = text(locale, "moves.title", variant=variant_name(locale, match.variant), id=match.id)
    demand = duty(locale, position)
    lines = [title, *([demand] if demand else [])]
    if piece is None:
        found = list(islice(iter_moves(position), LISTED))
    else:
        cell = match.variant.board.cell(piece.strip())
        found = list(islice(moves_from(position, cell), LISTED))
        if not found:
            return "\n".join([*lines, text(locale, "moves.no-such", cell=match.variant.board.names[cell])])
    return _fitted(locale, position, lines, found)


def _fitted(locale: Language, position: Position, lines: list[str], found: list[Move]) -> str:
    """The lines, then the moves by piece for as long as there is room, then how many are left."""
    by_piece: dict[int, list[str]] = {}
    for move in found:
        by_piece.setdefault(move.start, []).append(format_move(move, position.variant.board))
    left, room = len(found), LONGEST - sum(map(len, lines))
    pieces = position.pieces
    for start, moves in by_piece.items():
        kind = "knight" if pieces[start].kind is Kind.KNIGHT else "man"
        piece = text(locale, f"moves.{kind}", cell=f"**{position.variant.board.names[start]}**")
        room -= len(piece) + len("\n: ")
        shown = 0
        while shown < len(moves) and len(moves[shown]) + len("``, ") <= room:
            room -= len(moves[shown]) + len("``, ")
            shown += 1
        if shown:
            lines.append(text(locale, "moves.line", piece=piece, moves=code_list(moves[:shown])))
            left -= shown
        if shown < len(moves):
            break
    if left:
        lines.append(text(locale, "moves.more", count=f"{left}+" if len(found) == LISTED else left))
    return "\n".join(lines)
