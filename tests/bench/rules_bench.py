"""The rules beside python-chess, in the same run, on positions of random games.

Each pair of measurements takes one position of each game, one right after the other, so that other load on the machine
affects both; the figure is the median of their ratios.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter_ns

import chess

from rules import VARIANTS, Game, Position, Variant, format_move, legal_moves, parse_move
from rules.game import resolve_passes
from tests.bench import Figure

POSITIONS = 1500
ROUNDS = 3
TYPED_LIMIT = 1.35
LIST_LIMITS = {"camelot": 1.35, "chivalry": 2.05, "cam-3d": 3.4, "tri-camelot": 0.9, "cam": 0.9, "camette": 0.7}


def chess_positions() -> list[tuple[chess.Board, str]]:
    """Returns positions of complete random games of chess, each with a legal move in SAN."""
    chance = random.Random(64)
    found: list[tuple[chess.Board, str]] = []
    while len(found) < POSITIONS:
        board = chess.Board()
        while not board.is_game_over():
            move = chance.choice(list(board.legal_moves))
            found.append((board.copy(stack=False), board.san(move)))
            board.push(move)
    return found[:POSITIONS]


def our_positions(variant: Variant) -> list[tuple[Game, str]]:
    """Returns as many positions of complete random games of the variant, each with a legal move in canonical
    notation."""
    chance = random.Random(variant.key)
    found: list[tuple[Game, str]] = []
    while len(found) < POSITIONS:
        game = Game.start(variant)
        while not game.outcome:
            move = chance.choice(legal_moves(game.position))
            found.append((game, format_move(move, variant.board)))
            game = game.apply(move)
    return found[:POSITIONS]


def timed(work: Callable[[], object]) -> int:
    """Returns the nanoseconds of one call."""
    begun = perf_counter_ns()
    work()
    return perf_counter_ns() - begun


def compared(variant: Variant) -> tuple[float, float]:
    """Returns the median ratios to python-chess of (typed move, full list)."""
    typed, listed = [], []
    pairs = list(zip(chess_positions(), our_positions(variant), strict=True))
    gc.collect()
    gc.disable()  # as timeit does: a collection would hit either side by chance
    try:
        for _ in range(ROUNDS):
            for (board, san), (game, text) in pairs:

                def push(board: chess.Board = board, san: str = san) -> None:
                    board.push_san(san)
                    board.pop()

                def play(position: Position = game.position, text: str = text) -> None:
                    resolve_passes(
                        position.after_move(parse_move(position, text))
                    )  # including the outcome, which push_san does not find

                def list_theirs(board: chess.Board = board) -> None:
                    list(board.legal_moves)

                def list_ours(game: Game = game) -> None:
                    legal_moves(game.position)

                typed.append((timed(push), timed(play)))
                listed.append((timed(list_theirs), timed(list_ours)))
    finally:
        gc.enable()
    return median(ours / theirs for theirs, ours in typed), median(ours / theirs for theirs, ours in listed)


def figures() -> Iterator[Figure]:
    """Yields ratios to python-chess for every variant."""
    for key, variant in VARIANTS.items():
        typed, listed = compared(variant)
        yield Figure(f"{key}: typed move / push_san + pop", typed, TYPED_LIMIT)
        yield Figure(f"{key}: list of outcomes / list(legal_moves)", listed, LIST_LIMITS[key])
