"""Finds puzzles: in games that light players play against themselves, or in any position that it is handed.

    python -m engine puzzles find camelot --wanted 200    adds to the collection until it has so many
    python -m engine puzzles grade camelot                notes which levels of the house players each one misleads
    python -m engine puzzles prove camelot                proves each one again

Each game follows from its number, so that the same numbers give the same puzzles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from engine.levels import LEVELS, choose_move
from engine.puzzles import (
    MAX_PUZZLE_MOVES,
    Puzzle,
    format_puzzle,
    parse_puzzle,
    prove_puzzle,
    steps_to_castle,
)
from engine.solving import Solution, TooHard, solve
from rules import Game, Move, Position, Variant, legal_moves
from rules.game import resolve_passes

COLLECTION_FOLDER = Path(__file__).parent / "collection"
"""Where the puzzles that are shipped lie, a file for each variant."""

MAX_SELF_PLAY_PLIES = 160
"""Moves after which a game is given up."""
MAX_POSITIONS_OF_GAME = 6
"""Moves, the best ones at first sight, of which a light player looks at the answers."""
CAPTURED, ADVANCED, LOST, NOISE = 30, 6, 25, 8
"""What a light player makes of a captured piece, of a step towards the castle, of a piece that the next player takes,
and the spread of its moods."""
NODES, MOST_NODES = 10_000, 400_000
"""Moves that `solve` may make to find a puzzle, and to find one again."""
MOODS, MISSED, LATE = 3, 2, 12
"""How often each level is asked for its choice; in how many moves wins are looked for that players have missed, and in
how many of the last positions of a game."""
SHARE_BY_MOVES = {1: 0.4, 2: 1.0, 3: 1.0}
"""The largest share of a collection that wins in so many may have; those in one are found most often."""


def light_move(position: Position, listed: Sequence[Move], dice: Random) -> Move:
    """A move such as somebody plays who sees what wins, what is taken, and what the next player can take."""
    seat, away = position.turn, steps_to_castle(position.variant, position.turn)

    def liking(move: Move) -> float:
        forward = away[move.start] - away[move.end]
        return CAPTURED * len(move.captures) + ADVANCED * forward + dice.gauss(0, NOISE)

    liked = sorted(((liking(move), move) for move in listed), reverse=True)[:MAX_POSITIONS_OF_GAME]
    weighed = []
    for value, move in liked:
        after, outcome, _ = resolve_passes(position.after_move(move))
        if outcome and seat in outcome.winners:
            return move
        weighed.append((value - (0 if outcome else _threat_to_previous(after)), move))
    return max(weighed)[1]


def _threat_to_previous(position: Position) -> float:
    """What the player to move can do to the one before: a win, or captures."""
    worst = 0
    for answer in legal_moves(position):
        if answer.end in position.variant.armies[position.turn].goal:
            outcome = resolve_passes(position.after_move(answer))[1]
            if outcome and position.turn in outcome.winners:
                return 1000
        worst = max(worst, len(answer.captures))
    return LOST * worst


def play_light_game(variant: Variant, number: int) -> Game:
    """The game of that number, to its end or to `MAX_SELF_PLAY_PLIES`."""
    dice, game = Random(f"{variant.key} {number}"), Game.start(variant)  # noqa: S311 - the same game again
    while not game.outcome and len(game.moves) < MAX_SELF_PLAY_PLIES:
        listed = legal_moves(game.position)
        game = game.apply(dice.choice(listed) if len(game.moves) < 4 else light_move(game.position, listed, dice))
    return game


def iter_candidates(game: Game, most: int = MAX_PUZZLE_MOVES) -> Iterator[tuple[Position, int]]:
    """Positions of a game, and in how many moves a win is looked for: those before the winner's last moves first."""
    positions, position = [], game.origin
    for move in game.moves:
        positions.append(position)
        position = resolve_passes(position.after_move(move))[0]
    if game.outcome and len(game.outcome.winners) == 1:
        own = [position for position in positions if position.turn == game.outcome.winners[0]]
        for left in range(min(most, len(own)), 0, -1):
            yield own[-left], left
    for position in positions[-LATE:-1]:
        yield position, MISSED


def find_puzzles(variant: Variant, wanted: int, known: list[Puzzle], first: int, most: int) -> Iterator[Puzzle]:
    """More puzzles until there are so many, one of a game at most.

    `first` is the number of the first game, `most` in how many moves they are won: three take long on large boards.
    """
    there = {puzzle.id for puzzle in known}
    counts = {moves: sum(puzzle.moves == moves for puzzle in known) for moves in SHARE_BY_MOVES}
    number = first
    while len(there) < wanted:
        for position, left in iter_candidates(play_light_game(variant, number), most):
            puzzle = _prove_both_ways(position, left)
            if puzzle and puzzle.id not in there and counts[puzzle.moves] < SHARE_BY_MOVES[puzzle.moves] * wanted:
                counts[puzzle.moves] += 1
                there.add(puzzle.id)
                yield puzzle
                break
        number += 1


def find_puzzle(position: Position) -> Puzzle | None:
    """The puzzle of that position, proved in both ways and graded; None where it is none that is worth the effort."""
    puzzle = _prove_both_ways(position, MAX_PUZZLE_MOVES)
    return replace(puzzle, misled=misled_levels(puzzle)) if puzzle else None


def _prove_both_ways(position: Position, most: int) -> Puzzle | None:
    """The puzzle of that position, if `solve` and the referee agree that it is one within so many own moves."""
    try:
        for moves in range(1, most + 1):
            if solution := _solve_within(position, moves, NODES):
                puzzle = prove_puzzle(position, moves) if solution.is_unique else None
                return puzzle if puzzle and puzzle.solved_by(solution.first[0]) else None
    except TooHard:
        pass
    return None


def _solve_within(position: Position, moves: int, nodes: int) -> Solution | None:
    """The forced win within so many own moves, by the search position. Raises TooHard."""
    playing = sum(map(position.is_playing, position.variant.seats))
    return solve(position, playing * (moves - 1) + 1, nodes=nodes)


def is_agreed(puzzle: Puzzle) -> bool:
    """Whether `solve`, which goes another way than the referee, finds that first move and no other."""
    try:
        solution = _solve_within(puzzle.position, puzzle.moves, MOST_NODES)
    except TooHard:
        return False
    return solution is not None and solution.is_unique and puzzle.solved_by(solution.first[0])


def misled_levels(puzzle: Puzzle) -> tuple[str, ...]:
    """The levels that mostly choose another first move."""
    return tuple(level for level in LEVELS if _is_misled(puzzle, level))


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
    """Finds more puzzles for the collection of that variant, or grades those that it has; then proves each one again.

    What came of it in a line, and whether all is well.
    """
    path = COLLECTION_FOLDER / f"{variant.key}.jsonl"
    known = [parse_puzzle(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    if act == "find":
        with path.open("a", encoding="utf-8") as file:
            for puzzle in find_puzzles(variant, wanted, known, first, most):
                known.append(puzzle)
                file.write(f"{format_puzzle(puzzle)}\n")
                file.flush()
    elif act == "grade":
        known = [replace(puzzle, misled=misled_levels(puzzle)) for puzzle in known]
        path.write_text("".join(f"{format_puzzle(puzzle)}\n" for puzzle in known), "utf-8")
    wrong = [
        puzzle
        for puzzle in known
        if prove_puzzle(puzzle.position) != replace(puzzle, misled=()) or not is_agreed(puzzle)
    ]
    grades = Counter((puzzle.moves, puzzle.difficulty) for puzzle in known)
    told = ", ".join(f"{count} in {moves} {grade}" for (moves, grade), count in sorted(grades.items()))
    return f"{variant.key}: {len(known)} puzzles ({told}), {len(wrong)} of them wrong", not wrong
