"""The Camelot family: boards, legal moves, notation and endings. Standard library only.

>>> from rules import VARIANTS, Game
>>> game = Game.start(VARIANTS["tri-camelot"]).play("F7-F9")
>>> game.variant.armies[game.position.turn].colour
'Red'
"""

from rules.basics import Cause, Outcome
from rules.errors import AmbiguousMove, GameOver, IllegalMove, NotationError, Reason, RulesError
from rules.game import Game
from rules.moves import find_move_into_castle, has_legal_move, iter_moves, legal_moves, some_moves
from rules.notation import format_move, parse_move, read_recorded, suggest_move_texts
from rules.position import Move, Piece, PieceKind, Position, Seat, Variant
from rules.position_text import format_position, parse_position, read_position
from rules.record import Record, RecordComment, RecordError, format_record, parse_record
from rules.steward import steward_move
from rules.turn import Side, Turn
from rules.variants import VARIANTS

__all__ = [
    "VARIANTS",
    "AmbiguousMove",
    "Cause",
    "Game",
    "GameOver",
    "IllegalMove",
    "Move",
    "NotationError",
    "Outcome",
    "Piece",
    "PieceKind",
    "Position",
    "Reason",
    "Record",
    "RecordComment",
    "RecordError",
    "RulesError",
    "Seat",
    "Side",
    "Turn",
    "Variant",
    "find_move_into_castle",
    "format_move",
    "format_position",
    "format_record",
    "has_legal_move",
    "iter_moves",
    "legal_moves",
    "parse_move",
    "parse_position",
    "parse_record",
    "read_position",
    "read_recorded",
    "some_moves",
    "steward_move",
    "suggest_move_texts",
]
