"""The rules beside python-chess, in the same run, on positions of random games; and positions built to be slow.

Each pair of measurements takes one position of each game, one right after the other, so that other load on the machine
affects both; the figure is the median of their ratios.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from statistics import median
from time import perf_counter_ns

import chess

from rules import (
    VARIANTS,
    Game,
    Position,
    RulesError,
    Side,
    Variant,
    format_move,
    has_legal_move,
    legal_moves,
    parse_move,
    parse_position,
    suggest_move_texts,
)
from rules.game import resolve_passes
from tests.bench import Figure

POSITIONS = 1500
ROUNDS = 3
TYPED_LIMIT = 1.2
LIST_LIMITS = {"camelot": 1.5, "chivalry": 2.2, "cam-3d": 4.0, "tri-camelot": 0.7, "cam": 1.0, "camette": 0.5}

WORST = (
    "chivalry White White:ND5,NH5,NF8,NF10,NE11,NE12,NC13,ND13,E5,C6,F6,G6,F12,G13"
    " Black:NE6,NI6,NJ6,NI7,NC8,NE8,NG8,NH8,I8,G9,C10,D10,E10,G10,H10,I10,J10,G11,I11,G12 castle:0,0"
)
"""Found by hill climbing: 39,784 outcomes, 411,961 notations."""
JUDGED_MS, SEARCHED_MS = 0.5, 20.0


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


def refused(text: str) -> None:
    """Reads a text at the worst position, ignoring the result."""
    with suppress(RulesError):
        parse_move(parse_position(WORST), text)


def worst_ms(work: Callable[[], object]) -> float:
    """Returns the milliseconds of the best of a few calls, as if nothing else ran."""
    return min(timed(work) for _ in range(5)) / 1e6


def figures() -> Iterator[Figure]:
    """Yields ratios to python-chess for every variant, then milliseconds at the built position."""
    for key, variant in VARIANTS.items():
        typed, listed = compared(variant)
        yield Figure(f"{key}: typed move / push_san + pop", typed, TYPED_LIMIT)
        yield Figure(f"{key}: list of outcomes / list(legal_moves)", listed, LIST_LIMITS[key])
    position = parse_position(WORST)
    moves = legal_moves(position)
    longest = format_move(max(moves, key=lambda move: len(move.path)), position.variant.board)
    detail = f"{len(moves)} outcomes"
    yield Figure("built: judging a typed move, ms", worst_ms(lambda: parse_move(position, longest)), JUDGED_MS, detail)
    yield Figure("built: is there a legal move, ms", worst_ms(lambda: has_legal_move(position)), JUDGED_MS)
    yield Figure("built: is a capture due, ms", worst_ms(lambda: Side(position).capture_due), JUDGED_MS)
    busiest = position.names((max((move.start for move in moves), key=[m.start for m in moves].count),))[0]
    ends = position.names(sorted({move.end for move in moves}))
    shortened = max(worst_ms(lambda end=end: refused(f"{busiest} {end}")) for end in (*ends, busiest))  # type: ignore[misc]  # bound in the loop
    yield Figure("built: a shortened move, ms", shortened, SEARCHED_MS, f"the slowest of {len(ends) + 1} ends")
    for typed_text in ("", busiest, busiest + "-"):
        slow = worst_ms(lambda typed_text=typed_text: suggest_move_texts(position, typed_text))  # type: ignore[misc]  # as above
        yield Figure(f"built: suggestions after {typed_text!r}, ms", slow, SEARCHED_MS)
