"""Finds puzzles in games that a weak, fast player plays against itself.

    python -m engine puzzles find camelot --wanted 200    adds puzzles until the collection has 200
    python -m engine puzzles grade camelot                records which house levels each puzzle misleads
    python -m engine puzzles prove camelot                proves each puzzle again

The number of a game is its random seed, so the same numbers give the same puzzles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from engine.levels import choose_move
from engine.puzzles import (
    DIFFICULTIES,
    MAX_PUZZLE_MOVES,
    Puzzle,
    format_puzzle,
    prove_puzzle,
    read_puzzles,
    steps_to_castle,
)
from engine.solving import Solution, TooHard, solve
from rules import Game, Move, Position, Variant, legal_moves
from rules.game import positions_along, resolve_passes

COLLECTION_FOLDER = Path(__file__).parent / "collection"
"""The folder of the shipped puzzles, one file per variant."""

MAX_SELF_PLAY_PLIES = 160
"""Moves after which a self-play game stops undecided."""
MAX_MOVES_WEIGHED = 6
"""How many moves, best first, the light player examines together with the answers."""
CAPTURED, ADVANCED, LOST, NOISE = 30, 6, 25, 8
"""The light player's values of a captured piece, a step towards the castle and a piece lost to the next player, and the
standard deviation of its random noise."""
NODES, MAX_NODES = 10_000, 400_000
"""The most moves that `solve` makes to find a puzzle, and to check a known puzzle."""
MOODS, MISSED, LATE = 3, 2, 12
"""How often each level chooses a move (MOODS). Wins that players missed are searched within MISSED own moves, in the
last LATE positions of a game."""
GRADING_LEVELS = {2: ("easy", "medium", "hard"), 3: ("5", "7", "hard")}
"""By the number of players, the levels that grade puzzles."""
SHARE_BY_MOVES = {1: 0.4, 2: 1.0, 3: 1.0}
"""By own moves to the win, the largest share of a collection. Wins in one move are the most frequent."""


def light_move(position: Position, listed: Sequence[Move], dice: Random) -> Move:
    """The move of a player who sees immediate wins, captures, and what the next player can capture."""
    seat, away = position.turn, steps_to_castle(position.variant, position.turn)

    def liking(move: Move) -> float:
        forward = away[move.start] - away[move.end]
        return CAPTURED * len(move.captures) + ADVANCED * forward + dice.gauss(0, NOISE)

    liked = sorted(((liking(move), move) for move in listed), reverse=True)[:MAX_MOVES_WEIGHED]
    weighed = []
    for value, move in liked:
        after, outcome, _ = resolve_passes(position.after_move(move))
        if outcome and seat in outcome.winners:
            return move
        weighed.append((value - (0 if outcome else _threat_to_previous(after)), move))
    return max(weighed)[1]


def _threat_to_previous(position: Position) -> float:
    """The damage that the player to move can do at once: 1000 for a win, else by the most pieces captured."""
    worst = 0
    for answer in legal_moves(position):
        if answer.end in position.variant.armies[position.turn].goal:
            outcome = resolve_passes(position.after_move(answer))[1]
            if outcome and position.turn in outcome.winners:
                return 1000
        worst = max(worst, len(answer.captures))
    return LOST * worst


def play_light_game(variant: Variant, number: int) -> Game:
    """The self-play game with that number, to its end or to `MAX_SELF_PLAY_PLIES`."""
    dice, game = Random(f"{variant.key} {number}"), Game.start(variant)  # noqa: S311 - the same game again
    while not game.outcome and len(game.moves) < MAX_SELF_PLAY_PLIES:
        listed = legal_moves(game.position)
        game = game.apply(dice.choice(listed) if len(game.moves) < 4 else light_move(game.position, listed, dice))
    return game


def iter_candidates(game: Game, most: int = MAX_PUZZLE_MOVES) -> Iterator[tuple[Position, int]]:
    """Yields positions of a game, each with the number of own moves within which to search a win.

    The positions before the winner's last moves come first.
    """
    positions = [game.origin, *positions_along(game.origin, game.moves[:-1])]
    if game.outcome and len(game.outcome.winners) == 1:
        own = [position for position in positions if position.turn == game.outcome.winners[0]]
        for left in range(min(most, len(own)), 0, -1):
            yield own[-left], left
    for position in positions[-LATE:-1]:
        yield position, MISSED


def find_puzzles(variant: Variant, wanted: int, known: list[Puzzle], first: int, most: int) -> Iterator[Puzzle]:
    """Yields new puzzles until `wanted` are known, at most one per game.

    `first` is the number of the first game, `most` the largest number of own moves to the win; three moves take long on
    large boards.
    """
    known_ids = {puzzle.id for puzzle in known}
    counts = {moves: sum(puzzle.moves == moves for puzzle in known) for moves in SHARE_BY_MOVES}
    number = first
    while len(known_ids) < wanted:
        for position, left in iter_candidates(play_light_game(variant, number), most):
            puzzle = _prove_both_ways(position, left)
            if puzzle and puzzle.id not in known_ids and counts[puzzle.moves] < SHARE_BY_MOVES[puzzle.moves] * wanted:
                counts[puzzle.moves] += 1
                known_ids.add(puzzle.id)
                yield puzzle
                break
        number += 1


def _prove_both_ways(position: Position, most: int) -> Puzzle | None:
    """The puzzle of that position if both `solve` and the rules prove it within `most` own moves, else None."""
    try:
        for moves in range(1, most + 1):
            if solution := _solve_within(position, moves, NODES):
                puzzle = prove_puzzle(position, moves) if solution.is_unique else None
                return puzzle if puzzle and puzzle.solved_by(solution.first[0]) else None
    except TooHard:
        pass
    return None


def _solve_within(position: Position, moves: int, nodes: int) -> Solution | None:
    """The forced win within that many own moves, found by `solve`. Raises TooHard."""
    playing = sum(map(position.is_playing, position.variant.seats))
    return solve(position, playing * (moves - 1) + 1, nodes=nodes)


def is_agreed(puzzle: Puzzle) -> bool:
    """Whether `solve`, which shares no code with the other proof, finds the same first move and no other."""
    try:
        solution = _solve_within(puzzle.position, puzzle.moves, MAX_NODES)
    except TooHard:
        return False
    return solution is not None and solution.is_unique and puzzle.solved_by(solution.first[0])


def misled_levels(puzzle: Puzzle) -> tuple[str, ...]:
    """Those of DIFFICULTIES whose level (GRADING_LEVELS) chooses a wrong first move in most trials."""
    levels = zip(DIFFICULTIES, GRADING_LEVELS[len(puzzle.position.variant.seats)], strict=True)
    return tuple(name for name, level in levels if _is_misled(puzzle, level))


def _is_misled(puzzle: Puzzle, level: str) -> bool:
    wrong = 0
    for seed in range(MOODS):
        wrong += not puzzle.solved_by(choose_move(puzzle.position, level, seed))
        if max(wrong, seed + 1 - wrong) > MOODS // 2:
            break
    return wrong > MOODS // 2


def mine_collection(
    act: str, variant: Variant, wanted: int, first: int, most: int = MAX_PUZZLE_MOVES
) -> tuple[str, bool]:
    """Finds or grades puzzles of a variant's collection as `act` says, then proves every puzzle again.

    Returns a line that sums the collection up, and whether every proof succeeded.
    """
    path = COLLECTION_FOLDER / f"{variant.key}.jsonl"
    known = [*read_puzzles(path)] if path.exists() else []
    if act == "find":
        with path.open("a", encoding="utf-8") as file:
            for puzzle in find_puzzles(variant, wanted, known, first, most):
                known.append(puzzle)
                file.write(f"{format_puzzle(puzzle)}\n")
                file.flush()
    elif act == "grade":
        known = [replace(puzzle, misled=misled_levels(puzzle)) for puzzle in known]
        path.write_text("".join(f"{format_puzzle(puzzle)}\n" for puzzle in known), "utf-8")
    right = [prove_puzzle(one.position) == replace(one, misled=()) and is_agreed(one) for one in known]
    grades = Counter((puzzle.moves, puzzle.difficulty) for puzzle in known)
    counts = ", ".join(f"{count} in {moves} {grade}" for (moves, grade), count in sorted(grades.items()))
    return f"{variant.key}: {len(known)} puzzles ({counts}), {right.count(False)} of them wrong", all(right)
