"""Positions as one line of text, for tests, reports and tools.

    camelot White White:NC6,D6 Black:NC11,D11 castle:0,0
    tri-camelot Red Blue:NE4,F7 Red:NB13,NC14 Green:- out:Green
    tri-camelot Red Blue:NE4,F7 Red:NB13,NC14 Green:I12 steward:Green

The line holds the variant, the side to move, and every side in turn order with its cells (Knights marked N, `-` for
none). Then, where they apply: the castle moves used, the seats that are skipped (`out`) and those that a steward plays.
Upper and lower case are alike.
"""

from __future__ import annotations

from rules.board import Cell
from rules.errors import NotationError, Reason
from rules.position import PieceKind, Position, Seat, Variant, piece_code
from rules.variants import VARIANTS


def format_position(position: Position) -> str:
    """The position as one line that `parse_position` reads back.

    >>> format_position(VARIANTS["camette"].start_position)
    'camette White White:NC2,B3,C3,D3 Black:NC6,B5,C5,D5'
    """
    variant = position.variant
    parts = [variant.key, variant.armies[position.turn].colour]
    pieces = position.pieces
    for seat, army in enumerate(variant.armies):
        cells = [
            ("N" if piece.kind is PieceKind.KNIGHT else "") + variant.board.names[cell]
            for cell, piece in sorted(pieces.items(), key=lambda item: (item[1].kind is PieceKind.MAN, item[0]))
            if piece.seat == seat
        ]
        parts.append(f"{army.colour}:{','.join(cells) or '-'}")
    if variant.castle_moves:
        parts.append("castle:" + ",".join(map(str, position.castle_moves)))
    for word, seats in (("out", position.skipped_seats), ("steward", position.stewards)):
        if seats:
            parts.append(f"{word}:" + ",".join(variant.armies[seat].colour for seat in sorted(seats)))
    return " ".join(parts)


def parse_position(text: str) -> Position:
    """The position that the line describes. Raises NotationError with the wrong part of the line.

    A side may not have more Knights or more Men than at the start, because no rule adds pieces.

    >>> position = parse_position("camette black white:c4 black:nc6,b5")
    >>> position.turn, position.count_pieces(1)
    (1, 2)
    """
    position = read_position(text)
    variant = position.variant
    for army, codes in zip(variant.armies, variant.piece_codes, strict=True):
        if any(position.cells.count(byte) > variant.setup.count(byte) for byte in codes):
            raise NotationError(Reason.TOO_MANY_PIECES, text=army.colour)
    return position


def read_position(text: str) -> Position:
    """The position of a stored line. Unlike `parse_position`, allows more pieces than at the start."""
    words = text.split()
    if len(words) < 2:
        raise _bad_position(text)
    variant = VARIANTS.get(words[0].lower())
    if variant is None:
        raise _bad_position(words[0])
    turn = _parse_seat(variant, words[1])
    cells = bytearray(len(variant.board.names))
    used: tuple[int, ...] = (0,) * len(variant.armies)
    out = stewards = frozenset[Seat]()
    labels_read: set[str] = set()
    for word in words[2:]:
        label, colon, value = word.partition(":")
        if not colon or label.lower() in labels_read:
            raise _bad_position(word)
        labels_read.add(label.lower())
        if label.lower() == "castle":
            used = _parse_castle_moves(variant, value)
        elif label.lower() == "out":
            out = frozenset(_parse_seat(variant, colour) for colour in value.split(","))
        elif label.lower() == "steward" and len(variant.armies) > 2:  # a game of two ends when a player leaves
            stewards = frozenset(_parse_seat(variant, colour) for colour in value.split(","))
        else:
            _place_pieces(variant, cells, _parse_seat(variant, label), value)
    if not labels_read >= {army.colour.lower() for army in variant.armies}:
        raise _bad_position(text)
    position = Position(variant, bytes(cells), turn, used, out | stewards, stewards)
    if not position.has_turns(turn) and any(position.has_turns(seat) for seat in variant.seats):
        raise _bad_position(words[1])
    return position


def _place_pieces(variant: Variant, cells: bytearray, seat: Seat, value: str) -> None:
    """Puts the listed pieces of that side into `cells`."""
    for word in value.split(","):
        if word == "-":
            continue
        cell, kind = _parse_piece(variant, word)
        if cells[cell]:
            raise _bad_position(word)
        cells[cell] = piece_code(seat, kind)


def _parse_piece(variant: Variant, word: str) -> tuple[Cell, PieceKind]:
    # Chivalry has a file N: N5 is a Man on N5 and NN5 a Knight there.
    name = word.upper()
    if name in variant.board.cell_by_name:
        return variant.board.cell_by_name[name], PieceKind.MAN
    if name.startswith("N") and name[1:] in variant.board.cell_by_name:
        return variant.board.cell_by_name[name[1:]], PieceKind.KNIGHT
    raise _bad_position(word)


def _parse_castle_moves(variant: Variant, value: str) -> tuple[int, ...]:
    numbers = value.split(",")
    allowed = [str(n) for n in range(variant.castle_moves + 1)]
    if len(numbers) != len(variant.armies) or not all(number in allowed for number in numbers):
        raise _bad_position(value)
    return tuple(map(int, numbers))


def _parse_seat(variant: Variant, colour: str) -> Seat:
    try:
        return variant.find_seat(colour)
    except KeyError:
        raise _bad_position(colour) from None


def _bad_position(text: str) -> NotationError:
    return NotationError(Reason.BAD_POSITION, text=text)
