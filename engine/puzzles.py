"""Puzzles: positions with exactly one first move that wins by force, proved with `rules` alone.

In a puzzle in two, the side to move wins with its second move at the latest, whatever the others answer, and after any
other first move the others can delay the win. In games of three both others play against the side to move.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable

from engine.evaluation import steps_to_nearest
from engine.solving import TooHard
from rules import Move, Outcome, Position, Variant, format_move, format_position, legal_moves, parse_move, read_position
from rules.game import resolve_passes
from rules.position import Seat

MAX_PUZZLE_MOVES = 3
"""The most own moves that a puzzle takes to win."""

MAX_PROOF_MOVES = 200_000
"""The most moves, of all seats, that a proof examines: about a second."""

DIFFICULTIES = ("easy", "medium", "hard")
"""A puzzle is easy if it misleads no house level, hard if it misleads medium, and medium otherwise."""


@dataclass(frozen=True)
class Puzzle:
    """A position and the line by which the side to move wins."""

    position: Position
    moves: int
    """The most own moves that the win takes."""
    line: tuple[Move, ...]
    """The first move, then one of the longest defences with the moves that beat it."""
    misled: tuple[str, ...] = ()
    """The house levels that choose another first move."""

    @cached_property
    def id(self) -> str:
        """Ten characters that depend only on the position."""
        return hashlib.sha256(format_position(self.position).encode()).hexdigest()[:10]

    @property
    def difficulty(self) -> str:
        """One of DIFFICULTIES."""
        if "medium" in self.misled:
            return "hard"
        return "medium" if self.misled else "easy"

    def solved_by(self, move: Move) -> bool:
        """Whether the move has the outcome of the first move; its route does not matter."""
        return move.outcome == self.line[0].outcome


def winning_moves(position: Position, moves: int, most: int = MAX_PROOF_MOVES) -> Iterator[Move]:
    """Yields the first moves, one per outcome, by which the side to move wins within `moves` own moves.

    Uses `rules` alone and tries legal answers until one holds. Ignores draws by repetition and quiet moves, because a
    position has no history. Raises TooHard after `most` examined moves.

    >>> from rules import parse_position
    >>> position = parse_position("camette White White:C6,A3 Black:E3,E4")
    >>> [format_move(move, position.variant.board) for move in winning_moves(position, 1)]
    ['C6-C7']
    """
    proof = _RefereeProof(position.turn, most)
    for move in legal_moves(position):
        if proof.won_by(position, move, moves):
            yield move


def prove_puzzle(position: Position, most: int = MAX_PUZZLE_MOVES) -> Puzzle | None:
    """The puzzle of that position: exactly one first move wins within the fewest own moves possible, at most `most`.

    None if no first move or more than one wins, if that move is the only legal one or a plain step into the castle, or
    if the line only walks to the castle. Raises TooHard if the proof takes too long.
    """
    for moves in range(1, most + 1):
        winning = winning_moves(position, moves)
        first = next(winning, None)
        if first is None:
            continue
        if next(winning, None) is not None or _is_plain(position, first) or len(legal_moves(position)) < 2:
            return None
        line = tuple(_iter_line(position, first, moves))
        return None if _is_walk(position, line) else Puzzle(position, moves, line)
    return None


def _is_plain(position: Position, move: Move) -> bool:
    """Whether the move is a step into or within the attacked castle, which every player looks for first."""
    return _is_step(position, move) and move.end in position.variant.armies[position.turn].goal


def _is_step(position: Position, move: Move) -> bool:
    return len(move.path) == 2 and not move.captures and move.path not in position.variant.board.between


def _is_walk(position: Position, line: Iterable[Move]) -> bool:
    """Whether the winner of that line only walks to the castle, step by step."""
    seat, away = position.turn, steps_to_castle(position.variant, position.turn)
    for move in line:
        if position.turn == seat and not (_is_step(position, move) and away[move.end] < away[move.start]):
            return False
        position = resolve_passes(position.after_move(move))[0]
    return True


@cache
def steps_to_castle(variant: Variant, seat: Seat) -> list[int]:
    """The number of steps from each cell to the castle that the seat attacks, on an empty board."""
    return steps_to_nearest(variant.board, variant.armies[seat].goal)


class _RefereeProof:
    """Searches a forced win of one seat. Tries the last winning or refuting move first, which saves much time."""

    def __init__(self, seat: Seat, most: int) -> None:
        self._seat = seat
        self._left = most
        self._first: dict[tuple[int, Seat], Move] = {}

    def won_by(self, position: Position, move: Move, moves: int) -> bool:
        """Whether that move wins within that many own moves, the move itself included."""
        after, outcome, _ = self._resolve_after(position, move)
        return outcome.winners == (self._seat,) if outcome else moves > 1 and self.is_won(after, moves - 1)

    def is_won(self, position: Position, moves: int) -> bool:
        """Whether the seat wins from that position within that many own moves; any seat may be to move."""
        if position.turn == self._seat:
            return self._any_move(position, moves, lambda move: self.won_by(position, move, moves))
        return not self._any_move(position, moves, lambda answer: not self._stays_won(position, answer, moves))

    def _stays_won(self, position: Position, answer: Move, moves: int) -> bool:
        after, outcome, passed = self._resolve_after(position, answer)
        if outcome:
            return outcome.winners == (self._seat,)
        left = moves - (self._seat in passed)  # a passed turn counts as an own move
        return left > 0 and after.is_playing(self._seat) and self.is_won(after, left)

    def count_delay(self, position: Position, answer: Move, moves: int) -> int:
        """How many own moves the seat needs after that answer, at most `moves`; 0 if the answer ends the game."""
        after, outcome, _ = self._resolve_after(position, answer)
        return 0 if outcome else next((few for few in range(1, moves) if self.is_won(after, few)), moves)

    def _resolve_after(self, position: Position, move: Move) -> tuple[Position, Outcome | None, tuple[Seat, ...]]:
        if not self._left:
            raise TooHard
        self._left -= 1
        return resolve_passes(position.after_move(move))

    def _any_move(self, position: Position, moves: int, fits: Callable[[Move], bool]) -> bool:
        """Whether `fits` is true for a legal move."""
        place, listed = (moves, position.turn), legal_moves(position)
        best = self._first.get(place)
        if best in listed and fits(best):
            return True
        for move in listed:
            if move != best and fits(move):
                self._first[place] = move
                return True
        return False


def _iter_line(position: Position, move: Move, left: int) -> Iterator[Move]:
    """Yields that move, which wins within `left` own moves, then a longest defence with the moves that beat it."""
    proof, seat = _RefereeProof(position.turn, MAX_PROOF_MOVES), position.turn
    while True:
        yield move
        left -= position.turn == seat
        position, outcome, _ = resolve_passes(position.after_move(move))
        if outcome:
            return
        listed, within = legal_moves(position), range(1, left + 1)
        if position.turn == seat:
            move = next(one for few in within for one in listed if proof.won_by(position, one, few))
        else:
            move = max(listed, key=lambda answer: (proof.count_delay(position, answer, left), len(answer.captures)))


def format_puzzle(puzzle: Puzzle) -> str:
    """The puzzle as a line of JSON that `parse_puzzle` reads."""
    board = puzzle.position.variant.board
    return json.dumps(
        {
            "position": format_position(puzzle.position),
            "moves": puzzle.moves,
            "line": [format_move(move, board) for move in puzzle.line],
            "misled": list(puzzle.misled),
        }
    )


def parse_puzzle(line: str) -> Puzzle:
    """The puzzle of that line of JSON. Tests that its moves are legal, but does not prove the win.

    >>> puzzle = shipped_puzzles("camette")[0]
    >>> parse_puzzle(format_puzzle(puzzle)) == puzzle
    True
    """
    fields = json.loads(line)
    start = position = read_position(fields["position"])
    solution = []
    for typed in fields["line"]:
        move = parse_move(position, typed)
        solution.append(move)
        position = resolve_passes(position.after_move(move))[0]
    return Puzzle(start, fields["moves"], tuple(solution), tuple(fields["misled"]))


@cache
def shipped_puzzles(variant: str) -> tuple[Puzzle, ...]:
    """The shipped puzzles of the variant with that key; empty if there are none."""
    source = files("engine").joinpath("collection", f"{variant}.jsonl")
    return tuple(read_puzzles(source)) if source.is_file() else ()


def read_puzzles(file: Traversable) -> Iterator[Puzzle]:
    """Yields the puzzles of a collection's file. Raises ValueError that names the file and the line."""
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        try:
            yield parse_puzzle(line)
        except (ValueError, LookupError, TypeError) as error:
            raise ValueError(f"{file.name}:{number}: {error!r}") from error
