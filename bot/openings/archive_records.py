"""The moves of imported games: of records that were played elsewhere. Pure."""

from __future__ import annotations

from bot.openings.index import OPENING_LENGTH, MoveMade, index_moves, points_of
from rules import Game, Move, Position, RulesError, Seat, Variant
from rules.record import parse_record

_WINNERS_BY_RESULT = {"1-0": (0,), "0-1": (1,), "1/2-1/2": (), "½-½": ()}


def import_moves(text: str) -> list[MoveMade]:
    """Returns the opening moves of a record; none if it starts elsewhere, or breaks today's rules.

    A game whose result the record does not tell has moves without points.
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
    """Returns the winners that a result names as our exports do: "Red and Green won"; None if it is unknown."""
    if not result.endswith(" won"):
        return () if result == "draw" else None
    try:
        return tuple(variant.find_seat(colour.strip()) for colour in result.removesuffix(" won").split(" and "))
    except KeyError:
        return None


def _steps(game: Game) -> list[tuple[Position, Move]]:
    """Returns the moves up to the first player who leaves, each with the position before it."""
    last = min([OPENING_LENGTH, *(ply for ply, _ in game.leavers)])
    here, steps = Game.from_position(game.origin), list[tuple[Position, Move]]()
    for move in game.moves[:last]:
        steps.append((here.position, move))
        here = here.apply(move)
    return steps
