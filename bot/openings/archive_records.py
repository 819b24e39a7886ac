"""The moves of imported games, which were played elsewhere and kept as records. Pure."""

from __future__ import annotations

from bot.openings.index import OPENING_LENGTH, MoveMade, index_moves, points_of
from rules import Game, Move, Position, RulesError, Seat, Variant
from rules.record import parse_record

_WINNERS_BY_RESULT = {"1-0": (0,), "0-1": (1,), "1/2-1/2": (), "½-½": ()}


def import_moves(text: str) -> list[MoveMade]:
    """Returns the opening moves of a record; empty if it has another start, or breaks the current rules.

    If the record does not tell the result, its moves have no points.
    """
    try:
        record = parse_record(text)
        game = record.replay()
    except RulesError:
        return []
    variant = game.variant
    if record.origin != variant.start_position:
        return []
    result = record.headers.get("result", "").strip()
    winners = game.outcome.winners if game.outcome else _WINNERS_BY_RESULT.get(result)
    if winners is None:
        winners = _winners_of_result(variant, result)
    points = [0] * len(variant.armies) if winners is None else points_of(variant, winners)
    return index_moves(_steps(game), points)


def _winners_of_result(variant: Variant, result: str) -> tuple[Seat, ...] | None:
    """Returns the winners in a result of the form "Red and Green won", which our exports use; None if it is unknown."""
    if not result.endswith(" won"):
        return () if result == "draw" else None
    try:
        return tuple(variant.find_seat(colour.strip()) for colour in result.removesuffix(" won").split(" and "))
    except KeyError:
        return None


def _steps(game: Game) -> list[tuple[Position, Move]]:
    """Returns the moves until a player leaves, each with the position before it."""
    last = min([OPENING_LENGTH, *(ply for ply, _ in game.leavers)])
    here, steps = Game.from_position(game.origin), list[tuple[Position, Move]]()
    for move in game.moves[:last]:
        steps.append((here.position, move))
        here = here.apply(move)
    return steps
