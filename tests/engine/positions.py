"""Random positions, and all of the search's state, for comparisons."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from engine.search_position import SearchPosition
from rules import PieceKind, Position, Variant
from rules.game import resolve_passes
from rules.position import piece_code
from tests.rules.positions import random_game


def state(search: SearchPosition) -> tuple[object, ...]:
    """All that `make` and `unmake` change."""
    return (
        bytes(search.cells),
        search.turn,
        tuple(search.castle_moves),
        [set(army) for army in search.army],
        list(search.bits),
        search.occupied,
        search.key,
        search.result,
    )


def scattered(variant: Variant, chance: random.Random) -> Position:
    """A position built by chance: few or many pieces, castles among them, with counters, leavers and stewards."""
    board = variant.board
    castles = [cell for army in variant.armies for cell in army.castle]
    centre = chance.choice([*range(len(board.names)), *castles, *castles])
    near = {centre}
    for _ in range(chance.randint(1, 6)):
        near |= {cell for there in near for cell in board.neighbours[there]}
    pool = sorted(near | set(castles if chance.random() < 0.5 else ()))
    cells = bytearray(len(board.names))
    for cell in chance.sample(pool, chance.randint(1, min(len(pool), 24))):
        cells[cell] = chance.choice(chance.choice(variant.piece_codes))
    if chance.random() < 0.3:
        cells[chance.choice(castles)] = piece_code(chance.choice(variant.seats), chance.choice(list(PieceKind)))
    used = tuple(chance.randint(0, variant.castle_moves) for _ in variant.seats)
    position = Position(variant, bytes(cells), 0, used)
    if len(variant.seats) > 2 and chance.random() < 0.4:
        out = frozenset({chance.choice(variant.seats)})
        position = replace(position, out=out, stewards=out if chance.random() < 0.5 else frozenset())
    playing = [seat for seat in variant.seats if position.has_turns(seat)]
    return replace(position, turn=chance.choice(playing)) if playing else position


def positions(variant: Variant, number: int, seed: int) -> Iterator[Position]:
    """So many positions: one half from random games, in some of which a player leaves, the other half built."""
    chance = random.Random(f"{variant.key} {seed}")
    game = random_game(variant, seed)
    for count in range(number // 2):
        yield scattered(variant, chance)
        stage = next(game, None) if count % 40 else None
        if stage is None:
            game = random_game(variant, chance.getrandbits(32))
            stage = next(game)
        position = stage.position
        if len(variant.seats) > 2 and chance.random() < 0.2 and not stage.outcome:
            position = stage.resign(chance.choice(variant.seats), steward=chance.random() < 0.5).position
        yield position


def unfinished(variant: Variant, number: int, seed: int) -> Iterator[Position]:
    """Those of so many positions in which the game goes on, after the turns that pass."""
    for position in positions(variant, number, seed):
        settled, outcome, _ = resolve_passes(position)
        if outcome is None:
            yield settled
